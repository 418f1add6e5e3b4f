//! Links that were changed, and links made to do harm.

use super::{link_of_json, sample};
use crate::share::lz::MAX_UNITS;
use crate::share::{MAX_PASTE, NoteCode, ShareError, decode, link};

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }
}

#[test]
fn random_and_changed_links_are_read_or_refused() {
    let mut numbers = Numbers(88_172_645_463_325_252);
    let whole = link("https://playground.kyverno.io/", &sample());
    for round in 0..10_000 {
        let mut bytes: Vec<u8> = if round % 2 == 0 {
            (0..numbers.below(300)).map(|_| u8::try_from(numbers.below(256)).unwrap()).collect()
        } else {
            whole.clone().into_bytes()
        };
        for _ in 0..numbers.below(4) {
            let at = numbers.below(bytes.len().max(1)).min(bytes.len());
            match numbers.below(3) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, b"+ %\n-_A/=&#"[numbers.below(11)]),
                _ => bytes.extend_from_slice(b"Zz"),
            }
        }
        if let Ok(decoded) = decode(&String::from_utf8_lossy(&bytes)) {
            let is_lost = |code| matches!(code, NoteCode::LinkCut | NoteCode::LinkDamaged);
            let lost = decoded.notes.iter().find(|note| is_lost(note.code));
            assert_eq!(decoded.complete, lost.is_none(), "{:?}", decoded.notes);
            assert!(lost.is_none_or(|note| note.code.is_damage()));
        }
    }
}

#[test]
fn every_beginning_of_a_link_is_read_or_refused() {
    let whole = link("https://playground.kyverno.io/", &sample());
    let mut saved = 0;
    for end in 0..whole.len() {
        let Ok(decoded) = decode(whole.get(..end).unwrap()) else { continue };
        let text = decoded.state.get("policy").unwrap_or("");
        assert!(sample().get("policy").is_some_and(|policy| policy.starts_with(text)), "{text:?}");
        let length = decoded.state.iter().map(|(_, text)| text.len()).sum();
        assert!(length >= saved, "a longer piece saves no less");
        saved = length;
    }
}

/// A payload of which every code stands for one `a` more than the one before.
fn bomb() -> String {
    let (mut bits, width) = (Vec::new(), 2);
    let mut write = |value: usize, width: usize| bits.extend((0..width).map(|at| value >> at & 1 == 1));
    write(0, width);
    write(usize::from(b'a'), 8);
    let (mut width, mut until_wider) = (3, 4);
    let mut length = 1;
    for code in 4.. {
        write(code, width);
        until_wider -= 1;
        if until_wider == 0 {
            (until_wider, width) = (1 << width, width + 1);
        }
        length += code - 2;
        if length > 2 * MAX_UNITS {
            break;
        }
    }
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let symbol = |bits: &[bool]| bits.iter().fold(0, |symbol, bit| symbol << 1 | usize::from(*bit));
    bits.chunks_exact(6).map(|bits| alphabet[symbol(bits)] as char).collect()
}

#[test]
fn texts_beyond_the_limits_are_refused() {
    let bomb = bomb();
    assert!(bomb.len() < 20_000);
    assert_eq!(decode(&bomb).unwrap_err(), ShareError::TooLarge);
    assert_eq!(decode(&"A".repeat(MAX_PASTE + 1)).unwrap_err(), ShareError::TooLarge);
    let fields = |count: usize| {
        let fields: Vec<String> = (0..count).map(|n| format!("\"x{n}\":\"\"")).collect();
        link_of_json(&format!("{{\"policy\":\"p\",{}}}", fields.join(",")))
    };
    assert!(decode(&fields(50)).unwrap().complete);
    assert_eq!(decode(&fields(100_000)).unwrap_err(), ShareError::TooLarge);
    let nested = format!("{{\"policy\":\"p\",\"x\":{}", "[".repeat(100_000));
    assert!(!decode(&link_of_json(&nested)).unwrap().complete);
}
