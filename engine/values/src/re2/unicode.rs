//! The sets of Unicode that an expression can name: general categories and scripts.
//!
//! In: `Lu`, `Letter`, `greek`. Out: the ranges of the set; nothing for a name that Go 1.26 does not know either,
//! which are all scripts with an underscore.
//!
//! `unicode.bin` holds the general categories and then the scripts of Unicode 15.0, the version of Go 1.26, both as
//! runs over all code points from 0 on: one byte for the place of the value in [`CATEGORIES`] or [`SCRIPTS`] (255
//! for no script), and how many code points have it, seven bits a byte, the lowest first. It weighs 5 kB compressed.

use super::class::LAST;

static RUNS: &[u8] = include_bytes!("unicode.bin");

const CATEGORIES: &str =
    "Cc Cf Cn Co Cs Ll Lm Lo Lt Lu Mc Me Mn Nd Nl No Pc Pd Pe Pf Pi Po Ps Sc Sk Sm So Zl Zp Zs";

const SCRIPTS: &str = "\
    Adlam Ahom Arabic Armenian Avestan Balinese Bamum Batak Bengali Bhaiksuki Bopomofo Brahmi Braille \
    Buginese Buhid Carian Chakma Cham Cherokee Chorasmian Common Coptic Cuneiform Cypriot Cyrillic \
    Deseret Devanagari Dogra Duployan Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic Grantha Greek \
    Gujarati Gurmukhi Han Hangul Hanunoo Hatran Hebrew Hiragana Inherited Javanese Kaithi Kannada \
    Katakana Kawi Kharoshthi Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Lisu Lycian Lydian Mahajani \
    Makasar Malayalam Mandaic Manichaean Marchen Medefaidrin Miao Modi Mongolian Mro Multani Myanmar \
    Nabataean Nandinagari Newa Nko Nushu Ogham Oriya Osage Osmanya Palmyrene Phoenician Rejang Runic \
    Samaritan Saurashtra Sharada Shavian Siddham Sinhala Sogdian Soyombo Sundanese Syriac Tagalog \
    Tagbanwa Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Toto Ugaritic Vai \
    Vithkuqi Wancho Yezidi Yi";

/// Other names of categories, without underscores.
const ALIASES: &[(&str, &str)] = &[
    ("Casedletter", "LC"),
    ("Closepunctuation", "Pe"),
    ("Cntrl", "Cc"),
    ("Combiningmark", "M"),
    ("Connectorpunctuation", "Pc"),
    ("Control", "Cc"),
    ("Currencysymbol", "Sc"),
    ("Dashpunctuation", "Pd"),
    ("Decimalnumber", "Nd"),
    ("Digit", "Nd"),
    ("Enclosingmark", "Me"),
    ("Finalpunctuation", "Pf"),
    ("Format", "Cf"),
    ("Initialpunctuation", "Pi"),
    ("Letter", "L"),
    ("Letternumber", "Nl"),
    ("Lineseparator", "Zl"),
    ("Lowercaseletter", "Ll"),
    ("Mark", "M"),
    ("Mathsymbol", "Sm"),
    ("Modifierletter", "Lm"),
    ("Modifiersymbol", "Sk"),
    ("Nonspacingmark", "Mn"),
    ("Number", "N"),
    ("Openpunctuation", "Ps"),
    ("Other", "C"),
    ("Otherletter", "Lo"),
    ("Othernumber", "No"),
    ("Otherpunctuation", "Po"),
    ("Othersymbol", "So"),
    ("Paragraphseparator", "Zp"),
    ("Privateuse", "Co"),
    ("Punct", "P"),
    ("Punctuation", "P"),
    ("Separator", "Z"),
    ("Spaceseparator", "Zs"),
    ("Spacingmark", "Mc"),
    ("Surrogate", "Cs"),
    ("Symbol", "S"),
    ("Titlecaseletter", "Lt"),
    ("Unassigned", "Cn"),
    ("Uppercaseletter", "Lu"),
];

/// The ranges of a set by its name, in rising order.
pub(super) fn set(name: &str) -> Option<Vec<(u32, u32)>> {
    let name = canonical(name);
    match name.as_str() {
        "Any" => return Some(vec![(0, LAST)]),
        "Ascii" => return Some(vec![(0, 0x7f)]),
        "Assigned" => return Some(categories(|category| category != "Cn")),
        _ => {}
    }
    if SCRIPTS.split(' ').any(|script| script == name) {
        return Some(runs().filter(|run| run.script() == Some(&name)).map(|run| run.range).collect());
    }
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    let category = alias.map_or(name.as_str(), |(_, category)| category);
    let set = match category {
        "Lc" | "LC" => categories(|category| matches!(category, "Lu" | "Ll" | "Lt")),
        _ if category.len() <= 2 => categories(|given| given.starts_with(category)),
        _ => Vec::new(),
    };
    (!category.is_empty() && !set.is_empty()).then_some(set)
}

/// Whether the character is a letter, a decimal digit or an underscore.
pub(super) fn is_name(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    let code = u32::from(c);
    let is_its = |run: &Run| run.range.0 <= code && code <= run.range.1;
    let category = runs().find(|run| run.category().is_some() && is_its(run)).and_then(|run| run.category());
    category.is_some_and(|category| category.starts_with('L') || category == "Nd")
}

/// With a leading capital, small letters behind it, and nothing between words.
// Go: parse.go canonicalName.
fn canonical(name: &str) -> String {
    let mut letters = name.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(letters.map(|c| c.to_ascii_lowercase())).collect()
}

fn categories(is_wanted: impl Fn(&str) -> bool) -> Vec<(u32, u32)> {
    runs().filter(|run| run.category().is_some_and(&is_wanted)).map(|run| run.range).collect()
}

/// Code points with one value.
struct Run {
    range: (u32, u32),
    is_script: bool,
    value: usize,
}

impl Run {
    fn category(&self) -> Option<&'static str> {
        if self.is_script { None } else { CATEGORIES.split(' ').nth(self.value) }
    }

    fn script(&self) -> Option<&'static str> {
        if self.is_script { SCRIPTS.split(' ').nth(self.value) } else { None }
    }
}

fn runs() -> impl Iterator<Item = Run> {
    let mut bytes = RUNS.iter();
    let mut next = 0;
    let mut is_script = false;
    std::iter::from_fn(move || {
        let value = usize::from(*bytes.next()?);
        let (mut length, mut shift) = (0_u32, 0);
        for byte in bytes.by_ref() {
            length |= u32::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        let range = (next, next + length - 1);
        let run = Run { range, is_script, value };
        next += length;
        if next > LAST {
            (next, is_script) = (0, true);
        }
        Some(run)
    })
}
