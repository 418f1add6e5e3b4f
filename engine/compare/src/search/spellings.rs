//! Other spellings of a value, and the values just beside it.
//!
//! In: a constant that Kyverno, Kubernetes or CEL may read as a quantity, a duration, a number, a version, a time, an address or a network.
//! Out: texts of the same value written otherwise, and of the nearest values on both sides. Example: of `1Gi` come `1024Mi`, `1073741824`,
//! `1023Mi` and `1025Mi`; of `10.0.0.0/8` its first and last address and the two beside them.
//! Kyverno reads text as a duration, then as a quantity, wherever two values are held against each other (pkg/engine/pattern,
//! pkg/engine/variables/operator).

use engine::value::duration::Duration;
use engine::value::network::address::Address;
use engine::value::network::prefix::Prefix;
use engine::value::quantity::Quantity;
use engine::value::time::Time;

/// Suffixes of quantities that are a power of ten, with the exponent over a nano.
const DECIMAL: [(&str, u32); 10] =
    [("n", 0), ("u", 3), ("m", 6), ("", 9), ("k", 12), ("M", 15), ("G", 18), ("T", 21), ("P", 24), ("E", 27)];
/// Suffixes that are a power of 1024.
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
/// How many digits a number has at most that is written otherwise.
const MAX_DIGITS: usize = 15;
const NANO: i128 = 1_000_000_000;
const NANOS_A_SECOND: i64 = 1_000_000_000;

/// The texts to try for a constant that may be read as a value.
pub(crate) fn spellings(text: &str) -> Vec<String> {
    let mut found = of_quantity(text);
    found.extend(of_duration(text));
    found.extend(of_number(text));
    found.extend(of_version(text));
    found.extend(of_time(text));
    found.extend(of_network(text));
    found.retain(|near| near != text);
    found
}

/// The whole numbers that a text may be read as: the value of a quantity, the seconds of a duration.
pub(crate) fn whole(text: &str) -> Vec<i64> {
    let quantity = Quantity::parse(text).ok().filter(|_| text.len() <= MAX_DIGITS);
    let quantity = quantity.map(|quantity| quantity.value());
    let duration = Duration::parse(text).ok().map(|duration| duration.0 / NANOS_A_SECOND);
    quantity.into_iter().chain(duration).filter(|number| *number < i64::MAX).collect()
}

/// A quantity in nanos, with its suffix.
pub(crate) fn nanos(text: &str) -> Option<(i128, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+')))?;
    nanos_at(text, end)
}

fn nanos_at(text: &str, end: usize) -> Option<(i128, &str)> {
    let (number, suffix) = text.split_at_checked(end)?;
    let factor = factor(suffix)?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{fraction}");
    if digits.len() > MAX_DIGITS || Quantity::parse(text).is_err() {
        return None;
    }
    let digits: i128 = digits.parse().ok()?;
    let value = digits.checked_mul(factor)?;
    let divisor = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    (value % divisor == 0).then_some((value / divisor, suffix))
}

/// A quantity in nanos, whether it has a suffix or not.
pub(crate) fn amount(text: &str) -> Option<(i128, &str)> {
    nanos(text).or_else(|| nanos_at(text, text.len()))
}

/// How many nanos a suffix stands for.
fn factor(suffix: &str) -> Option<i128> {
    if let Some((_, exponent)) = DECIMAL.iter().find(|(known, _)| *known == suffix) {
        return Some(10_i128.pow(*exponent));
    }
    let power = BINARY.iter().position(|known| *known == suffix)?;
    NANO.checked_mul(1024_i128.checked_pow(u32::try_from(power).ok()?)?)
}

/// So many nanos with a suffix; nothing where the number has no end.
pub(crate) fn written(nanos: i128, suffix: &str) -> Option<String> {
    let factor = factor(suffix)?;
    let (whole, rest) = (nanos / factor, (nanos % factor).unsigned_abs());
    let sign = if nanos < 0 && whole == 0 { "-" } else { "" };
    if rest == 0 {
        return Some(format!("{whole}{suffix}"));
    }
    // Of powers of 1024 few have a short fraction.
    let scaled = rest.checked_mul(NANO.unsigned_abs())?;
    if scaled % factor.unsigned_abs() != 0 {
        return None;
    }
    let fraction = format!("{:09}", scaled / factor.unsigned_abs());
    Some(format!("{sign}{whole}.{}{suffix}", fraction.trim_end_matches('0')))
}

/// The next smaller suffix of the same family.
fn finer(suffix: &str) -> Option<&'static str> {
    if suffix.ends_with('i') {
        let at = BINARY.iter().position(|known| *known == suffix)?;
        return BINARY.get(at.checked_sub(1)?).copied();
    }
    let at = DECIMAL.iter().position(|(known, _)| *known == suffix)?;
    DECIMAL.get(at.checked_sub(1)?).map(|(suffix, _)| *suffix)
}

fn of_quantity(text: &str) -> Vec<String> {
    let Some((value, suffix)) = amount(text) else { return Vec::new() };
    let mut found = Vec::new();
    if let Some(finer) = finer(suffix)
        && let Some(step) = factor(finer)
    {
        found.extend(written(value, finer));
        found.extend([value + step, value - step].iter().filter_map(|near| written(*near, finer)));
    }
    if !suffix.is_empty() {
        found.extend(written(value, ""));
    }
    found
}

fn of_duration(text: &str) -> Vec<String> {
    let Some(duration) = Duration::parse(text).ok().filter(|_| text.len() <= MAX_DIGITS) else {
        return Vec::new();
    };
    let seconds = duration.0 / NANOS_A_SECOND;
    if duration.0 % NANOS_A_SECOND != 0 || seconds.abs() > i64::from(i32::MAX) {
        return Vec::new();
    }
    let units = [("h", 3600), ("m", 60), ("s", 1), ("ms", 0)];
    let in_unit = |(unit, size): (&str, i64)| match size {
        0 => Some(format!("{}{unit}", seconds * 1000)),
        size => (seconds % size == 0).then(|| format!("{}{unit}", seconds / size)),
    };
    let mut found: Vec<String> =
        units.into_iter().filter_map(in_unit).filter(|other| other != text).take(2).collect();
    found.extend([seconds + 1, seconds - 1].map(|near| format!("{near}s")));
    // Operators of durations take a number without a unit for seconds, others for an amount.
    found.push((seconds + 1).to_string());
    found
}

/// The same number with a fraction, without one, with an exponent; a number that is a duration or a truth in other words.
fn of_number(text: &str) -> Vec<String> {
    if matches!(text, "true" | "false") {
        let mut first = text.chars();
        let capital = first.next().map(|c| format!("{}{}", c.to_ascii_uppercase(), first.as_str()));
        return capital.into_iter().collect();
    }
    let is_plain = text.trim_start_matches('-').chars().all(|c| c.is_ascii_digit() || c == '.');
    if !is_plain || text.parse::<f64>().is_err() || text.len() > MAX_DIGITS {
        return Vec::new();
    }
    let mut found = match text.split_once('.') {
        Some((whole, fraction)) if fraction.chars().all(|c| c == '0') => {
            vec![whole.to_owned(), format!("{text}0")]
        }
        Some((whole, _)) => {
            let next = whole.parse::<i64>().unwrap_or(0).saturating_add(1);
            vec![whole.to_owned(), next.to_string(), format!("{text}0")]
        }
        None => vec![format!("{text}.0"), format!("{text}e0")],
    };
    if text.parse::<f64>().is_ok_and(|number| number == 0.0) {
        found.extend(["0s".to_owned(), "0h".to_owned()]);
    }
    found
}

/// The version before and after, one before its release, and one that names its build.
fn of_version(text: &str) -> Vec<String> {
    let bare = text.trim_start_matches('v');
    let numbers: Option<Vec<u64>> = bare.split('.').map(|part| part.parse().ok()).collect();
    let Some([major, minor, patch]) = numbers.as_deref() else { return Vec::new() };
    let begin = format!("{major}.{minor}");
    let mut found = vec![
        format!("{begin}.{}", patch.saturating_add(1)),
        format!("{major}.{}.0", minor.saturating_add(1)),
        format!("{}.0.0", major.saturating_add(1)),
        format!("{bare}-a"),
        format!("{bare}+a"),
    ];
    found.extend(patch.checked_sub(1).map(|patch| format!("{begin}.{patch}")));
    found.push(if bare == text { format!("v{bare}") } else { bare.to_owned() });
    found
}

/// A second before and after, and the same time in another zone.
fn of_time(text: &str) -> Vec<String> {
    let Ok(time) = Time::parse_rfc3339(text) else { return Vec::new() };
    let moved = |seconds| time.plus(Duration::from_seconds(seconds)).to_rfc3339();
    let mut found = vec![moved(1), moved(-1)];
    // The hands of the clock in a zone two hours east.
    let there = time.utc().plus(Duration::from_seconds(2 * 3600)).to_rfc3339();
    found.extend(there.strip_suffix('Z').map(|there| format!("{there}+02:00")));
    found
}

/// The addresses at both ends of a network and those beside them; the addresses beside one, one of the other family.
fn of_network(text: &str) -> Vec<String> {
    if let Some((address, length)) = text.split_once('/') {
        let (Ok(address), Ok(length), Ok(_)) =
            (Address::parse(address), length.parse::<u32>(), Prefix::parse(text))
        else {
            return Vec::new();
        };
        let (bits, width) = address.bits();
        let hosts = width.saturating_sub(length);
        let size = 1_u128.checked_shl(hosts).unwrap_or(0);
        let first = bits & !size.wrapping_sub(1);
        let last = first | size.wrapping_sub(1);
        let all = if width == 32 { u128::from(u32::MAX) } else { u128::MAX };
        let shown = |bits: u128| address.with_bits(bits & all).to_string();
        let network = |length: u32| format!("{}/{length}", shown(first));
        // Addresses and networks in turn, those that are twice and half as large: of many constants few neighbours are tried.
        let mut found = vec![
            shown(first),
            network(length.saturating_sub(1)),
            shown(last),
            network(length + 1),
            shown(last.wrapping_add(1)),
            shown(first.wrapping_sub(1)),
        ];
        if hosts == width {
            // All addresses of the other family.
            found.push(if width == 32 { "::/0".to_owned() } else { "0.0.0.0/0".to_owned() });
        }
        return found;
    }
    let Ok(address) = Address::parse(text) else { return Vec::new() };
    let (bits, width) = address.bits();
    let beside = [bits.wrapping_add(1), bits.wrapping_sub(1)].map(|near| address.with_bits(near).to_string());
    let mut found = Vec::new();
    if width == 128 {
        // The same with every group written, before others: of many constants few neighbours are tried.
        let groups = (0..8).rev().map(|at| format!("{:x}", (bits >> (16 * at)) & 0xffff));
        found.push(groups.collect::<Vec<_>>().join(":"));
    }
    found.extend(beside);
    let other = if width == 32 { "::1".to_owned() } else { "127.0.0.1".to_owned() };
    found.push(other);
    found
}

/// Addresses and networks that begin as a text does, and such that begin so but for a dot: of `10.` come `10.1.2.3` and `100.1.2.3`.
pub(crate) fn longer_addresses(begin: &str) -> Vec<String> {
    let octets: Vec<&str> = begin.split('.').collect();
    let [whole @ .., ""] = octets.as_slice() else { return Vec::new() };
    let are_octets = whole.iter().all(|octet| octet.parse::<u8>().is_ok());
    if !are_octets || whole.is_empty() || whole.len() > 3 {
        return Vec::new();
    }
    let bare = begin.trim_end_matches('.');
    let completed = |begin: &str| {
        let more = ["1", "2", "3"].into_iter().take(4 - whole.len()).collect::<Vec<_>>().join(".");
        format!("{begin}.{more}")
    };
    let all = [bare.to_owned(), format!("{bare}0")].map(|begin| completed(&begin));
    let read = all.into_iter().filter(|text| Address::parse(text).is_ok());
    read.flat_map(|address| [format!("{address}/32"), address]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_otherwise_and_have_neighbours() {
        let rows: [(&str, &[&str]); 14] = [
            ("1Gi", &["1024Mi", "1025Mi", "1023Mi", "1073741824"]),
            ("1.5Gi", &["1536Mi", "1537Mi"]),
            ("1", &["1000m", "1001m", "999m", "1.0"]),
            ("1000m", &["1", "1000000u"]),
            ("100m", &["0.1"]),
            ("1k", &["1000", "1001", "999"]),
            ("1h", &["60m", "3600s", "3601s", "3599s"]),
            ("60m", &["1h", "0.06"]),
            ("0", &["0.0", "0s", "0m"]),
            ("1.2.3", &["1.2.4", "1.2.2", "1.3.0", "v1.2.3"]),
            ("2026-01-01T00:00:00Z", &["2026-01-01T00:00:01Z", "2025-12-31T23:59:59Z"]),
            ("10.0.0.0/9", &["10.127.255.255", "10.128.0.0", "9.255.255.255"]),
            ("1.2.3.4", &["1.2.3.5", "::1"]),
            ("::1", &["0:0:0:0:0:0:0:1"]),
        ];
        for (text, wanted) in rows {
            let found = spellings(text);
            for near in wanted {
                assert!(found.iter().any(|text| text == near), "{text} -> {near}: {found:?}");
            }
        }
        assert_eq!(longer_addresses("10."), ["10.1.2.3/32", "10.1.2.3", "100.1.2.3/32", "100.1.2.3"]);
        assert_eq!(longer_addresses("192.168."), ["192.168.1.2/32", "192.168.1.2"]);
        assert!(
            ["10", "", ".", "1.2.3.4", "a.", "300."].iter().all(|text| longer_addresses(text).is_empty())
        );
        assert_eq!(whole("1Ki"), [1024]);
        assert_eq!(whole("1h"), [3600]);
    }
}
