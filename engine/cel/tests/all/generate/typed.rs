//! Well typed expressions.
//!
//! In: the type that is wanted and how deep. Out: an expression of that type in which nothing is `dyn`.

use super::Random;

/// A type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Int,
    Uint,
    Double,
    Str,
    Bytes,
    Bool,
    Time,
    Span,
    Ints,
    Strings,
    Map,
    Optional,
}

use Kind::{Bool, Bytes, Double, Int, Ints, Map, Optional, Span, Str, Strings, Time, Uint};

/// All types.
const KINDS: [Kind; 12] = [Int, Uint, Double, Str, Bytes, Bool, Time, Span, Ints, Strings, Map, Optional];

/// A well typed expression.
pub(crate) fn well_typed(random: &mut Random, depth: usize) -> String {
    let kind = KINDS[random.below(KINDS.len())];
    of(random, kind, depth)
}

fn leaves(kind: Kind) -> &'static [&'static str] {
    match kind {
        Int => &["i", "1", "0", "-3", "9223372036854775807", "0x1F", "x"],
        Uint => &["u", "1u", "0u", "18446744073709551615u"],
        Double => &["d", "1.5", "-0.0", "1e300", ".5"],
        Str => &[
            "s",
            "'a'",
            "''",
            "\"é日\"",
            "'1'",
            "'a-b'",
            "r'\\d+'",
            "'true'",
            "'2024-02-29T00:00:00Z'",
            "'1h'",
            "z",
        ],
        Bytes => &["y", "b'ab'", "b''"],
        Bool => &["b", "true", "false"],
        Time => &["t", "timestamp(0)", "timestamp('2024-02-29T12:30:45.678Z')"],
        Span => &["p", "duration('1h30m')", "duration('-5ms')"],
        Ints => &["li", "[1, 2, 3]", "[i]"],
        Strings => &["ls", "['a', 'b']", "[s]"],
        Map => &["m", "{'a': 1}", "{s: i}"],
        Optional => &["o", "optional.of('v')", "optional.of(s)"],
    }
}

/// Forms of each type; a letter behind `$` is an expression of a type, see [`kind`].
fn forms(kind: Kind) -> &'static [&'static str] {
    match kind {
        Int => INT,
        Uint => UINT,
        Double => DOUBLE,
        Str => STR,
        Bytes => BYTES,
        Bool => BOOL,
        Time => TIME,
        Span => SPAN,
        Ints => INTS,
        Strings => STRINGS,
        Map => MAP,
        Optional => OPTIONAL,
    }
}

const INT: &[&str] = &[
    "$i + $i",
    "$i - $i",
    "$i * $i",
    "$i / $i",
    "$i % $i",
    "-($i)",
    "size($s)",
    "$s.size()",
    "size($I)",
    "$I[$i]",
    "$m[$s]",
    "int($d)",
    "int($u)",
    "int($s)",
    "int($t)",
    "$t.getHours()",
    "$t.getDayOfYear()",
    "$p.getSeconds()",
    "$s.indexOf($s)",
    "$s.lastIndexOf($s)",
    "math.greatest($i, $i)",
    "math.least($I)",
    "math.abs($i)",
    "math.bitOr($i, $i)",
    "math.bitShiftLeft($i, 3)",
    "$b ? $i : $i",
    "cel.bind(x, $i, $i)",
    "$I[?$i].orValue($i)",
    "$y.size()",
    "$m.size()",
    "$t.getMonth('America/New_York')",
    "math.sign($i)",
    "$I.first().orValue($i)",
];

const UINT: &[&str] = &[
    "$u + $u",
    "$u * $u",
    "$u / $u",
    "$u % $u",
    "uint($i)",
    "uint($s)",
    "$b ? $u : $u",
    "math.greatest($u, $u)",
    "$u - $u",
];

const DOUBLE: &[&str] = &[
    "$d + $d",
    "$d - $d",
    "$d * $d",
    "$d / $d",
    "-($d)",
    "double($i)",
    "double($s)",
    "math.ceil($d)",
    "math.round($d)",
    "math.sqrt($d)",
    "$b ? $d : $d",
    "math.least($d, $d)",
    "math.trunc($d)",
];

const STR: &[&str] = &[
    "$s + $s",
    "string($i)",
    "string($u)",
    "string($d)",
    "string($b)",
    "string($t)",
    "string($p)",
    "$s.charAt($i)",
    "$s.lowerAscii()",
    "$s.upperAscii()",
    "$s.replace($s, $s)",
    "$s.replace($s, $s, $i)",
    "$s.substring($i)",
    "$s.substring($i, $i)",
    "$s.trim()",
    "$s.reverse()",
    "$S.join()",
    "$S.join($s)",
    "$S[$i]",
    "$b ? $s : $s",
    "'%s-%d'.format([$s, $i])",
    "'%.2f %x'.format([$d, $i])",
    "$o.orValue($s)",
    "$o.value()",
    "strings.quote($s)",
    "base64.encode($y)",
    "regex.replace($s, '[a-z]+', $s)",
    "regex.extract($s, 'b(.)').orValue($s)",
    "string($y)",
    "cel.bind(z, $s, z + z)",
    "'%s'.format([$I])",
    "'%s'.format([$m])",
    "'%e'.format([$d])",
];

const BYTES: &[&str] = &["$y + $y", "bytes($s)", "$b ? $y : $y", "base64.decode($s)"];

const BOOL: &[&str] = &[
    "$b && $b",
    "$b || $b",
    "!($b)",
    "$b ? $b : $b",
    "$i == $i",
    "$i != $i",
    "$i < $i",
    "$u >= $u",
    "$d <= $d",
    "$s == $s",
    "$s < $s",
    "$y == $y",
    "$t > $t",
    "$p < $p",
    "$i in $I",
    "$s in $S",
    "$s in $m",
    "$I == $I",
    "$m == $m",
    "$s.startsWith($s)",
    "$s.endsWith($s)",
    "$s.contains($s)",
    "$s.matches('^[a-z]+$')",
    "$s.matches($s)",
    "$I.all(x, $b)",
    "$I.exists(x, x > $i)",
    "$S.exists_one(z, z == $s)",
    "$I.all(k, v, k <= v)",
    "$m.all(k, m[k] > $i)",
    "$m.exists(k, v, v == $i && k != $s)",
    "$o.hasValue()",
    "has(m.a)",
    "$o == $o",
    "sets.contains($I, $I)",
    "sets.equivalent($S, $S)",
    "sets.intersects($I, $I)",
    "math.isNaN($d)",
    "bool($s)",
    "$b && $b && $b",
    "$b || $b || $b",
    "$i < $d",
    "$u == $u && $i > $u",
    "type($i) == int",
    "[[$i], $I].exists(l, l == $I)",
];

const TIME: &[&str] = &["$t + $p", "$t - $p", "timestamp($s)", "timestamp($i)", "$b ? $t : $t", "$p + $t"];

const SPAN: &[&str] = &["$p + $p", "$p - $p", "$t - $t", "duration($s)", "$b ? $p : $p"];

const INTS: &[&str] = &[
    "[$i, $i]",
    "$I + $I",
    "$I.map(x, $i)",
    "$I.filter(x, $b)",
    "$I.map(x, x > $i, $i)",
    "$I.sort()",
    "$I.distinct()",
    "$I.reverse()",
    "$I.slice(0, $i)",
    "lists.range(5)",
    "[$I, $I].flatten()",
    "$I.sortBy(x, -x)",
    "$b ? $I : $I",
    "$I.transformList(k, v, k + v)",
    "$m.map(k, $i)",
    "[?optional.of($i)]",
    "$m.transformList(k, v, v)",
];

const STRINGS: &[&str] = &[
    "[$s, $s]",
    "$S + $S",
    "$s.split($s)",
    "$s.split($s, $i)",
    "$S.map(z, $s)",
    "$S.filter(z, z != $s)",
    "$m.map(k, k)",
    "regex.extractAll($s, '[a-z]')",
    "$S.sort()",
    "$S.distinct()",
    "$S.sortBy(z, z.size())",
    "[?$o, $s]",
    "optional.unwrap([$o, $o])",
    "$I.map(x, string(x))",
    "$m.transformList(k, v, k + $s)",
];

const MAP: &[&str] = &[
    "{$s: $i}",
    "{$s: $i, 'k': $i}",
    "$b ? $m : $m",
    "$m.transformMap(k, v, v + $i)",
    "{?$s: optional.of($i)}",
    "$S.transformMapEntry(k, v, {v: k})",
    "$m.transformMap(k, v, v > $i, $i)",
    "$m.transformMapEntry(k, v, {k + $s: v})",
];

const OPTIONAL: &[&str] = &[
    "optional.of($s)",
    "optional.ofNonZeroValue('')",
    "$o.or($o)",
    "$S[?$i]",
    "$o.optMap(z, z + $s)",
    "$o.optFlatMap(z, $o)",
    "optional.ofNonZeroValue($s)",
    "$S.first()",
    "$S.last()",
    "$b ? $o : $o",
    "regex.extract($s, $s)",
    "{'k': $s}.?k",
    "{'k': $s}[?$s]",
];

fn kind(letter: char) -> Option<Kind> {
    Some(match letter {
        'i' => Int,
        'u' => Uint,
        'd' => Double,
        's' => Str,
        'y' => Bytes,
        'b' => Bool,
        't' => Time,
        'p' => Span,
        'I' => Ints,
        'S' => Strings,
        'm' => Map,
        'o' => Optional,
        _ => return None,
    })
}

fn of(random: &mut Random, wanted: Kind, depth: usize) -> String {
    if depth == 0 || random.below(4) == 0 {
        // `x` and `z` are variables only where a macro makes them: `cel.bind` does so for any place.
        return match random.one(leaves(wanted)) {
            "x" => "cel.bind(x, 2, x)".to_owned(),
            "z" => "cel.bind(z, 'z', z)".to_owned(),
            leaf => leaf.to_owned(),
        };
    }
    let mut out = String::new();
    let mut letters = random.one(forms(wanted)).chars();
    while let Some(letter) = letters.next() {
        match (letter, letters.clone().next().and_then(kind)) {
            ('$', Some(part)) => {
                letters.next();
                let part = of(random, part, depth - 1);
                if part.chars().all(|c| c.is_ascii_alphanumeric() || c == '\'') {
                    out.push_str(&part);
                } else {
                    out.extend(["(", &part, ")"]);
                }
            }
            (letter, _) => out.push(letter),
        }
    }
    out
}
