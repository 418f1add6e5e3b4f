//! Texts around a constant: those that meet what a policy asks with it, and their neighbours that do not.
//!
//! In: a constant as it stands in a policy: a text, a pattern with operators and wildcards, a regular expression, a quantity. Out:
//! texts to try. Example: of `>=100Mi` come `99Mi`, `100Mi` and `101Mi`.

use crate::search::spellings::{longer_addresses, spellings, whole};
use engine::value::duration::Duration;
use engine::value::quantity::Quantity;
use engine::value::wildcard::Wildcard;

/// Images in the forms that are often taken apart.
pub(crate) const IMAGES: [&str; 8] = [
    "nginx",
    "nginx:latest",
    "nginx:1.25",
    "docker.io/nginx:1.25",
    "localhost:5000/nginx",
    "localhost:5000/nginx:latest",
    "ghcr.io/team/app@sha256:0000000000000000000000000000000000000000000000000000000000000000",
    "ghcr.io/team/app:latest@sha256:0000000000000000000000000000000000000000000000000000000000000000",
];

/// An image by a digest of the other sort, for constants that ask for one.
const BY_SHA512: &str = "ghcr.io/team/app@sha512:00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000";

/// The same, where a constant is about digests.
pub(crate) fn other_digest(constants: &[&str]) -> Option<&'static str> {
    constants.iter().any(|text| text.contains('@') || text.contains("sha256")).then_some(BY_SHA512)
}

/// The operators of patterns.
const OPERATORS: [&str; 6] = [">=", "<=", "!", ">", "<", "="];
/// How many alternatives of one constant are looked at.
const MAX_PARTS: usize = 16;

/// The texts to try for a constant.
pub(crate) fn near(constant: &str) -> Vec<String> {
    let mut found = Vec::new();
    if constant.contains(['\\', '^', '$', '[', '(', '+']) {
        found.extend(crate::search::regex::sample(constant));
    }
    let parts = constant.split(['|', '&']).map(str::trim).take(MAX_PARTS);
    for part in parts.filter(|part| !part.is_empty()) {
        let bare = OPERATORS.iter().find_map(|operator| part.strip_prefix(operator)).unwrap_or(part).trim();
        let ends = range(bare);
        for bound in ends.into_iter().flatten() {
            found.push(bound.trim_start_matches('+').to_owned());
        }
        let bounds = ends.map_or_else(|| vec![bare], |ends| ends.to_vec());
        for bound in bounds {
            if let Some((number, unit)) = amount(bound) {
                found.extend([number - 1, number, number + 1].map(|near| format!("{near}{unit}")));
            }
        }
        of_text(bare, &mut found);
    }
    // As it stands: a wildcard may be meant as a character, an operator as a text, a space as one.
    if constant.contains(['|', '&', '*', '?', '!', '<', '>', '=']) || constant.trim() != constant {
        found.push(constant.to_owned());
    }
    found
}

/// The ends of a range: two quantities with a hyphen between them, or with `!-` where what lies outside is meant.
// Kyverno: pkg/engine/pattern: InRangeRegex, NotInRangeRegex.
fn range(text: &str) -> Option<[&str; 2]> {
    let is_quantity = |text: &str| Quantity::parse(text.trim()).is_ok();
    let cut = |at: usize| Some([text.get(..at)?.trim_end_matches('!'), text.get(at + 1..)?]);
    let hyphens = text.match_indices('-').map(|(at, _)| at).take(MAX_PARTS);
    hyphens.filter_map(cut).find(|ends| ends.iter().all(|end| is_quantity(end)))
}

fn of_text(bare: &str, found: &mut Vec<String>) {
    if bare.contains(['*', '?']) {
        let digits = bare.replace('*', "").replace('?', "1");
        let filled = [bare.replace('*', "").replace('?', "x"), bare.replace(['*', '?'], "x"), digits.clone()];
        let misses = [bare.replace(['*', '?'], ""), format!("x{}", bare.replace('*', "").replace('?', "x"))];
        let glob = Wildcard::new(bare);
        let misses = misses.into_iter().chain(["x".to_owned()]).filter(|text| !glob.matches(text));
        found.extend(filled.into_iter().chain(misses));
        // Longer than the text is, which an expression without an end forgets, and on two lines, where `.` meets none.
        found.extend([format!("{digits}0"), bare.replace('*', "x\nx").replace('?', "x")]);
        found.extend(longer_addresses(bare.trim_end_matches('*')));
        found.extend(amounts_like(bare));
        return;
    }
    found.push(bare.to_owned());
    // A value that can be written in several ways is asked for as a value, mostly.
    found.extend(spellings(bare));
    found.extend([format!("{bare}x"), format!("x{bare}"), format!("x{bare}x")]);
    found.extend(longer_addresses(bare));
    if let Some(part) = bare.chars().next().filter(|first| matches!(first, '.' | '/' | '-' | ':')) {
        // What ends so and has one part more.
        found.push(format!("x{part}x{bare}"));
    }
    if bare.starts_with('/') {
        // What lies below a folder.
        found.push(format!("{}/x", bare.trim_end_matches('/')));
    }
    let upper = bare.to_uppercase();
    if upper == bare {
        found.push(bare.to_lowercase());
    } else {
        found.push(upper);
    }
}

/// How many amounts are tried for a text with wildcards.
const MAX_AMOUNTS: usize = 4;

/// Quantities and durations that are like a text with wildcards: to an operator they are no text.
// Kyverno: pkg/engine/variables/operator/equal.go.
fn amounts_like(glob: &str) -> impl Iterator<Item = String> {
    let made = ["", "1", "m", "Gi", "1h", "h"].map(|run| glob.replace('*', run).replace('?', "1"));
    let is_amount = |text: &String| Quantity::parse(text).is_ok() || Duration::parse(text).is_ok();
    made.into_iter().filter(is_amount).take(MAX_AMOUNTS)
}

/// Texts of a length, and of one more, that begin or end as a plain constant does: how long a text is may count beside what it begins with.
pub(crate) fn of_length(constant: &str, length: usize) -> Vec<String> {
    let is_plain = !constant.is_empty() && !constant.contains(['*', '?', '\\', '^', '$', '[', '(', '|']);
    let missing = length.checked_sub(constant.len()).filter(|missing| is_plain && *missing > 0);
    let filled = |missing: usize| {
        let filler = "x".repeat(missing);
        [format!("{constant}{filler}"), format!("{filler}{constant}")]
    };
    missing.into_iter().flat_map(|missing| [missing, missing + 1]).flat_map(filled).collect()
}

/// Constants put together with those that part texts: of `/` and `data` comes `/data`, which meets `split('/')[1] == 'data'`.
pub(crate) fn joined(constants: &[&str]) -> Vec<String> {
    let is_separator = |text: &str| {
        (1..=2).contains(&text.len())
            && text.chars().all(|c| c.is_ascii_punctuation() && !matches!(c, '*' | '?'))
    };
    let (separators, parts): (Vec<&str>, Vec<&str>) =
        constants.iter().filter(|text| !text.is_empty()).partition(|text| is_separator(text));
    let mut found = Vec::new();
    for separator in separators.iter().take(2) {
        for part in parts.iter().filter(|part| !part.contains(separator)).take(MAX_PARTS) {
            found.extend([
                format!("{separator}{part}"),
                format!("{part}{separator}x"),
                format!("x{separator}{part}"),
                format!("{separator}{part}{separator}x"),
            ]);
        }
    }
    found
}

/// Images with the constant as registry, as repository, as tag.
pub(crate) fn images(constant: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in constant.split(['|', '&']).map(str::trim).take(MAX_PARTS) {
        let part = part.trim_start_matches(['!', '=']);
        if part.contains('?') {
            // A character stands for each such wildcard, and not for the others.
            let filled = part.replace('*', "").replace('?', "x");
            let digits = part.replace('*', "").replace('?', "1");
            found.extend([
                format!("nginx{digits}"),
                format!("nginx{digits}0"),
                format!("nginx{filled}"),
                filled.clone(),
                filled.trim_start_matches(':').to_owned(),
            ]);
        }
        let bare = part.replace(['*', '?'], "");
        if bare.is_empty() || bare.len() > 100 || bare.contains(char::is_whitespace) {
            continue;
        }
        let bare = bare.trim_end_matches('/');
        found.push(format!("{bare}/app:1.0"));
        found.push(format!("{bare}x/app:1.0"));
        found.push(format!("registry.example/{}/app", bare.trim_start_matches('/')));
        found.push(format!("registry.example/app:{}", bare.trim_start_matches(':')));
        // A registry with a port beside a tag that a policy names, and more parts than a registry, a folder and a name.
        found.push(format!("registry.example:5000/app:{}", bare.trim_start_matches(':')));
        found.push(format!("{bare}/a/b/app:1.0"));
    }
    found
}

/// The whole numbers that stand in a pattern.
pub(crate) fn numbers(constant: &str) -> Vec<i64> {
    let mut found = Vec::new();
    for part in constant.split(['|', '&', '-']).map(str::trim).take(MAX_PARTS) {
        let bare = part.trim_start_matches(['>', '<', '=', '!']).trim();
        match amount(bare) {
            Some((number, "")) => found.push(number),
            _ => found.extend(whole(bare)),
        }
        // Where wildcards stand a number has digits, or none.
        if bare.contains(['*', '?']) {
            let filled = [bare.replace(['*', '?'], ""), bare.replace(['*', '?'], "0")];
            found.extend(filled.iter().filter_map(|text| text.parse::<i64>().ok()));
        }
    }
    found
}

/// A whole number and the unit behind it.
fn amount(text: &str) -> Option<(i64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at_checked(end)?;
    let is_unit = unit.len() <= 2 && unit.chars().all(|c| c.is_ascii_alphabetic());
    let number: i64 = digits.parse().ok()?;
    (is_unit && number < i64::MAX).then_some((number, unit))
}
