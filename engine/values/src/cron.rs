//! Schedules in cron's form.
//!
//! In: `*/5 * * * *`, `0 2 * * mon-fri`, `@daily`. Out: the moments at which it is due, in UTC. `30 4 1 * sun` is due on
//! the first of a month and on every Sunday: where both kinds of days are named, one of them is enough.
//! Mirrors: github.com/robfig/cron `ParseStandard`, which decides what a cluster accepts, and
//! github.com/aptible/supercronic/cronexpr, which decides when it is due.

use super::time::Time;

/// How many days are looked at for the next moment: `0 0 29 2 *` may take eight years.
const MAX_DAYS: i64 = 366 * 30;
const SECONDS_PER_DAY: i64 = 86_400;

const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: &[&str] = &["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// The names that stand for a schedule.
const NAMED: &[(&str, &str)] = &[
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
    ("@monthly", "0 0 1 * *"),
    ("@weekly", "0 0 * * 0"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@hourly", "0 * * * *"),
];

/// Values from 0 to 63 that a field takes, and whether it takes any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Field {
    values: u64,
    is_any: bool,
}

impl Field {
    fn has(self, value: u8) -> bool {
        self.values >> value & 1 == 1
    }
}

/// A schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cron {
    minute: Field,
    hour: Field,
    day: Field,
    month: Field,
    weekday: Field,
}

impl Cron {
    /// Reads a schedule; the reason where it is none.
    pub fn parse(text: &str) -> Result<Cron, String> {
        let text = text.trim();
        let named = NAMED.iter().find(|(name, _)| *name == text).map(|(_, schedule)| *schedule);
        if named.is_none() && text.starts_with('@') {
            return Err(format!("`{text}` is not a name of a schedule"));
        }
        let fields: Vec<&str> = named.unwrap_or(text).split_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields.as_slice() else {
            return Err(format!("a schedule has 5 fields, this one has {}", fields.len()));
        };
        Ok(Cron {
            minute: field(minute, (0, 59), &[])?,
            hour: field(hour, (0, 23), &[])?,
            day: field(day, (1, 31), &[])?,
            month: field(month, (1, 12), MONTHS)?,
            weekday: field(weekday, (0, 6), DAYS)?,
        })
    }

    /// The first moment after this one (seconds since 1970) at which the schedule is due; `None` where there is none for
    /// thirty years.
    pub fn next(&self, after: i64) -> Option<i64> {
        let first = (after.div_euclid(60) + 1).checked_mul(60)?;
        let mut midnight = first.div_euclid(SECONDS_PER_DAY) * SECONDS_PER_DAY;
        let mut from = first - midnight;
        for _ in 0..MAX_DAYS {
            if self.is_day(midnight)
                && let Some(second) = self.moment(from)
            {
                return midnight.checked_add(second);
            }
            midnight = midnight.checked_add(SECONDS_PER_DAY)?;
            from = 0;
        }
        None
    }

    fn is_day(&self, midnight: i64) -> bool {
        let date = Time::from_unix(midnight, 0).civil();
        let (day, weekday) = (self.day.has(date.day), self.weekday.has(date.weekday));
        let fits = match (self.day.is_any, self.weekday.is_any) {
            (false, false) => day || weekday,
            _ => day && weekday,
        };
        fits && self.month.has(date.month)
    }

    /// The first due second of a day from this one on.
    fn moment(&self, from: i64) -> Option<i64> {
        let due = |minute: &i64| {
            let part = |value: i64| u8::try_from(value).unwrap_or(u8::MAX).min(63);
            self.hour.has(part(minute / 60)) && self.minute.has(part(minute % 60))
        };
        (from / 60..24 * 60).find(due).map(|minute| minute * 60)
    }
}

fn field(text: &str, (least, most): (u8, u8), names: &[&str]) -> Result<Field, String> {
    let mut found = Field { values: 0, is_any: false };
    for part in text.split(',') {
        let (range, step) = match part.split_once('/') {
            None => (part, None),
            Some((range, step)) => (range, Some(number(step, &[], 0)?)),
        };
        let is_any = matches!(range, "*" | "?");
        let (from, to) = match range.split_once('-') {
            _ if is_any => (least, most),
            Some((from, to)) => (number(from, names, least)?, number(to, names, least)?),
            None => {
                let only = number(range, names, least)?;
                (only, if step.is_some() { most } else { only })
            }
        };
        if from < least || to > most || from > to {
            return Err(format!("`{part}` lies outside of {least} to {most}"));
        }
        let step = step.unwrap_or(1);
        if step == 0 {
            return Err(format!("`{part}` takes steps of 0"));
        }
        (from..=to).step_by(usize::from(step)).for_each(|value| found.values |= 1 << value);
        found.is_any |= is_any && step == 1;
    }
    Ok(found)
}

/// A number, or a name's place counted from the least value.
fn number(text: &str, names: &[&str], least: u8) -> Result<u8, String> {
    let lower = text.to_lowercase();
    if let Some(at) = names.iter().position(|name| *name == lower) {
        return Ok(least.saturating_add(u8::try_from(at).unwrap_or(u8::MAX)));
    }
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}
