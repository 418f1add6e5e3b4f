//! Time zones by name, with the rules in force today.
//!
//! In: `Europe/Berlin` and a point in time. Out: the distance to UTC. The original reads the whole database of the host,
//! with its history; here are the zones of the world's larger places by the rules they follow since 2008, in 3 kB. Other
//! names are unknown.

use engine_values::time::Time;

/// When summer time is kept.
#[derive(Clone, Copy)]
enum Summer {
    /// Never.
    None,
    /// From the second Sunday of March to the first of November, at two o'clock.
    America,
    /// From the last Sunday of March to the last of October, at one o'clock in UTC.
    Europe,
    /// From the first Sunday of October to the first of April, at two o'clock.
    Australia,
    /// From the last Sunday of September to the first of April, at two o'clock.
    NewZealand,
}

/// Minutes east of UTC, when summer time is kept, and the names.
const ZONES: &[(i32, Summer, &[&str])] = &[
    (
        0,
        Summer::None,
        &[
            "",
            "UTC",
            "Local",
            "GMT",
            "Etc/UTC",
            "Etc/GMT",
            "Zulu",
            "Africa/Abidjan",
            "Africa/Accra",
            "Atlantic/Reykjavik",
        ],
    ),
    (0, Summer::Europe, &["Europe/London", "Europe/Dublin", "Europe/Lisbon", "GB", "WET", "Atlantic/Canary"]),
    (
        60,
        Summer::Europe,
        &[
            "Europe/Berlin",
            "Europe/Paris",
            "Europe/Madrid",
            "Europe/Rome",
            "Europe/Vienna",
            "Europe/Zurich",
            "Europe/Amsterdam",
            "Europe/Brussels",
            "Europe/Stockholm",
            "Europe/Oslo",
            "Europe/Copenhagen",
            "Europe/Prague",
            "Europe/Warsaw",
            "Europe/Budapest",
            "Europe/Belgrade",
            "Europe/Luxembourg",
            "CET",
            "MET",
        ],
    ),
    (60, Summer::None, &["Africa/Lagos", "Africa/Algiers", "Africa/Tunis"]),
    (
        120,
        Summer::Europe,
        &[
            "Europe/Athens",
            "Europe/Helsinki",
            "Europe/Kiev",
            "Europe/Kyiv",
            "Europe/Bucharest",
            "Europe/Sofia",
            "Europe/Riga",
            "Europe/Vilnius",
            "Europe/Tallinn",
            "EET",
        ],
    ),
    (120, Summer::None, &["Africa/Johannesburg", "Africa/Maputo", "Africa/Tripoli"]),
    (
        180,
        Summer::None,
        &["Europe/Istanbul", "Europe/Moscow", "Africa/Nairobi", "Asia/Baghdad", "Asia/Riyadh", "Turkey"],
    ),
    (210, Summer::None, &["Asia/Tehran"]),
    (240, Summer::None, &["Asia/Dubai", "Asia/Baku"]),
    (270, Summer::None, &["Asia/Kabul"]),
    (300, Summer::None, &["Asia/Karachi", "Asia/Tashkent"]),
    (330, Summer::None, &["Asia/Kolkata", "Asia/Calcutta", "Asia/Colombo"]),
    (345, Summer::None, &["Asia/Kathmandu", "Asia/Katmandu"]),
    (360, Summer::None, &["Asia/Dhaka"]),
    (390, Summer::None, &["Asia/Yangon", "Asia/Rangoon"]),
    (420, Summer::None, &["Asia/Bangkok", "Asia/Jakarta", "Asia/Ho_Chi_Minh"]),
    (
        480,
        Summer::None,
        &[
            "Asia/Shanghai",
            "Asia/Hong_Kong",
            "Asia/Singapore",
            "Asia/Taipei",
            "Asia/Manila",
            "Asia/Kuala_Lumpur",
            "Australia/Perth",
            "PRC",
            "Singapore",
            "Hongkong",
        ],
    ),
    (540, Summer::None, &["Asia/Tokyo", "Asia/Seoul", "Japan", "ROK"]),
    (570, Summer::None, &["Australia/Darwin"]),
    (570, Summer::Australia, &["Australia/Adelaide"]),
    (600, Summer::None, &["Australia/Brisbane", "Pacific/Guam"]),
    (
        600,
        Summer::Australia,
        &["Australia/Sydney", "Australia/Melbourne", "Australia/Hobart", "Australia/Canberra"],
    ),
    (720, Summer::NewZealand, &["Pacific/Auckland", "NZ"]),
    (
        -180,
        Summer::None,
        &["America/Sao_Paulo", "America/Argentina/Buenos_Aires", "America/Buenos_Aires", "Brazil/East"],
    ),
    (-210, Summer::America, &["America/St_Johns", "Canada/Newfoundland"]),
    (-240, Summer::America, &["America/Halifax", "Canada/Atlantic"]),
    (-240, Summer::None, &["America/Caracas", "America/La_Paz", "America/Puerto_Rico"]),
    (
        -300,
        Summer::America,
        &[
            "America/New_York",
            "America/Toronto",
            "America/Detroit",
            "US/Eastern",
            "Canada/Eastern",
            "EST5EDT",
        ],
    ),
    (-300, Summer::None, &["EST", "America/Bogota", "America/Lima", "America/Panama", "America/Jamaica"]),
    (
        -360,
        Summer::America,
        &["America/Chicago", "US/Central", "Canada/Central", "America/Winnipeg", "CST6CDT"],
    ),
    (-360, Summer::None, &["America/Mexico_City", "America/Costa_Rica", "America/Guatemala"]),
    (
        -420,
        Summer::America,
        &["America/Denver", "America/Edmonton", "US/Mountain", "Canada/Mountain", "MST7MDT"],
    ),
    (-420, Summer::None, &["America/Phoenix", "US/Arizona", "MST"]),
    (
        -480,
        Summer::America,
        &["America/Los_Angeles", "America/Vancouver", "US/Pacific", "Canada/Pacific", "PST8PDT"],
    ),
    (-540, Summer::America, &["America/Anchorage", "US/Alaska"]),
    (-600, Summer::None, &["Pacific/Honolulu", "US/Hawaii", "HST"]),
];

/// The distance of a zone to UTC in seconds.
///
/// # Errors
/// Nobody knows the zone, in Go's words.
pub(super) fn offset(zone: &str, at: i64) -> Result<i32, String> {
    let is_named = |names: &&[&str]| names.contains(&zone);
    if let Some((minutes, summer, _)) = ZONES.iter().find(|(_, _, names)| is_named(names)) {
        let standard = minutes * 60;
        return Ok(if is_summer(*summer, standard, at) { standard + 3600 } else { standard });
    }
    if let Some(hours) = zone.strip_prefix("Etc/GMT").and_then(|hours| hours.parse::<i32>().ok())
        && (-14..=12).contains(&hours)
    {
        return Ok(-hours * 3600);
    }
    // Go: zoneinfo.go containsDotDot.
    if zone.contains("..") || zone.starts_with(['/', '\\']) {
        return Err("time: invalid location name".to_owned());
    }
    Err(format!("unknown time zone {zone}"))
}

fn is_summer(summer: Summer, standard: i32, at: i64) -> bool {
    const DAY: i64 = 86_400;
    let local = at + i64::from(standard);
    let year = Time::from_unix(local, 0).civil().year;
    // The n-th Sunday of a month, or the last where n is 0, at so many hours of standard time.
    let sunday = |month: u8, n: i64, hours: i64| {
        let first = first_of(year, if n == 0 { month + 1 } else { month });
        // 1 January 1970 was a Thursday.
        let weekday = (first + 4).rem_euclid(7);
        let to_sunday = (7 - weekday).rem_euclid(7);
        let day =
            if n == 0 { first - 1 - (weekday + 6).rem_euclid(7) } else { first + to_sunday + 7 * (n - 1) };
        day * DAY + hours * 3600
    };
    let utc_one = 1 + i64::from(standard / 3600);
    match summer {
        Summer::None => false,
        Summer::America => (sunday(3, 2, 2)..sunday(11, 1, 1)).contains(&local),
        Summer::Europe => (sunday(3, 0, utc_one)..sunday(10, 0, utc_one)).contains(&local),
        Summer::Australia => !(sunday(4, 1, 2)..sunday(10, 1, 2)).contains(&local),
        Summer::NewZealand => !(sunday(4, 1, 2)..sunday(9, 0, 2)).contains(&local),
    }
}

/// Days from 1 January 1970 to the first of a month.
fn first_of(year: i64, month: u8) -> i64 {
    let (year, month) = if month > 12 { (year + 1, month - 12) } else { (year, month) };
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let of_era = shifted.rem_euclid(400);
    let day_of_year = (153 * i64::from((month + 9) % 12) + 2) / 5;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + day_of_year - 719_468
}
