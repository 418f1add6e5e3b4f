//! Schedules of CronJobs.
//!
//! In: a text. Out: whether it is one.
//! Mirrors: github.com/robfig/cron/v3: ParseStandard; k8s.io/kubernetes/pkg/apis/batch/validation: validateScheduleFormat

/// The least and the greatest number of each of the five fields: minutes, hours, days of a month, months, days of a week.
const FIELDS: [(u32, u32, &[&str]); 5] = [
    (0, 59, &[]),
    (0, 23, &[]),
    (1, 31, &[]),
    (1, 12, &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]),
    (0, 6, &["sun", "mon", "tue", "wed", "thu", "fri", "sat"]),
];

/// Words for a whole schedule.
const WORDS: [&str; 7] = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

/// Whether a CronJob may have this schedule; a zone stands in a field of its own.
pub(super) fn is_schedule(text: &str) -> bool {
    if let Some(duration) = text.strip_prefix("@every ") {
        return engine::value::Duration::parse(duration).is_ok();
    }
    if text.starts_with('@') {
        return WORDS.contains(&text);
    }
    let fields: Vec<&str> = text.split_whitespace().collect();
    fields.len() == FIELDS.len()
        && fields.iter().zip(FIELDS).all(|(field, (least, most, names))| {
            field.split(',').all(|range| is_range(range, least, most, names))
        })
}

/// `getRange`: a star, a number, or two of them, each with a step.
fn is_range(range: &str, least: u32, most: u32, names: &[&str]) -> bool {
    let (range, step) = range.split_once('/').map_or((range, None), |(range, step)| (range, Some(step)));
    let has_step = step.is_none_or(|step| step.parse::<u32>().is_ok_and(|step| step > 0));
    let number = |text: &str| {
        let named = names.iter().position(|name| text.eq_ignore_ascii_case(name));
        let named = named.and_then(|at| u32::try_from(at).ok()).map(|at| at + least);
        named.or_else(|| text.parse::<u32>().ok()).filter(|number| (least..=most).contains(number))
    };
    let is_it = match range.split_once('-') {
        _ if matches!(range, "*" | "?") => true,
        Some((from, to)) => number(from).zip(number(to)).is_some_and(|(from, to)| from <= to),
        None => number(range).is_some(),
    };
    is_it && has_step
}

#[cfg(test)]
mod tests {
    use super::is_schedule;

    #[test]
    fn schedules_are_those_of_cron() {
        for text in ["* * * * *", "*/5 0-6 1,15 jan-Mar MON", "@daily", "@every 1h30m", "0 0 ? * 6"] {
            assert!(is_schedule(text), "{text}");
        }
        for text in [
            "",
            "x",
            "* * * *",
            "60 * * * *",
            "* * 0 * *",
            "5-1 * * * *",
            "*/0 * * * *",
            "@never",
            "TZ=UTC * * * * *",
        ] {
            assert!(!is_schedule(text), "{text}");
        }
    }
}
