//! Days as they are written, `2026-12-01`, and as machines count them.
//!
//! In: a day, or seconds since 1970. Out: the other of them. A year begins in March here, so that the day that some years have more is its last.

/// Seconds of a day.
const DAY: u64 = 86_400;
/// Days from the first of March of the year 0 to 1970.
const BEFORE: u64 = 719_468;

/// Seconds from 1970 to a day.
pub(crate) fn seconds(day: &str) -> Option<u64> {
    let mut numbers = day.split('-').map(|part| part.parse::<u64>().ok());
    let (year, month, day) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let days =
        365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day.checked_sub(1)?;
    Some(days.checked_sub(BEFORE)? * DAY)
}

/// The day (UTC) of so many seconds since 1970.
pub(crate) fn day(seconds: u64) -> String {
    let days = seconds / DAY + BEFORE;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (year, shown) =
        (year + 400 * era + u64::from(month >= 10), if month < 10 { month + 3 } else { month - 9 });
    format!("{year}-{shown:02}-{:02}", day - (153 * month + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1970() {
        let rows = [
            ("1970-01-01", 0),
            ("2000-02-29", 951_782_400),
            ("2000-03-01", 951_868_800),
            ("2026-11-29", 1_795_910_400),
        ];
        for (shown, wanted) in rows {
            assert_eq!(seconds(shown), Some(wanted), "{shown}");
            assert_eq!(day(wanted), shown);
        }
        assert_eq!(seconds("Unreleased"), None);
    }
}
