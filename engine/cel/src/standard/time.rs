//! Parts of points in time and of durations.

use super::zones;
use crate::error::{Error, Outcome};
use crate::function::{Function, Overload, Run};
use crate::value::Value;
use engine_json::Str;
use engine_values::go_text;
use engine_values::time::{Civil, Time};

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "getFullYear",
        overloads: &[
            Overload::new("timestamp_to_year", "timestamp.() -> int")
                .run(Run::One(|_, at| in_utc(&at, year))),
            Overload::new("timestamp_to_year_with_tz", "timestamp.(string) -> int")
                .run(Run::Two(|_, at, zone| in_zone(&at, &zone, year))),
        ],
        note: "The year, in UTC or the given zone.",
        examples: &[("timestamp('2024-02-29T12:30:45.678Z').getFullYear()", "2024")],
    },
    Function {
        name: "getMonth",
        overloads: &[
            Overload::new("timestamp_to_month", "timestamp.() -> int")
                .run(Run::One(|_, at| in_utc(&at, month))),
            Overload::new("timestamp_to_month_with_tz", "timestamp.(string) -> int")
                .run(Run::Two(|_, at, zone| in_zone(&at, &zone, month))),
        ],
        note: "The month, January is 0, in UTC or the given zone.",
        examples: &[("timestamp('2024-02-29T12:30:45.678Z').getMonth()", "1")],
    },
    Function {
        name: "getDayOfYear",
        overloads: &[
            Overload::new("timestamp_to_day_of_year", "timestamp.() -> int")
                .run(Run::One(|_, at| in_utc(&at, day_of_year))),
            Overload::new("timestamp_to_day_of_year_with_tz", "timestamp.(string) -> int")
                .run(Run::Two(|_, at, zone| in_zone(&at, &zone, day_of_year))),
        ],
        note: "The day of the year, the first is 0, in UTC or the given zone.",
        examples: &[("timestamp('2024-02-29T12:30:45.678Z').getDayOfYear()", "59")],
    },
    Function {
        name: "getDayOfMonth",
        overloads: &[
            Overload::new("timestamp_to_day_of_month", "timestamp.() -> int")
                .run(Run::One(|_, at| in_utc(&at, day_of_month))),
            Overload::new("timestamp_to_day_of_month_with_tz", "timestamp.(string) -> int")
                .run(Run::Two(|_, at, zone| in_zone(&at, &zone, day_of_month))),
        ],
        note: "The day of the month, the first is 0, in UTC or the given zone.",
        examples: &[("timestamp('2024-02-29T12:30:45.678Z').getDayOfMonth()", "28")],
    },
    Function {
        name: "getDate",
        overloads: &[
            Overload::new("timestamp_to_day_of_month_1_based", "timestamp.() -> int")
                .run(Run::One(|_, at| in_utc(&at, date))),
            Overload::new("timestamp_to_day_of_month_1_based_with_tz", "timestamp.(string) -> int")
                .run(Run::Two(|_, at, zone| in_zone(&at, &zone, date))),
        ],
        note: "The day of the month, the first is 1, in UTC or the given zone.",
        examples: &[("timestamp('2024-02-29T12:30:45.678Z').getDate()", "29")],
    },
    Function {
        name: "getDayOfWeek",
        overloads: &[
            Overload::new("timestamp_to_day_of_week", "timestamp.() -> int")
                .run(Run::One(|_, at| in_utc(&at, day_of_week))),
            Overload::new("timestamp_to_day_of_week_with_tz", "timestamp.(string) -> int")
                .run(Run::Two(|_, at, zone| in_zone(&at, &zone, day_of_week))),
        ],
        note: "The day of the week, Sunday is 0, in UTC or the given zone.",
        examples: &[("timestamp('2024-02-29T12:30:45.678Z').getDayOfWeek()", "4")],
    },
    Function {
        name: "getHours",
        overloads: &[
            Overload::new("timestamp_to_hours", "timestamp.() -> int")
                .run(Run::One(|_, at| in_utc(&at, hours))),
            Overload::new("timestamp_to_hours_with_tz", "timestamp.(string) -> int")
                .run(Run::Two(|_, at, zone| in_zone(&at, &zone, hours))),
            Overload::new("duration_to_hours", "duration.() -> int")
                .run(Run::One(|_, duration| total(&duration, 3_600_000_000_000))),
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
            Overload::new("timestamp_to_minutes", "timestamp.() -> int")
                .run(Run::One(|_, at| in_utc(&at, minutes))),
            Overload::new("timestamp_to_minutes_with_tz", "timestamp.(string) -> int")
                .run(Run::Two(|_, at, zone| in_zone(&at, &zone, minutes))),
            Overload::new("duration_to_minutes", "duration.() -> int")
                .run(Run::One(|_, duration| total(&duration, 60_000_000_000))),
        ],
        note: "The minute; of a duration all its minutes, in UTC or the given zone.",
        examples: &[("timestamp('2024-02-29T12:30:45.678Z').getMinutes()", "30")],
    },
    Function {
        name: "getSeconds",
        overloads: &[
            Overload::new("timestamp_to_seconds", "timestamp.() -> int")
                .run(Run::One(|_, at| in_utc(&at, seconds))),
            Overload::new("timestamp_to_seconds_tz", "timestamp.(string) -> int")
                .run(Run::Two(|_, at, zone| in_zone(&at, &zone, seconds))),
            Overload::new("duration_to_seconds", "duration.() -> int")
                .run(Run::One(|_, duration| total(&duration, 1_000_000_000))),
        ],
        note: "The second; of a duration all its seconds, in UTC or the given zone.",
        examples: &[("timestamp('2024-02-29T12:30:45.678Z').getSeconds()", "45")],
    },
    Function {
        name: "getMilliseconds",
        overloads: &[
            Overload::new("timestamp_to_milliseconds", "timestamp.() -> int")
                .run(Run::One(|_, at| in_utc(&at, milliseconds))),
            Overload::new("timestamp_to_milliseconds_with_tz", "timestamp.(string) -> int")
                .run(Run::Two(|_, at, zone| in_zone(&at, &zone, milliseconds))),
            Overload::new("duration_to_milliseconds", "duration.() -> int")
                .run(Run::One(|_, duration| total(&duration, 1_000_000))),
        ],
        note: "The milliseconds of the second; of a duration all its milliseconds, in UTC or the given zone.",
        examples: &[("timestamp('2024-02-29T12:30:45.678Z').getMilliseconds()", "678")],
    },
];

/// The parts of a point in time that can be asked for.
type Part = fn(&Moment) -> i64;

/// A point in time in a zone.
struct Moment {
    civil: Civil,
    nanoseconds: u32,
}

fn year(at: &Moment) -> i64 {
    at.civil.year
}

fn month(at: &Moment) -> i64 {
    i64::from(at.civil.month) - 1
}

fn day_of_year(at: &Moment) -> i64 {
    i64::from(at.civil.year_day) - 1
}

fn day_of_month(at: &Moment) -> i64 {
    i64::from(at.civil.day) - 1
}

fn date(at: &Moment) -> i64 {
    i64::from(at.civil.day)
}

fn day_of_week(at: &Moment) -> i64 {
    i64::from(at.civil.weekday)
}

fn hours(at: &Moment) -> i64 {
    i64::from(at.civil.hour)
}

fn minutes(at: &Moment) -> i64 {
    i64::from(at.civil.minute)
}

fn seconds(at: &Moment) -> i64 {
    i64::from(at.civil.second)
}

fn milliseconds(at: &Moment) -> i64 {
    i64::from(at.nanoseconds / 1_000_000)
}

fn in_utc<'v>(at: &Value<'v>, part: Part) -> Outcome<'v> {
    with_offset(at, 0, part)
}

fn in_zone<'v>(at: &Value<'v>, zone: &Value<'v>, part: Part) -> Outcome<'v> {
    let Value::Timestamp(timestamp) = at else { return Err(Error::no_overload()) };
    let offset = offset(zone.as_str().unwrap_or(""), timestamp.seconds).map_err(Error::text)?;
    with_offset(at, offset, part)
}

fn with_offset<'v>(at: &Value<'v>, offset: i32, part: Part) -> Outcome<'v> {
    let Value::Timestamp(at) = at else { return Err(Error::no_overload()) };
    let time = Time { unix: at.seconds, nanoseconds: at.nanoseconds, offset, zone: Str::default() };
    Ok(Value::Int(part(&Moment { civil: time.civil(), nanoseconds: at.nanoseconds })))
}

/// The distance of a zone to UTC in seconds at a point in time.
// cel-go: standard.go inTimeZone; hours and minutes are not held to any range.
fn offset(zone: &str, at: i64) -> Result<i32, String> {
    let Some((hours, minutes)) = zone.split_once(':') else { return zones::offset(zone, at) };
    let number = |text: &str| go_text::atoi(text).map_err(|error| error.to_string());
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let total = hours.wrapping_mul(60).wrapping_add(minutes.wrapping_mul(sign)).wrapping_mul(60);
    i32::try_from(total).map_err(|_| format!("unknown time zone {zone}"))
}

/// All of a duration in a unit of so many nanoseconds.
fn total<'v>(duration: &Value<'v>, unit: i64) -> Outcome<'v> {
    match duration {
        Value::Duration(nanoseconds) => Ok(Value::Int(nanoseconds / unit)),
        _ => Err(Error::no_overload()),
    }
}
