//! The matches of an expression in a text, with what their groups hold.
//!
//! In: `(\d)x` and `1x 2x`. Out: `1x` with `1`, `2x` with `2`.

use super::machine::{Machine, NONE};
use super::{MAX_KEPT, MAX_STEPS, Refusal, Regex};

/// One match.
#[derive(Clone, Debug)]
pub struct Match<'t> {
    text: &'t str,
    places: Vec<usize>,
}

impl<'t> Match<'t> {
    /// Where a group begins and ends; 0 is the whole match. `None` where the group took no part.
    pub fn place(&self, group: usize) -> Option<(usize, usize)> {
        match (self.places.get(2 * group), self.places.get(2 * group + 1)) {
            (Some(&start), Some(&end)) if start != NONE && end != NONE => Some((start, end)),
            _ => None,
        }
    }

    /// What a group holds.
    pub fn group(&self, group: usize) -> Option<&'t str> {
        let (start, end) = self.place(group)?;
        self.text.get(start..end)
    }
}

impl Regex {
    /// How many groups the expression has, the whole not counted.
    pub fn groups(&self) -> usize {
        self.names.len().saturating_sub(1)
    }

    /// The first matches, at most so many, none overlapping another.
    ///
    /// # Errors
    /// It would take too many steps or too much memory.
    // Go: regexp.go allMatches.
    pub fn find_all<'t>(&self, text: &'t str, limit: usize) -> Result<Vec<Match<'t>>, Refusal> {
        let slots = 2 * (self.groups() + 1);
        if slots.saturating_mul(self.program.instructions.len()) > MAX_KEPT {
            return Err(Refusal::Memory);
        }
        let mut machine = Machine::new(&self.program, slots, MAX_STEPS);
        let mut found = Vec::new();
        let (mut at, mut last_end) = (0, None);
        while found.len() < limit && at <= text.len() {
            let Some(places) = machine.search(text, at).map_err(|_| Refusal::Steps)? else { break };
            let (Some(&start), Some(&end)) = (places.first(), places.get(1)) else { break };
            let mut counts = true;
            if end == at {
                // An empty match just behind another one is none.
                counts = last_end != Some(start);
                at += text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
            } else {
                at = end;
            }
            last_end = Some(end);
            if counts {
                found.push(Match { text, places });
            }
            if found.len().saturating_mul(slots) > MAX_KEPT {
                return Err(Refusal::Memory);
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_matches_are_found_as_go_finds_them() {
        let all = |pattern: &str, text: &str| -> Vec<String> {
            let regex = Regex::new(pattern).unwrap();
            let found = regex.find_all(text, usize::MAX).unwrap();
            found.iter().map(|found| found.group(0).unwrap_or("-").to_owned()).collect()
        };
        assert_eq!(all("", "abc"), ["", "", "", ""]);
        assert_eq!(all("a*", "baac"), ["", "aa", ""]);
        assert_eq!(all("ab.", "abc abd"), ["abc", "abd"]);
        assert_eq!(all("x", "abc"), [""; 0]);
    }

    #[test]
    fn groups_that_took_no_part_hold_nothing() {
        let regex = Regex::new("(a)|(b)").unwrap();
        let found = regex.find_all("b", 1).unwrap();
        assert_eq!((found[0].group(1), found[0].group(2), regex.groups()), (None, Some("b"), 2));
    }
}
