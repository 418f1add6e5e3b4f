//! Whole numbers of any length up to [`super::MAX_DIGITS`], as limbs of nine decimal digits.
//!
//! In: digits. Out: sums, products, quotients, and shifts by powers of ten, which decimal limbs make cheap.
//! `Natural::parse("12")` times `Natural::from(3)` prints `36`.

use super::MAX_DIGITS;
use std::cmp::Ordering;
use std::fmt;

const BASE: u64 = 1_000_000_000;
const LIMB_DIGITS: u64 = 9;

/// A number from zero up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Natural {
    // INVARIANT: least limb first, each below BASE, the last one not zero; zero has none.
    limbs: Vec<u32>,
}

impl From<u64> for Natural {
    fn from(value: u64) -> Self {
        Natural::of(vec![limb(value), limb(value / BASE), limb(value / BASE / BASE)])
    }
}

/// The lowest limb of a number.
fn limb(value: u64) -> u32 {
    (value % BASE) as u32
}

impl Natural {
    fn of(mut limbs: Vec<u32>) -> Self {
        while limbs.last() == Some(&0) {
            limbs.pop();
        }
        Natural { limbs }
    }

    /// Of decimal digits, at least one.
    pub(super) fn parse(digits: &str) -> Option<Self> {
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits = digits.trim_start_matches('0').as_bytes();
        if digits.len() as u64 > MAX_DIGITS {
            return None;
        }
        let value = |chunk: &[u8]| chunk.iter().fold(0_u64, |sum, byte| sum * 10 + u64::from(byte - b'0'));
        Some(Natural::of(digits.rchunks(9).map(|chunk| limb(value(chunk))).collect()))
    }

    pub(super) fn is_zero(&self) -> bool {
        self.limbs.is_empty()
    }

    /// How many digits it has; zero has none.
    pub(super) fn len(&self) -> u64 {
        let Some(last) = self.limbs.last() else { return 0 };
        (self.limbs.len() as u64 - 1) * LIMB_DIGITS + u64::from(last.checked_ilog10().unwrap_or(0)) + 1
    }

    fn bounded(self) -> Option<Self> {
        (self.len() <= MAX_DIGITS).then_some(self)
    }

    pub(super) fn plus(&self, other: &Natural) -> Option<Self> {
        let count = self.limbs.len().max(other.limbs.len());
        let mut carry = 0;
        let zeros = std::iter::repeat(&0);
        let pairs = self.limbs.iter().chain(zeros.clone()).zip(other.limbs.iter().chain(zeros));
        let mut limbs = Vec::with_capacity(count + 1);
        for (a, b) in pairs.take(count) {
            let sum = u64::from(*a) + u64::from(*b) + carry;
            limbs.push(limb(sum));
            carry = sum / BASE;
        }
        limbs.push(limb(carry));
        Natural::of(limbs).bounded()
    }

    /// One more; it may pass the bound by one digit.
    pub(super) fn incremented(mut self) -> Self {
        for slot in &mut self.limbs {
            if u64::from(*slot) + 1 < BASE {
                *slot += 1;
                return self;
            }
            *slot = 0;
        }
        self.limbs.push(1);
        self
    }

    /// The difference; `other` is not greater.
    pub(super) fn minus(&self, other: &Natural) -> Self {
        let mut borrow = 0;
        let mut limbs = Vec::with_capacity(self.limbs.len());
        for (a, b) in self.limbs.iter().zip(other.limbs.iter().chain(std::iter::repeat(&0))) {
            let rest = BASE + u64::from(*a) - u64::from(*b) - borrow;
            limbs.push(limb(rest));
            borrow = 1 - rest / BASE;
        }
        Natural::of(limbs)
    }

    pub(super) fn times(&self, other: &Natural) -> Option<Self> {
        if self.len() + other.len() > MAX_DIGITS {
            return None;
        }
        let mut limbs = vec![0; self.limbs.len() + other.limbs.len()];
        for (at, a) in self.limbs.iter().enumerate() {
            let mut carry = 0;
            let row = other.limbs.iter().chain(std::iter::once(&0));
            for (slot, b) in limbs.iter_mut().skip(at).zip(row) {
                let sum = u64::from(*slot) + u64::from(*a) * u64::from(*b) + carry;
                *slot = limb(sum);
                carry = sum / BASE;
            }
        }
        Some(Natural::of(limbs))
    }

    /// Times a number of one limb, into a buffer of limbs.
    fn times_limb(&self, factor: u64) -> Natural {
        let mut carry = 0;
        let mut limbs = Vec::with_capacity(self.limbs.len() + 1);
        for a in &self.limbs {
            let sum = u64::from(*a) * factor + carry;
            limbs.push(limb(sum));
            carry = sum / BASE;
        }
        limbs.push(limb(carry));
        Natural::of(limbs)
    }

    /// The quotient without its remainder; `divisor` is not zero.
    pub(super) fn divided_by(&self, divisor: &Natural) -> Self {
        let mut rest = Natural { limbs: Vec::new() };
        let mut quotient = Vec::with_capacity(self.limbs.len());
        for next in self.limbs.iter().rev() {
            rest.limbs.insert(0, *next);
            rest = Natural::of(rest.limbs);
            // The largest limb whose product with the divisor is not above the rest.
            let (mut fits, mut above) = (0, BASE);
            while *divisor <= rest && above - fits > 1 {
                let middle = fits.midpoint(above);
                if divisor.times_limb(middle) <= rest { fits = middle } else { above = middle }
            }
            rest = rest.minus(&divisor.times_limb(fits));
            quotient.push(limb(fits));
        }
        quotient.reverse();
        Natural::of(quotient)
    }

    /// Quotient and remainder by a number of one limb, not zero.
    fn divided_by_limb(&self, divisor: u64) -> (Natural, u64) {
        let mut rest = 0;
        let mut limbs = Vec::with_capacity(self.limbs.len());
        for a in self.limbs.iter().rev() {
            let value = rest * BASE + u64::from(*a);
            limbs.push(limb(value / divisor));
            rest = value % divisor;
        }
        limbs.reverse();
        (Natural::of(limbs), rest)
    }

    /// Times `10^places`.
    pub(super) fn shifted_up(&self, places: u64) -> Option<Self> {
        if self.is_zero() {
            return Some(self.clone());
        }
        if self.len().saturating_add(places) > MAX_DIGITS {
            return None;
        }
        let shifted = self.times_limb(10_u64.pow(u32::try_from(places % LIMB_DIGITS).ok()?));
        let zeros = usize::try_from(places / LIMB_DIGITS).ok()?;
        Some(Natural { limbs: std::iter::repeat_n(0, zeros).chain(shifted.limbs).collect() })
    }

    /// Divided by `10^places`, and whether nothing was lost.
    pub(super) fn shifted_down(&self, places: u64) -> (Self, bool) {
        let is_exact = self.is_zero() || places <= self.trailing_zeros();
        let Ok(dropped) = usize::try_from(places / LIMB_DIGITS) else {
            return (Natural { limbs: Vec::new() }, is_exact);
        };
        let kept = Natural { limbs: self.limbs.iter().skip(dropped).copied().collect() };
        let power = 10_u64.pow(u32::try_from(places % LIMB_DIGITS).unwrap_or(0));
        (kept.divided_by_limb(power).0, is_exact)
    }

    /// How many zeros the digits end with; zero has none.
    pub(super) fn trailing_zeros(&self) -> u64 {
        let limbs = self.limbs.iter().take_while(|limb| **limb == 0).count();
        let Some(mut first) = self.limbs.get(limbs).copied() else { return 0 };
        let mut zeros = limbs as u64 * LIMB_DIGITS;
        while first.is_multiple_of(10) {
            first /= 10;
            zeros += 1;
        }
        zeros
    }

    /// Divided by `factor` as often as it goes, and how often that was.
    pub(super) fn without_factor(&self, factor: u32) -> (Self, i32) {
        let (mut size, mut times) = (self.clone(), 0);
        while !size.is_zero() {
            let (next, rest) = size.divided_by_limb(u64::from(factor));
            if rest != 0 {
                break;
            }
            size = next;
            times += 1;
        }
        (size, times)
    }

    /// The number modulo 2^64.
    pub(super) fn low_bits(&self) -> u64 {
        self.limbs
            .iter()
            .rev()
            .fold(0, |low: u64, limb| low.wrapping_mul(BASE).wrapping_add(u64::from(*limb)))
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_length = self.limbs.len().cmp(&other.limbs.len());
        by_length.then_with(|| self.limbs.iter().rev().cmp(other.limbs.iter().rev()))
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut limbs = self.limbs.iter().rev();
        write!(f, "{}", limbs.next().unwrap_or(&0))?;
        limbs.try_for_each(|limb| write!(f, "{limb:09}"))
    }
}
