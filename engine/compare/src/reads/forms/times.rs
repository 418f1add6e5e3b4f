//! Parts of times, durations, versions, URLs and networks.

use super::Form;
use engine::value::duration::Duration;
use engine::value::time::Time;
use engine_json::Value;

/// The first second of 2026, a year that begins on a Thursday.
const YEAR: i64 = 1_767_225_600;
const DAY: i64 = 86_400;
const HOUR: i64 = 3_600;

/// What becomes the result.
pub(super) fn before(form: &Form, result: &Value) -> Vec<Value> {
    let texts = match (result.as_str(), result.as_i64()) {
        (Some(text), _) => of_text(form, text),
        (None, Some(number)) => of_number(form, number),
        (None, None) => Vec::new(),
    };
    texts.into_iter().map(Value::from).collect()
}

/// Times at so many seconds after the beginning of 2026.
fn at(seconds: &[i64]) -> Vec<String> {
    seconds.iter().map(|seconds| Time::from_unix(YEAR + seconds, 0).to_rfc3339()).collect()
}

fn of_number(form: &Form, number: i64) -> Vec<String> {
    if !(-10_000..=10_000).contains(&number) {
        return Vec::new();
    }
    let unit = |letter: &str| [number - 1, number, number + 1].map(|count| format!("{count}{letter}"));
    match form.function.as_str() {
        "getFullYear" => [number, number + 1].map(|year| format!("{year:04}-01-01T00:00:00Z")).to_vec(),
        "getMonth" => {
            let months = [number + 1, number + 2].into_iter().filter(|month| (1..=12).contains(month));
            months.map(|month| format!("2026-{month:02}-01T00:00:00Z")).collect()
        }
        "getDate" => at(&[(number - 1) * DAY, number * DAY]),
        "getDayOfMonth" | "getDayOfYear" => at(&[number * DAY, (number + 1) * DAY]),
        // The fourth was a Sunday.
        "getDayOfWeek" => at(&[(number + 3) * DAY, (number + 4) * DAY]),
        "getHours" => {
            let mut found = at(&[number * HOUR, (number + 1) * HOUR]);
            found.extend(unit("h"));
            found
        }
        "getMinutes" => {
            let mut found = at(&[number * 60, (number + 1) * 60]);
            found.extend(unit("m"));
            found
        }
        "getSeconds" => {
            let mut found = at(&[number, number + 1]);
            found.extend(unit("s"));
            found
        }
        "getMilliseconds" => {
            let part = number.clamp(0, 999);
            let mut found = vec![format!("2026-01-01T00:00:00.{part:03}Z"), format!("0.{part:03}s")];
            found.extend(unit("ms"));
            found
        }
        "major" => [number, number + 1].map(|part| format!("{part}.0.0")).to_vec(),
        "minor" => [number, number + 1].map(|part| format!("1.{part}.0")).to_vec(),
        "patch" => [number, number + 1].map(|part| format!("1.0.{part}")).to_vec(),
        "prefixLength" => [number, number + 1].map(|bits| format!("10.0.0.0/{bits}")).to_vec(),
        "family" => vec!["10.0.0.1".to_owned(), "::1".to_owned(), "10.0.0.0/8".to_owned(), "::/0".to_owned()],
        _ => Vec::new(),
    }
}

fn of_text(form: &Form, text: &str) -> Vec<String> {
    match form.function.as_str() {
        "getHost" | "getHostname" => {
            vec![format!("https://{text}/x"), format!("https://{text}:8443/x"), format!("https://x.{text}/x")]
        }
        "getPort" => vec![format!("https://x:{text}/x"), "https://x/x".to_owned()],
        "getScheme" => vec![format!("{text}://x/x")],
        "getEscapedPath" => {
            let path = text.trim_start_matches('/');
            vec![format!("https://x/{path}"), format!("/{path}"), format!("https://x/{path}?x=y")]
        }
        "getQuery" => vec![format!("https://x/x?{text}=x"), format!("https://x/x?x={text}")],
        "masked" | "ip" => vec![format!("{text}/8"), format!("{text}/24"), format!("{text}/32")],
        "time_add" => of_sum(form, text),
        "time_truncate" | "time.truncate" | "time_utc" => {
            let moved = |seconds: i64| {
                let time = Time::parse_rfc3339(text).ok()?;
                Some(time.plus(Duration::from_seconds(seconds)).to_rfc3339())
            };
            [30, 1800, HOUR].into_iter().filter_map(moved).collect()
        }
        "time_parse" => {
            let formatted = |layout: &str| Some(Time::parse_rfc3339(text).ok()?.format(layout));
            form.text(0).and_then(formatted).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// The time to which a duration is added.
fn of_sum(form: &Form, text: &str) -> Vec<String> {
    let (Ok(time), Some(by)) = (Time::parse_rfc3339(text), form.text(0)) else { return Vec::new() };
    let Ok(by) = Duration::parse(by) else { return Vec::new() };
    vec![time.plus(Duration::from_seconds(0).minus(by)).to_rfc3339()]
}
