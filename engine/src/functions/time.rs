//! Functions on points in time, most of them given and returned in RFC 3339.
//!
//! In: `time_add('2026-11-21T09:00:00Z', '36h')`. Out: `2026-11-22T21:00:00Z`. Now is what the host says, in UTC.
//!
//! Mirrors: pkg/engine/jmespath/time.go.

use super::arguments::text;
use crate::value::Duration;
use crate::value::go_text::parse_int;
use crate::value::time::{RFC3339, Time};
use engine_jmespath::{Arg, Argument, Call, EvalError, Function, Kind};
use engine_json::Value;

const ONE: &[Arg] = &[Arg::STRING];
const TWO: &[Arg] = &[Arg::STRING, Arg::STRING];
const THREE: &[Arg] = &[Arg::STRING, Arg::STRING, Arg::STRING];

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "time_since",
        args: THREE,
        returns: &[Kind::String],
        note: "the duration between two times written in a layout of Go's; now where the second is empty, RFC 3339 where the layout is",
        examples: &[
            ("time_since('', '2026-11-21T09:00:00Z', '2026-11-21T10:30:00Z')", "\"1h30m0s\""),
            ("time_since('2006-01-02', '2026-11-20', '2026-11-21')", "\"24h0m0s\""),
        ],
        run: time_since,
    },
    Function {
        name: "time_now",
        args: &[],
        returns: &[Kind::String],
        note: "now",
        examples: &[("time_now()", "\"1970-01-01T00:00:00Z\"")],
        run: |call, _| Ok(Value::from(now(call).to_rfc3339())),
    },
    Function {
        name: "time_now_utc",
        args: &[],
        returns: &[Kind::String],
        note: "now in UTC",
        examples: &[("time_now_utc()", "\"1970-01-01T00:00:00Z\"")],
        run: |call, _| Ok(Value::from(now(call).to_rfc3339())),
    },
    Function {
        name: "time_to_cron",
        args: ONE,
        returns: &[Kind::String],
        note: "the cron expression of the time: minute, hour, day, month, weekday",
        examples: &[("time_to_cron('2026-11-21T09:05:00Z')", "\"5 9 21 11 6\"")],
        run: time_to_cron,
    },
    Function {
        name: "time_add",
        args: TWO,
        returns: &[Kind::String],
        note: "the time this duration later",
        examples: &[("time_add('2026-11-21T09:00:00+01:00', '36h')", "\"2026-11-22T21:00:00+01:00\"")],
        run: |_, arguments| Ok(Value::from(time(arguments, 0)?.plus(duration(arguments, 1)?).to_rfc3339())),
    },
    Function {
        name: "time_parse",
        args: TWO,
        returns: &[Kind::String],
        note: "a time written in a layout of Go's; a whole number for the layout says that it is seconds since 1970",
        examples: &[
            ("time_parse('2006-01-02', '2026-11-21')", "\"2026-11-21T00:00:00Z\""),
            ("time_parse('1', '1700000000')", "\"2023-11-14T22:13:20Z\""),
        ],
        run: time_parse,
    },
    Function {
        name: "time_utc",
        args: ONE,
        returns: &[Kind::String],
        note: "the same time in UTC",
        examples: &[("time_utc('2026-11-21T09:00:00+01:00')", "\"2026-11-21T08:00:00Z\"")],
        run: |_, arguments| Ok(Value::from(time(arguments, 0)?.utc().to_rfc3339())),
    },
    Function {
        name: "time_diff",
        args: TWO,
        returns: &[Kind::String],
        note: "the duration from the first time to the second",
        examples: &[("time_diff('2026-11-21T09:00:00Z', '2026-11-21T08:59:30Z')", "\"-30s\"")],
        run: |_, arguments| {
            let from = time(arguments, 0)?;
            Ok(Value::from(time(arguments, 1)?.since(&from).to_string()))
        },
    },
    Function {
        name: "time_before",
        args: TWO,
        returns: &[Kind::Bool],
        note: "whether the first time is before the second",
        examples: &[("time_before('2026-11-21T09:00:00Z', '2026-11-21T10:00:00+02:00')", "false")],
        run: |_, arguments| Ok(Value::Bool(time(arguments, 0)? < time(arguments, 1)?)),
    },
    Function {
        name: "time_after",
        args: TWO,
        returns: &[Kind::Bool],
        note: "whether the first time is after the second",
        examples: &[("time_after('2026-11-21T09:00:00Z', '2026-11-21T10:00:00+02:00')", "true")],
        run: |_, arguments| Ok(Value::Bool(time(arguments, 0)? > time(arguments, 1)?)),
    },
    Function {
        name: "time_between",
        args: THREE,
        returns: &[Kind::Bool],
        note: "whether the first time is after the second and before the third",
        examples: &[(
            "time_between('2026-11-21T09:00:00Z', '2026-11-21T09:00:00Z', '2026-11-22T00:00:00Z')",
            "false",
        )],
        run: |_, arguments| {
            let (at, start, end) = (time(arguments, 0)?, time(arguments, 1)?, time(arguments, 2)?);
            Ok(Value::Bool(at > start && at < end))
        },
    },
    Function {
        name: "time_truncate",
        args: TWO,
        returns: &[Kind::String],
        note: "the time rounded down to a multiple of the duration",
        examples: &[("time_truncate('2026-11-21T09:17:42Z', '15m')", "\"2026-11-21T09:15:00Z\"")],
        run: |_, arguments| {
            Ok(Value::from(time(arguments, 0)?.truncate(duration(arguments, 1)?).to_rfc3339()))
        },
    },
];

fn now(call: &Call<'_, '_>) -> Time {
    let now = call.host().now();
    let nanoseconds = u32::try_from(now.rem_euclid(1_000_000_000)).unwrap_or(0);
    Time::from_unix(now.div_euclid(1_000_000_000), nanoseconds)
}

fn parse(layout: &str, text: &str) -> Result<Time, EvalError> {
    Time::parse(layout, text).map_err(|error| EvalError::other(error.to_string()))
}

fn time(arguments: &[Argument<'_>], at: usize) -> Result<Time, EvalError> {
    parse(RFC3339, text("time", arguments, at)?)
}

fn duration(arguments: &[Argument<'_>], at: usize) -> Result<Duration, EvalError> {
    Duration::parse(text("time", arguments, at)?).map_err(|error| EvalError::other(error.to_string()))
}

fn time_since(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let text = |at: usize| text("time_since", arguments, at);
    let layout = Some(text(0)?).filter(|layout| !layout.is_empty()).unwrap_or(RFC3339);
    call.charge(layout.len() / 4)?;
    let from = parse(layout, text(1)?)?;
    let to = match text(2)? {
        "" => now(call),
        to => parse(layout, to)?,
    };
    Ok(Value::from(to.since(&from).to_string()))
}

fn time_parse(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let (layout, text) = (text("time_parse", arguments, 0)?, text("time_parse", arguments, 1)?);
    call.charge(layout.len() / 4)?;
    let time = if parse_int(layout).is_ok() {
        let seconds = parse_int(text).map_err(|error| EvalError::other(error.to_string()))?;
        Time::from_unix(seconds, 0)
    } else {
        parse(layout, text)?
    };
    Ok(Value::from(time.to_rfc3339()))
}

fn time_to_cron(_: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let at = time(arguments, 0)?.civil();
    Ok(Value::from(format!("{} {} {} {} {}", at.minute, at.hour, at.day, at.month, at.weekday)))
}
