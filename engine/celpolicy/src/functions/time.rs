//! Now, and times rounded and written (Kyverno: `libs/time`).

use super::{one, outside, two};
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host, Overload, Run};
use engine_cel::value::{Timestamp, Value};
use engine_values::duration::Duration;
use engine_values::time::Time;

/// The rows.
pub const ROWS: &[Function] = &[
    Function {
        name: "time.now",
        overloads: &[Overload::new("time_now", "() -> timestamp").run(Run::Zero(now))],
        note: "Now, as the host says.",
        examples: &[("time.now() > timestamp('1969-01-01T00:00:00Z')", "true")],
    },
    Function {
        name: "time.truncate",
        overloads: &[two("time_truncate", "(timestamp, duration) -> timestamp", truncate)],
        note: "The time rounded down to a multiple of a duration.",
        examples: &[(
            "time.truncate(timestamp('2024-02-29T12:30:45Z'), duration('1h'))",
            "\"2024-02-29T12:00:00Z\"",
        )],
    },
    Function {
        name: "time.toCron",
        overloads: &[one("time_to_cron", "(timestamp) -> string", to_cron)],
        note: "The time as a schedule: minute, hour, day, month and day of the week.",
        examples: &[("time.toCron(timestamp('2024-02-29T12:30:45Z'))", "\"30 12 29 2 4\"")],
    },
];

fn time(value: &Value<'_>) -> Result<Time, Box<Error>> {
    let Value::Timestamp(Timestamp { seconds, nanoseconds, offset }) = *value else {
        return Err(Error::no_overload());
    };
    let zone = engine_json::Str::default();
    Ok(Time { unix: seconds, nanoseconds, offset, zone })
}

fn now(host: &mut Host<'_>) -> Outcome<'static> {
    outside::now(host)
}

fn truncate<'v>(_: &mut Host<'_>, at: Value<'v>, step: Value<'v>) -> Outcome<'v> {
    let Value::Duration(step) = step else { return Err(Error::no_overload()) };
    let Time { unix, nanoseconds, offset, zone: _ } = time(&at)?.truncate(Duration(step));
    Ok(Value::Timestamp(Timestamp { seconds: unix, nanoseconds, offset }))
}

fn to_cron<'v>(_: &mut Host<'_>, at: Value<'v>) -> Outcome<'v> {
    let at = time(&at)?.civil();
    let cron = format!("{} {} {} {} {}", at.minute, at.hour, at.day, at.month, at.weekday);
    Ok(Value::text(&cron))
}
