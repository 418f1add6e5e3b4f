//! Ranges of ids and ports.
//!
//! In: `[{min: 1, max: 10}]` and an id. Out: whether it lies inside, and how Go prints the list: `[{1 10}]`.

/// A range with both ends inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) min: i64,
    pub(super) max: i64,
}

/// Whether an id lies in one of the ranges.
pub(super) fn hold(ranges: &[Range], id: i64) -> bool {
    ranges.iter().any(|range| range.min <= id && id <= range.max)
}

/// Ranges of ids as Go's `%v` prints them.
pub(super) fn ids_text(ranges: &[Range]) -> String {
    let texts: Vec<String> = ranges.iter().map(|range| format!("{{{} {}}}", range.min, range.max)).collect();
    format!("[{}]", texts.join(" "))
}

/// Ranges of ports: `1-10,22`.
pub(super) fn ports_text(ranges: &[Range]) -> String {
    let text = |range: &Range| {
        if range.min == range.max { range.min.to_string() } else { format!("{}-{}", range.min, range.max) }
    };
    ranges.iter().map(text).collect::<Vec<_>>().join(",")
}

/// A list of ids as Go's `%#v` prints it.
pub(super) fn list_text(ids: &[i64]) -> String {
    let texts: Vec<String> = ids.iter().map(i64::to_string).collect();
    format!("[]int64{{{}}}", texts.join(", "))
}
