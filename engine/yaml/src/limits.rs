//! How much of a text is read: each limit has a name, a value and an error that says what to do.
//!
//! The depth of nesting is [`engine_json::MAX_DEPTH`].

/// Bytes of one text.
pub const MAX_BYTES: usize = 64 << 20;

/// Values of one document, each alias counted as often as it is used.
pub const MAX_NODES: u64 = 8_000_000;

/// Keys of one map.
pub const MAX_KEYS: usize = 100_000;

/// Characters of a key that is written without `?`.
// Go: scannerc.go, "simple keys are limited to a single line and 1024 characters".
pub const MAX_KEY_CHARS: usize = 1024;

pub(crate) fn bytes_text(limit: usize) -> String {
    format!("the text is longer than {limit} bytes: split it into several files")
}

pub(crate) fn nodes_text() -> String {
    format!(
        "the document holds more than {MAX_NODES} values: split it into several documents, or use fewer aliases"
    )
}

pub(crate) fn keys_text() -> String {
    format!("a map holds more than {MAX_KEYS} keys: split it into several maps")
}

pub(crate) fn depth_text() -> String {
    format!("nested deeper than {} levels: flatten the document", engine_json::MAX_DEPTH)
}

/// The original's words; what to do stands behind them.
// Go: decode.go, `(d *decoder) unmarshal`.
pub(crate) fn alias_text() -> String {
    "document contains excessive aliasing: write the repeated parts out, or use fewer aliases".to_owned()
}

/// The share of the values of a document that may come from aliases, for a document with this many values.
// Go: decode.go, `allowedAliasRatio`.
pub(crate) fn allowed_alias_ratio(values: u64) -> f64 {
    const LOW: u64 = 400_000;
    const HIGH: u64 = 4_000_000;
    match values {
        0..=LOW => 0.99,
        HIGH.. => 0.10,
        between => 0.99 - 0.89 * ((between - LOW) as f64 / (HIGH - LOW) as f64),
    }
}
