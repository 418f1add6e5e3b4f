//! Parts of points in time and of durations.

use crate::function::{Function, Overload};

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "getFullYear",
        overloads: &[
            Overload::new("timestamp_to_year", "timestamp.() -> int"),
            Overload::new("timestamp_to_year_with_tz", "timestamp.(string) -> int"),
        ],
        note: "The year, in UTC or the given zone.",
        examples: &[("timestamp('2024-02-29T12:30:45.678Z').getFullYear()", "2024")],
    },
    Function {
        name: "getMonth",
        overloads: &[
            Overload::new("timestamp_to_month", "timestamp.() -> int"),
            Overload::new("timestamp_to_month_with_tz", "timestamp.(string) -> int"),
        ],
        note: "The month, January is 0, in UTC or the given zone.",
        examples: &[("timestamp('2024-02-29T12:30:45.678Z').getMonth()", "1")],
    },
    Function {
        name: "getDayOfYear",
        overloads: &[
            Overload::new("timestamp_to_day_of_year", "timestamp.() -> int"),
            Overload::new("timestamp_to_day_of_year_with_tz", "timestamp.(string) -> int"),
        ],
        note: "The day of the year, the first is 0, in UTC or the given zone.",
        examples: &[("timestamp('2024-02-29T12:30:45.678Z').getDayOfYear()", "59")],
    },
    Function {
        name: "getDayOfMonth",
        overloads: &[
            Overload::new("timestamp_to_day_of_month", "timestamp.() -> int"),
            Overload::new("timestamp_to_day_of_month_with_tz", "timestamp.(string) -> int"),
        ],
        note: "The day of the month, the first is 0, in UTC or the given zone.",
        examples: &[("timestamp('2024-02-29T12:30:45.678Z').getDayOfMonth()", "28")],
    },
    Function {
        name: "getDate",
        overloads: &[
            Overload::new("timestamp_to_day_of_month_1_based", "timestamp.() -> int"),
            Overload::new("timestamp_to_day_of_month_1_based_with_tz", "timestamp.(string) -> int"),
        ],
        note: "The day of the month, the first is 1, in UTC or the given zone.",
        examples: &[("timestamp('2024-02-29T12:30:45.678Z').getDate()", "29")],
    },
    Function {
        name: "getDayOfWeek",
        overloads: &[
            Overload::new("timestamp_to_day_of_week", "timestamp.() -> int"),
            Overload::new("timestamp_to_day_of_week_with_tz", "timestamp.(string) -> int"),
        ],
        note: "The day of the week, Sunday is 0, in UTC or the given zone.",
        examples: &[("timestamp('2024-02-29T12:30:45.678Z').getDayOfWeek()", "4")],
    },
    Function {
        name: "getHours",
        overloads: &[
            Overload::new("timestamp_to_hours", "timestamp.() -> int"),
            Overload::new("timestamp_to_hours_with_tz", "timestamp.(string) -> int"),
            Overload::new("duration_to_hours", "duration.() -> int"),
        ],
        note: "The hour; of a duration all its hours, in UTC or the given zone.",
        examples: &[
            ("timestamp('2024-02-29T12:30:45.678Z').getHours()", "12"),
            ("timestamp('2024-02-29T12:30:45.678Z').getHours('+05:30')", "18"),
            ("duration('90m').getHours()", "1"),
        ],
    },
    Function {
        name: "getMinutes",
        overloads: &[
            Overload::new("timestamp_to_minutes", "timestamp.() -> int"),
            Overload::new("timestamp_to_minutes_with_tz", "timestamp.(string) -> int"),
            Overload::new("duration_to_minutes", "duration.() -> int"),
        ],
        note: "The minute; of a duration all its minutes, in UTC or the given zone.",
        examples: &[("timestamp('2024-02-29T12:30:45.678Z').getMinutes()", "30")],
    },
    Function {
        name: "getSeconds",
        overloads: &[
            Overload::new("timestamp_to_seconds", "timestamp.() -> int"),
            Overload::new("timestamp_to_seconds_tz", "timestamp.(string) -> int"),
            Overload::new("duration_to_seconds", "duration.() -> int"),
        ],
        note: "The second; of a duration all its seconds, in UTC or the given zone.",
        examples: &[("timestamp('2024-02-29T12:30:45.678Z').getSeconds()", "45")],
    },
    Function {
        name: "getMilliseconds",
        overloads: &[
            Overload::new("timestamp_to_milliseconds", "timestamp.() -> int"),
            Overload::new("timestamp_to_milliseconds_with_tz", "timestamp.(string) -> int"),
            Overload::new("duration_to_milliseconds", "duration.() -> int"),
        ],
        note: "The milliseconds of the second; of a duration all its milliseconds, in UTC or the given zone.",
        examples: &[("timestamp('2024-02-29T12:30:45.678Z').getMilliseconds()", "678")],
    },
];
