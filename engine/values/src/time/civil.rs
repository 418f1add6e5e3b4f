//! The calendar: seconds since 1970 to date and time of day, and back.
//!
//! In: an instant and an offset. Out: year, month, day, weekday, hour, minute, second in the Gregorian calendar,
//! carried on before its beginning. Second 0 is Thursday, 1 January 1970.
//!
//! Mirrors: Go's `time` (time.go `absDays`, `Date`).

const SECONDS_PER_DAY: i64 = 86_400;
/// Days from 1 March of year 0 to 1 January 1970.
const MARCH_0_TO_1970: i64 = 719_468;
/// Days of 400 years.
const DAYS_PER_ERA: i64 = 146_097;

/// How many seconds before 1970 Go's calendar begins; what lies before it wraps around 64 bits.
// Go: time.go absoluteYears = 292277022400, and the 306 days from March to December.
const CALENDAR_BEGIN: i128 = (292_277_022_400 / 400 * 146_097 + 306) * 86_400 + 62_135_596_800;

/// A date and a time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    /// The year; 0 is the one before 1.
    pub year: i64,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
    /// 1 to 366.
    pub year_day: u16,
    /// 0 is Sunday.
    pub weekday: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
}

impl Civil {
    pub(super) fn of(unix: i64, offset: i32) -> Civil {
        let seconds = i128::from(unix) + i128::from(offset);
        let seconds = (seconds + CALENDAR_BEGIN).rem_euclid(1 << 64) - CALENDAR_BEGIN;
        let per_day = i128::from(SECONDS_PER_DAY);
        // Whole days of 64-bit seconds fit 64 bits with room to spare.
        let days = i64::try_from(seconds.div_euclid(per_day)).unwrap_or(0);
        let second = small(i64::try_from(seconds.rem_euclid(per_day)).unwrap_or(0));
        let shifted = days + MARCH_0_TO_1970;
        let (era, day_of_era) = (shifted.div_euclid(DAYS_PER_ERA), shifted.rem_euclid(DAYS_PER_ERA));
        // Every fourth year has a day more, but the last year of three centuries of four has not.
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        // The year begins in March here, so that the leap day is its last.
        let march_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * march_month + 2) / 5 + 1;
        let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let year_day = days - days_from_1970(year, 1, 1) + 1;
        Civil {
            year,
            month: byte(month),
            day: byte(day),
            year_day: u16::try_from(year_day).unwrap_or(0),
            weekday: byte((days + 4).rem_euclid(7)),
            hour: byte(i64::from(second / 3600)),
            minute: byte(i64::from(second / 60 % 60)),
            second: byte(i64::from(second % 60)),
        }
    }
}

fn byte(value: i64) -> u8 {
    u8::try_from(value).unwrap_or(0)
}

fn small(value: i64) -> u32 {
    u32::try_from(value).unwrap_or(0)
}

/// Days from 1 January 1970 to a date, whose month is from 1 to 12.
pub(super) fn days_from_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let march_month = (month + 9) % 12;
    let day_of_year = (153 * march_month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * DAYS_PER_ERA + day_of_era - MARCH_0_TO_1970
}

/// How many days a month has.
pub(super) fn days_in(month: i64, year: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

pub(super) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}
