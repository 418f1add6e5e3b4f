//! Mistakes in expressions stand at the right character of the YAML, however the scalar is written.
//!
//! In: generated expressions with one unknown name, written as plain, quoted, literal and folded scalars. Out: a failure
//! where the problem that is named does not stand at that name in the text.
#![expect(clippy::unwrap_used, reason = "what a test needs is there")]

use engine::load::{Host, Role, load_with};
use engine::yaml::{Source, SourceId};
use engine_celpolicy::WITHOUT_STEPS;

/// Numbers without a pattern.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % bound
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of.get(self.below(of.len())).unwrap()
    }

    fn is_one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// The name that nobody declares.
const WANTED: &str = "nope";

/// What stands between two words of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    /// So many blanks.
    Blanks(usize),
    /// So many line breaks, and so many blanks behind them.
    Breaks(usize, usize),
}

/// An expression: words, each with the gap before it.
fn words(random: &mut Random) -> Vec<(Gap, String)> {
    let operands = [
        "true",
        "'é' == 'é'",
        "\"日本\" == 'x'",
        "'it' != \"\\\"\"",
        "size('a') > 0",
        "r'\\d' == ''",
        "'\\\\' != '/'",
    ];
    let mut words = vec![(Gap::Blanks(0), "true".to_owned())];
    let wanted = random.below(4);
    for at in 0..4 {
        let gap = match random.below(8) {
            0 => Gap::Blanks(2 + random.below(3)),
            1 | 2 => Gap::Breaks(1 + random.below(3), 0),
            3 => Gap::Breaks(1, 1 + random.below(4)),
            _ => Gap::Blanks(1),
        };
        words.push((gap, random.one(&["&&", "||"]).to_owned()));
        let operand = if at == wanted { WANTED } else { random.one(&operands) };
        // A word of several words takes their blanks as they are.
        for (part, word) in operand.split(' ').enumerate() {
            let gap = if part == 0 && random.is_one_in(6) { Gap::Breaks(1, 0) } else { Gap::Blanks(1) };
            words.push((gap, word.to_owned()));
        }
    }
    words
}

/// What the words mean together.
fn value(words: &[(Gap, String)]) -> String {
    words.iter().fold(String::new(), |text, (gap, word)| {
        let gap = match gap {
            Gap::Blanks(count) => " ".repeat(*count),
            Gap::Breaks(breaks, blanks) => "\n".repeat(*breaks) + &" ".repeat(*blanks),
        };
        text + &gap + word
    })
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Plain,
    Single,
    Double,
    Literal,
    Folded,
}

const STYLES: [Style; 5] = [Style::Plain, Style::Single, Style::Double, Style::Literal, Style::Folded];

/// A scalar being written; lines begin with this many blanks.
struct Writer<'r> {
    random: &'r mut Random,
    style: Style,
    indent: usize,
    out: String,
    /// Where the wanted word stands.
    found: usize,
    /// Whether the line begins with a blank of its own, which keeps the breaks around it (folded scalars).
    is_deeper: bool,
}

impl Writer<'_> {
    fn line(&mut self, more: usize) {
        self.out.push('\n');
        self.out.push_str(&" ".repeat(self.indent + more));
    }

    fn breaks(&mut self, count: usize) {
        // Blank lines may hold blanks, but for those that would belong to the text.
        for _ in 1..count {
            self.out.push('\n');
            if self.random.is_one_in(3) {
                self.out.push_str(&" ".repeat(self.random.below(self.indent + 1)));
            }
        }
    }

    fn gap(&mut self, gap: Gap) {
        let is_flow = matches!(self.style, Style::Plain | Style::Single | Style::Double);
        match gap {
            Gap::Blanks(0) => {}
            Gap::Blanks(1) if is_flow && self.random.is_one_in(5) => {
                let more = self.random.below(4);
                self.line(more);
            }
            Gap::Blanks(1) if self.style == Style::Double && self.random.is_one_in(5) => {
                self.out.push_str(" \\");
                self.line(2);
            }
            Gap::Blanks(1) if self.style == Style::Folded && !self.is_deeper && self.random.is_one_in(4) => {
                self.line(0);
            }
            Gap::Blanks(count) => self.out.push_str(&" ".repeat(count)),
            Gap::Breaks(breaks, blanks)
                if self.style == Style::Double && (blanks > 0 || self.random.is_one_in(2)) =>
            {
                self.out.push_str(&"\\n".repeat(breaks));
                self.out.push_str(&" ".repeat(blanks));
            }
            Gap::Breaks(breaks, _) if is_flow => {
                self.breaks(breaks + 1);
                let more = self.random.below(3);
                self.line(more);
            }
            Gap::Breaks(breaks, blanks) if self.style == Style::Literal => {
                self.breaks(breaks);
                self.line(blanks);
            }
            Gap::Breaks(breaks, blanks) => {
                let is_kept = self.is_deeper || blanks > 0;
                self.breaks(if is_kept { breaks } else { breaks + 1 });
                self.line(blanks);
                self.is_deeper = blanks > 0;
            }
        }
    }

    fn word(&mut self, word: &str) {
        if word == WANTED {
            self.found = self.out.len();
        }
        for c in word.chars() {
            match (self.style, c) {
                (Style::Single, '\'') => self.out.push_str("''"),
                (Style::Double, '"') => self.out.push_str("\\\""),
                (Style::Double, '\\') => self.out.push_str("\\\\"),
                (Style::Double, c) if self.random.is_one_in(8) => {
                    let code = u32::from(c);
                    let written = match self.random.below(3) {
                        0 if code < 256 => format!("\\x{code:02x}"),
                        1 => format!("\\U{code:08x}"),
                        _ => format!("\\u{code:04X}"),
                    };
                    self.out.push_str(&written);
                }
                (_, c) => self.out.push(c),
            }
        }
    }
}

/// What a style cannot say is left out of the words.
fn fitted(mut words: Vec<(Gap, String)>, style: Style) -> Vec<(Gap, String)> {
    if matches!(style, Style::Plain | Style::Single) {
        for (gap, _) in &mut words {
            if let Gap::Breaks(breaks, _) = *gap {
                *gap = Gap::Breaks(breaks, 0);
            }
        }
    }
    words
}

/// A policy with the expression written in a style: the text, the place of the wanted word, the value.
fn policy(random: &mut Random, style: Style) -> (String, usize, String) {
    let words = fitted(words(random), style);
    let is_nested = random.is_one_in(2);
    // The mapping of the expression stands at this column.
    let (open, column) = if is_nested {
        ("  validations:\n    - message: wrong\n      ", 6)
    } else {
        ("  validations:\n  - ", 4)
    };
    let mut text = format!(
        "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {{name: p}}\nspec:\n  matchConstraints:\n    \
         resourceRules: [{{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}}]\n{open}expression: "
    );
    text.push_str(random.one(&["", "", "", "&a ", "!!str "]));
    let deeper = 1 + random.below(4);
    let indent = column + deeper;
    let mut value = value(&words);
    let mut end = "\n";
    match style {
        Style::Plain => {}
        Style::Single => text.push('\''),
        Style::Double => text.push('"'),
        Style::Literal | Style::Folded => {
            let chomp = random.one(&["", "-", "+"]);
            let indicator = if random.is_one_in(2) { deeper.to_string() } else { String::new() };
            text.push(if style == Style::Literal { '|' } else { '>' });
            let (first, second) =
                if random.is_one_in(2) { (indicator.as_str(), chomp) } else { (chomp, indicator.as_str()) };
            text.extend([first, second]);
            text.push_str(random.one(&["", " ", " # a comment, here"]));
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            if chomp != "-" {
                value.push('\n');
            }
            end = "\n";
        }
    }
    let mut writer = Writer { random, style, indent, out: text, found: 0, is_deeper: false };
    for (gap, word) in &words {
        writer.gap(*gap);
        writer.word(word);
    }
    let Writer { out: mut text, mut found, random, .. } = writer;
    match style {
        Style::Single => text.push('\''),
        Style::Double => text.push('"'),
        _ => {}
    }
    text.push_str(end);
    if random.is_one_in(4) {
        found += text.get(..found).unwrap().matches('\n').count();
        text = text.replace('\n', "\r\n");
    }
    (text, found, value)
}

#[test]
fn a_mistake_stands_at_its_character_in_every_style() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut wrong = Vec::new();
    let mut styles = [0; STYLES.len()];
    for number in 0..500 {
        let at = number % STYLES.len();
        let style = *STYLES.get(at).unwrap();
        let (text, found, value) = policy(&mut random, style);
        let read = engine::yaml::parse_one(&text).unwrap();
        let path = ["spec", "validations"];
        let expression =
            read.find(&path).and_then(|list| list.at(0)).map(|one| one.find_str(&["expression"]).to_owned());
        assert_eq!(
            expression.as_deref(),
            Some(value.as_str()),
            "the generator writes something else:\n{text}"
        );
        let source = Source { id: SourceId(0), name: "p.yaml".into(), text: text.as_str().into() };
        let (_, diagnostics) = load_with(vec![(Role::Policies, source)], Host::Cli, WITHOUT_STEPS);
        let place = diagnostics.iter().find(|said| said.message.contains("undeclared reference to 'nope'"));
        let start = place.and_then(|said| said.span).map(|span| span.start as usize);
        *styles.get_mut(at).unwrap() += usize::from(start == Some(found));
        if start != Some(found) {
            wrong.push((style, start, found, format!("{text}\n{diagnostics:?}")));
        }
    }
    if let Some((style, start, found, text)) = wrong.first() {
        let count = wrong.len();
        let said: Vec<&str> = start.and_then(|start| text.get(start..)).into_iter().collect();
        panic!("{count} wrong, {styles:?} right; {style:?}, {start:?} and not {found}, at {said:?}:\n{text}");
    }
}
