//! The payload in whatever somebody pasted.
//!
//! In: a link of any host, a piece of one, a Markdown line, or the bare payload. Out: the readings of it to try,
//! best first, as six-bit symbols; and the other parameters of the link. `see <https://host/#/?content=Q===>.`
//! holds the payload `Q===`.
//!
//! Mirrors: vue-router's query parsing, and fixes what it does not: `+` for `%2B`, `%252B`, line breaks, `-_`.

/// How often percent-encoding is taken off: a link may be wrapped in the parameter of another.
const MAX_DECODINGS: usize = 4;
/// How many places of a text are tried.
const MAX_PLACES: usize = 4;

/// The name of the parameter that holds the state.
const CONTENT: &str = "content";

/// One reading of the pasted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Payload {
    /// The symbols as numbers below 64, up to the first character that is none.
    pub(super) symbols: Vec<u8>,
    /// What had to be fixed.
    pub(super) repairs: Vec<Repair>,
}

/// What was not as the original writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repair {
    /// Percent signs were encoded once more.
    EncodedTwice,
    /// A `+` stood for itself in a link.
    PlusNotEncoded,
    /// Spaces stood for `+`.
    SpaceForPlus,
    /// White space stood within the payload.
    WhiteSpace,
    /// `-` and `_`, or `-` and `$`, stood for symbols of base64.
    UrlAlphabet,
}

/// How white space within the payload is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Space {
    /// It ends the payload.
    Ends,
    /// A blank is a `+`; a line break and the blanks beside it are nothing.
    IsPlus,
    /// It is nothing.
    IsNothing,
}

/// What `-` stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dash {
    /// The symbol 62, as in base64url.
    IsPlus,
    /// The symbol 63, as in `compressToEncodedURIComponent`.
    IsSlash,
}

/// The readings to try, the likelier first.
pub(super) fn payloads(text: &str) -> Vec<Payload> {
    let mut payloads = Vec::new();
    for (raw, is_parameter) in places(text) {
        let (decoded, is_encoded_twice) = percent_decoded(&raw);
        // A dash as the symbol 62 makes sense only beside `_` for 63 or alone; with `+` it is the symbol 63.
        let has_dash = decoded.contains('-');
        let dashes: &[Dash] = match (has_dash, decoded.contains(['+', '$'])) {
            (false, _) => &[Dash::IsPlus],
            (true, true) => &[Dash::IsSlash, Dash::IsPlus],
            (true, false) => &[Dash::IsPlus, Dash::IsSlash],
        };
        for space in [Space::Ends, Space::IsPlus, Space::IsNothing] {
            for dash in dashes {
                let mut payload = symbols(&decoded, space, *dash);
                if is_encoded_twice {
                    payload.repairs.push(Repair::EncodedTwice);
                }
                if is_parameter && raw.contains('+') {
                    payload.repairs.push(Repair::PlusNotEncoded);
                }
                if !payload.symbols.is_empty() && !is_known(&payloads, &payload) {
                    payloads.push(payload);
                }
            }
        }
    }
    payloads
}

fn is_known(payloads: &[Payload], payload: &Payload) -> bool {
    payloads.iter().any(|other| other.symbols == payload.symbols)
}

/// The value of a parameter of the link, in its fragment or before it; percent-decoded, `+` as a blank.
pub(super) fn parameter(text: &str, name: &str) -> Option<String> {
    let (raw, _) = values(text, name).into_iter().next()?;
    let end = raw.find(['&', '#']).unwrap_or(raw.len());
    let raw = raw.get(..end)?.trim_end_matches(|c: char| c.is_whitespace() || ")>]\"'`".contains(c));
    Some(percent_decoded_once(&raw.replace('+', " ")))
}

/// Where the payload may stand, and whether it is the value of `content` there.
fn places(text: &str) -> Vec<(String, bool)> {
    let mut unwrapped = text.trim().to_owned();
    for _ in 0..MAX_DECODINGS {
        let found = values(&unwrapped, CONTENT);
        if !found.is_empty() {
            return found.into_iter().take(MAX_PLACES).map(|(raw, _)| (payload_run(raw), true)).collect();
        }
        // The whole link may be the encoded parameter of another.
        if !unwrapped.contains("%3D") && !unwrapped.contains("%3d") && !unwrapped.contains("%25") {
            break;
        }
        unwrapped = percent_decoded_once(&unwrapped);
    }
    if text.contains("://") || text.contains("#/") {
        return Vec::new();
    }
    vec![(bare(text), false)]
}

/// Everything behind each `name=` that begins a parameter, those of the fragment first.
fn values<'a>(text: &'a str, name: &str) -> Vec<(&'a str, usize)> {
    let begins = |at: usize| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        before.is_none_or(|c| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '.'))
    };
    let fragment = text.find('#').unwrap_or(0);
    let mut found: Vec<(&str, usize)> = Vec::new();
    let mut before = Vec::new();
    for (at, _) in text.match_indices(name).filter(|(at, _)| begins(*at)) {
        let behind = text.get(at + name.len()..).and_then(|behind| behind.strip_prefix('='));
        let place = if at < fragment { &mut before } else { &mut found };
        place.extend(behind.map(|behind| (behind, at)));
    }
    found.append(&mut before);
    found
}

/// The characters that a payload may hold; what comes behind them is other text.
fn payload_run(text: &str) -> String {
    text.chars().take_while(|c| is_payload(*c) || c.is_whitespace()).collect()
}

fn is_payload(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_' | '$' | '%')
}

/// A payload without a link: from the first run that is long enough to be one, and whatever follows it.
fn bare(text: &str) -> String {
    let text = text.trim_start_matches(|c: char| !is_payload(c));
    let run = |word: &str| word.chars().take_while(|c| is_payload(*c)).count();
    let longest = text.split_whitespace().map(run).max().unwrap_or(0);
    let start = text.split_whitespace().find(|word| run(word) == longest);
    let at = start.and_then(|word| text.find(word)).unwrap_or(0);
    // A broken line begins the payload where the paste begins; prose before it has shorter words.
    let is_broken = text.lines().count() > 1 && text.lines().all(|line| !line.trim().contains(' '));
    payload_run(text.get(if is_broken { 0 } else { at }..).unwrap_or(text))
}

/// Percent-encoding taken off until none is left, and whether it was on more than once.
fn percent_decoded(text: &str) -> (String, bool) {
    let mut decoded = text.to_owned();
    for _ in 0..MAX_DECODINGS {
        if !decoded.contains('%') {
            break;
        }
        decoded = percent_decoded_once(&decoded);
    }
    (decoded, text.contains("%25"))
}

/// Percent-encoding taken off once; a sign without two digits behind it stays.
fn percent_decoded_once(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let digit = |byte: &u8| (*byte as char).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        match (first, behind) {
            (b'%', [high, low, behind @ ..]) if digit(high).is_some() && digit(low).is_some() => {
                bytes.push(digit(high).unwrap_or(0) * 16 + digit(low).unwrap_or(0));
                rest = behind;
            }
            _ => {
                bytes.push(first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The symbols up to the first character that is none.
fn symbols(text: &str, space: Space, dash: Dash) -> Payload {
    let mut payload = Payload { symbols: Vec::with_capacity(text.len()), repairs: Vec::new() };
    let mut repair = |repair: Repair| {
        if !payload.repairs.contains(&repair) {
            payload.repairs.push(repair);
        }
    };
    let mut chars = text.trim().chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let is_break = |c: &char| matches!(c, '\n' | '\r');
        let is_beside_break = is_break(&before) || chars.peek().is_some_and(is_break);
        let symbol = match c {
            'A'..='Z' => c as u32 - 'A' as u32,
            'a'..='z' => c as u32 - 'a' as u32 + 26,
            '0'..='9' => c as u32 - '0' as u32 + 52,
            '+' => 62,
            '/' => 63,
            '-' | '_' => {
                repair(Repair::UrlAlphabet);
                if c == '_' || dash == Dash::IsSlash { 63 } else { 62 }
            }
            '\n' | '\r' | '\t' | ' ' if space == Space::Ends => break,
            ' ' if space == Space::IsPlus && !is_beside_break => {
                repair(Repair::SpaceForPlus);
                62
            }
            '\n' | '\r' | '\t' | ' ' => {
                repair(Repair::WhiteSpace);
                // Blanks behind a break belong to it.
                before = if is_beside_break { '\n' } else { c };
                continue;
            }
            '=' | '$' => continue,
            _ => break,
        };
        before = c;
        payload.symbols.push(u8::try_from(symbol).unwrap_or(0));
    }
    payload
}
