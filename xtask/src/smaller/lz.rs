//! Bytes as copies of what stands before them.
//!
//! In: bytes. Out: [`Streams`], which say the same in fewer. The scheme is that of LZ4's blocks
//! (<https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md>), with each kind of byte in a row of its own: what compresses the module once
//! more for its transport then finds texts beside texts.
//!
//! A token says how many literals come and how long the copy after them is, less [`SHORTEST`]: four bits each, and where those are all set,
//! more bytes after the token until one is not 255. The last token has no copy.

/// The shortest copy: one costs three bytes.
pub(super) const SHORTEST: usize = 4;
/// How far back a copy may reach.
const FARTHEST: usize = 0xffff;
/// The longest copy: what is longer is several of them.
const LONGEST: usize = 2_000;
/// So many earlier places are tried for a copy,
const TRIES: usize = 1_000;
/// but none more after one of this length.
const ENOUGH: usize = 200;
/// What the half of a token can say.
const HALF: usize = 15;
/// What one more byte can say.
const MORE: usize = 255;

/// Bytes in their packed form.
#[derive(Debug, Default)]
pub(super) struct Streams {
    pub(super) literals: Vec<u8>,
    pub(super) tokens: Vec<u8>,
    /// How far back copies reach: the lower and the upper byte.
    pub(super) low: Vec<u8>,
    pub(super) high: Vec<u8>,
}

/// A copy: how long, from how far back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Copied {
    length: usize,
    back: usize,
}

/// Packs bytes.
pub(super) fn packed(bytes: &[u8]) -> Streams {
    let copies = cheapest(&longest(bytes));
    let mut out = Streams::default();
    let (mut from, mut at) = (0, 0);
    while at < bytes.len() {
        match copies.get(at).filter(|copied| copied.length > 0) {
            None => at += 1,
            Some(copied) => {
                out.write(bytes.get(from..at).unwrap_or_default(), Some(*copied));
                at += copied.length;
                from = at;
            }
        }
    }
    out.write(bytes.get(from..).unwrap_or_default(), None);
    out
}

impl Streams {
    fn write(&mut self, literals: &[u8], copied: Option<Copied>) {
        let length = copied.map_or(0, |copied| copied.length - SHORTEST);
        self.tokens.push(byte(literals.len().min(HALF) << 4 | length.min(HALF)));
        self.more(literals.len());
        self.literals.extend_from_slice(literals);
        if let Some(copied) = copied {
            self.more(length);
            self.low.push(byte(copied.back & 0xff));
            self.high.push(byte(copied.back >> 8));
        }
    }

    /// What the half of a token has no room for.
    fn more(&mut self, count: usize) {
        let Some(mut rest) = count.checked_sub(HALF) else { return };
        while rest >= MORE {
            self.tokens.push(0xff);
            rest -= MORE;
        }
        self.tokens.push(byte(rest));
    }
}

fn byte(number: usize) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

/// For each place the longest copy of what stands there.
fn longest(bytes: &[u8]) -> Vec<Copied> {
    let mut last = std::collections::HashMap::new();
    // For each place the one before it that begins alike.
    let mut earlier: Vec<Option<usize>> = Vec::with_capacity(bytes.len());
    let mut found = Vec::with_capacity(bytes.len());
    for (at, start) in bytes.windows(SHORTEST).enumerate() {
        let here = bytes.get(at..).unwrap_or_default();
        let mut best = Copied::default();
        let mut next: Option<usize> = last.insert(start, at);
        earlier.push(next);
        for _ in 0..TRIES {
            let Some(place) = next.filter(|place| at - place <= FARTHEST) else { break };
            let there = bytes.get(place..).unwrap_or_default();
            let pairs = here.iter().zip(there).take(LONGEST);
            let length = pairs.take_while(|(one, other)| one == other).count();
            if length > best.length {
                best = Copied { length, back: at - place };
            }
            if best.length >= ENOUGH {
                break;
            }
            next = earlier.get(place).copied().flatten();
        }
        found.push(best);
    }
    found.resize(bytes.len(), Copied::default());
    found
}

/// For each place the copy that makes the whole shortest; of length 0 where a literal does.
fn cheapest(longest: &[Copied]) -> Vec<Copied> {
    let mut costs = vec![0_usize; longest.len() + 1];
    let mut chosen = vec![Copied::default(); longest.len()];
    for (at, best) in longest.iter().enumerate().rev() {
        let cost_at =
            |costs: &[usize], length: usize| costs.get(at + length).copied().unwrap_or(usize::MAX / 2);
        let mut cheapest = (cost_at(&costs, 1) + 1, 0);
        for length in SHORTEST..=best.length {
            let more = (length - SHORTEST).checked_sub(HALF).map_or(0, |rest| 1 + rest / MORE);
            cheapest = cheapest.min((cost_at(&costs, length) + 3 + more, length));
        }
        if let (Some(cost), Some(chosen)) = (costs.get_mut(at), chosen.get_mut(at)) {
            (*cost, *chosen) = (cheapest.0, Copied { length: cheapest.1, back: best.back });
        }
    }
    chosen
}
