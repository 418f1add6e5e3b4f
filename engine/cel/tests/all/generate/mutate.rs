//! Texts that are nearly expressions.
//!
//! In: a seed. Out: expressions over the document, of which a few parts are left out, doubled, exchanged or replaced.

use super::{Random, well_typed};

/// What people write.
const WRITTEN: [&str; 14] = [
    "object.metadata.labels.app == 'web'",
    "object.spec.containers.all(c, !has(c.securityContext) || c.securityContext.privileged == false)",
    "object.spec.containers.all(c, c.?securityContext.?capabilities.?drop.orValue([]).exists(d, d == 'ALL'))",
    "object.spec.containers.map(c, c.name).join(',')",
    "object.spec.containers.filter(c, has(c.ports)).map(c, c.ports.map(p, p.containerPort)).size() > 0",
    "object.metadata.?annotations[?'team'].orValue('none') != ''",
    "object.spec.list[0] + object.spec.list[1] < object.spec.list.size()",
    "object.metadata.labels.transformMap(k, v, k != 'n', v + k)",
    "object.spec.replicas > 2 ? object.metadata.name : string(object.spec.n)",
    "'%s of %s'.format([object.metadata.name, object.spec.containers[0].image])",
    "object.spec.containers.exists_one(c, c.image.matches('^registry[.]example[.]com/[a-z/]+:[0-9.]+$'))",
    "cel.bind(n, object.metadata.name, n + n).split('-')[1]",
    "duration('1h') + duration(object.metadata.labels.n + 's') < p && timestamp(object.spec.replicas) < t",
    "{'a': object.spec.n, 1: [object.spec.list, {}], true: 1u} == {'a': null}",
];

/// What stands in the place of a part.
const PARTS: [&str; 74] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ".",
    ",",
    "-",
    "!",
    "?",
    ":",
    "+",
    "*",
    "/",
    "%",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "&&",
    "||",
    " in ",
    "true",
    "false",
    "null",
    "1",
    "1.5",
    "2u",
    "'a'",
    "b'x'",
    "object",
    "object.spec",
    "`x y`",
    " ",
    "\n",
    "=",
    "&",
    "|",
    "'",
    "\"",
    "`",
    "\\",
    "@",
    "é",
    "日",
    "0x",
    "as",
    "has(object.spec)",
    ".all(x, x)",
    ".map(x, x)",
    ".?a",
    "[?",
    "{?",
    "// c\n",
    "size(",
    "-1",
    "--",
    "\r",
    "if",
    ".exists(i, v, v)",
    "cel.bind(x, 1, x)",
    "math.least(",
    "dyn(",
    ".optMap(x, x)",
    ".sortBy(x, x)",
    "'''",
    "r'",
    "1e",
    "..",
    "$",
    "9223372036854775807",
];

/// Longer texts are not made longer.
const LONG: usize = 400;

/// A text that is nearly an expression, or one.
pub(crate) fn mutated(random: &mut Random) -> String {
    let depth = 1 + random.below(4);
    let mut text =
        if random.below(2) == 0 { well_typed(random, depth) } else { random.one(&WRITTEN).to_owned() };
    let times = [0, 1, 1, 1, 2, 2, 3, 5][random.below(8)];
    for _ in 0..times {
        if text.len() > LONG {
            break;
        }
        text = once(random, &text);
    }
    text
}

fn once(random: &mut Random, text: &str) -> String {
    let mut parts = split(text);
    let at = random.below(parts.len());
    if parts.is_empty() {
        return random.one(&PARTS).to_owned();
    }
    match random.below(9) {
        0 | 1 => {
            parts.remove(at);
        }
        2 | 3 => parts.insert(at, random.one(&PARTS)),
        4 => parts[at] = random.one(&PARTS),
        5 => {
            let other = random.below(parts.len());
            parts.swap(at, other);
        }
        6 => parts.insert(at, parts[at]),
        7 => parts.truncate(at),
        _ => {
            let other = split(random.one(&WRITTEN));
            let start = random.below(other.len());
            let end = (start + 1 + random.below(6)).min(other.len());
            parts.splice(at..at, other[start..end].iter().copied());
        }
    }
    parts.concat()
}

/// Words, spaces and single signs.
fn split(text: &str) -> Vec<&str> {
    let class = |c: char| if c.is_alphanumeric() || c == '_' { 0 } else { 1 + u32::from(c) };
    let mut parts = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        if last.is_some_and(|last| last != class(c) || last != 0) {
            parts.push(&text[start..at]);
            start = at;
        }
        last = Some(class(c));
    }
    parts.push(&text[start..]);
    parts.retain(|part| !part.is_empty());
    parts
}
