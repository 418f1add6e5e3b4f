//! The answer, before it has a form.
//!
//! In: what was found. Out: what each form asks: names, places, words, which rows are shown.

use crate::report::problems::Problem;
use engine::Bundle;
use engine::json::Path;
use engine::load::{Extension, Followed, Role, load_with};
use engine::resource::Resource;
use engine::yaml::{Document, Source};
use engine_impact::{
    Class, Constructed, Counts, Direction, Group, Object, Pair, PairChange, Row, Shown, Sides, Undecided,
};
use engine_lenses::run::Positions;
use engine_lenses::wire::Range;
use std::collections::{BTreeMap, BTreeSet};

/// What a side is called.
pub(super) struct Side {
    pub(super) name: String,
    pub(super) commit: Option<String>,
}

/// Everything.
pub(super) struct Report {
    pub(super) old: Side,
    pub(super) new: Side,
    pub(super) sides: Sides,
    /// How many objects were evaluated.
    pub(super) objects: usize,
    pub(super) rows: Vec<Row>,
    pub(super) groups: Vec<Group>,
    pub(super) counts: Counts,
    /// How many rows are counted and not kept.
    pub(super) lost: usize,
    pub(super) undecided: Vec<(Undecided, usize)>,
    /// The policies that changed and spoke of an object.
    pub(super) spoke: BTreeSet<usize>,
    /// What is known of rows beside their verdicts.
    pub(super) details: BTreeMap<usize, Shown>,
    pub(super) constructed: Vec<Constructed>,
    /// The texts in which the rows have their places.
    pub(super) sources: Bundle,
    pub(super) problems: Vec<Problem>,
    pub(super) is_complete: bool,
    /// The name of the comment.
    pub(super) name: String,
    /// How many rows of a policy are shown.
    pub(super) limit: usize,
    /// Whether quiet changes are shown.
    pub(super) has_quiet: bool,
    pub(super) shows_secrets: bool,
    pub(super) followed: Followed,
    pub(super) extension: &'static Extension,
}

impl Report {
    /// The groups that are shown, by policy.
    pub(super) fn shown(&self) -> Vec<(usize, Vec<&Group>)> {
        let mut found: Vec<(usize, Vec<&Group>)> = Vec::new();
        for group in self.groups.iter().filter(|group| self.has_quiet || !group.class.is_quiet()) {
            match found.last_mut().filter(|(pair, _)| *pair == group.pair) {
                Some((_, groups)) => groups.push(group),
                None => found.push((group.pair, vec![group])),
            }
        }
        found
    }

    /// The rows that stand for a group that is shown.
    pub(super) fn first_rows(&self) -> Vec<usize> {
        let groups = self.shown().into_iter().flat_map(|(_, groups)| groups.into_iter().take(self.limit));
        groups.filter_map(|group| group.rows.first().copied()).collect()
    }

    pub(super) fn pair(&self, at: usize) -> Option<&Pair> {
        self.sides.pairs.get(at)
    }

    /// The name of a policy.
    pub(super) fn name(&self, at: usize) -> &str {
        self.pair(at).map_or("", |pair| pair.name.as_str())
    }

    /// The line of a policy on the new side, or on the old one where that alone has it.
    pub(super) fn policy_place(&self, at: usize) -> Option<Range> {
        let pair = self.pair(at)?;
        let [old, new] = self.sides.bundles();
        let of = |(bundle, document): (&Bundle, Option<_>)| {
            Positions::new(bundle).of_path(document?, &Path::root())
        };
        let [of_old, of_new] = pair.documents;
        of((new, of_new)).or_else(|| of((old, of_old)))
    }

    /// The lines of a row's object.
    pub(super) fn place(&self, at: usize) -> Option<Range> {
        let own = self.details.get(&at).and_then(|shown| shown.range.clone());
        own.or_else(|| Positions::new(&self.sources).of_span(self.rows.get(at)?.span?))
    }

    /// What the policy of a row said, by the old and the new side; of Secrets nothing.
    pub(super) fn message<'r>(&self, row: &'r Row) -> [Option<&'r str>; 2] {
        let is_hidden = row.object.kind == "Secret" && !self.shows_secrets;
        row.change.verdicts.each_ref().map(|verdict| {
            let message = verdict.as_ref().map(|verdict| verdict.message.as_str());
            if is_hidden { message.map(|_| "(a Secret: --show-secrets)") } else { message }
        })
    }

    /// `3 of 500 policies changed between main (1a2b) and HEAD (9f8e); 10,000 objects`.
    pub(super) fn headline(&self, shown: impl Fn(&str) -> String) -> String {
        let side = |Side { name, commit }: &Side| match commit {
            Some(commit) => format!("{} ({commit})", shown(name)),
            None => shown(name),
        };
        format!(
            "{} of {} changed between {} and {}; {}, asked {}",
            self.sides.changed().count(),
            count(self.sides.pairs.len(), "policy", "policies"),
            side(&self.old),
            side(&self.new),
            count(self.objects, "object", "objects"),
            self.asked(),
        )
    }

    /// With which request.
    fn asked(&self) -> String {
        let [_, new] = self.sides.bundles();
        let operation = new.settings.operation.as_deref().unwrap_or("CREATE");
        format!(
            "with {operation}{}",
            if new.host == engine::load::Host::Cluster { "" } else { ", not as a cluster decides" }
        )
    }

    /// The classes that are shown with their counts, by direction.
    pub(super) fn counted(&self) -> Vec<(Direction, Vec<(Class, usize)>)> {
        let all = [Direction::Stricter, Direction::Wider, Direction::Otherwise];
        let of = |direction| {
            let classes = self.counts.some().filter(|(class, _)| class.direction() == direction);
            (direction, classes.filter(|(class, _)| self.has_quiet || !class.is_quiet()).collect::<Vec<_>>())
        };
        all.into_iter().map(of).filter(|(_, classes)| !classes.is_empty()).collect()
    }

    /// Policies that changed and said nothing of any object.
    pub(super) fn silent(&self) -> Vec<&Pair> {
        let silent = self.sides.changed().filter(|(at, _)| !self.spoke.contains(at));
        silent.map(|(_, pair)| pair).collect()
    }

    /// Reads the object of a row again, with its document.
    pub(super) fn again(&self, row: &Row) -> Option<(Resource, Document, Source)> {
        let span = row.span?;
        let (_, source) = self.sources.source(span.source)?;
        let (before, _) = source.text.split_at_checked(span.start as usize)?;
        let text = source.text.get(span.start as usize..span.end as usize)?;
        // An item of a list stands further in than its first line says: lines and columns stay what they are.
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before.get(line..).map_or(0, str::len);
        let lines = before.bytes().filter(|byte| *byte == b'\n').count();
        let alone = "\n".repeat(lines) + &" ".repeat(column) + text;
        let alone = Source { text: alone.into(), ..source.clone() };
        let (bundle, _) = load_with(vec![(Role::Opened, alone.clone())], self.followed, self.extension);
        let resource = bundle.resources.into_iter().find(|resource| Object::of(resource) == row.object)?;
        Some((resource, bundle.documents.into_iter().next()?, alone))
    }
}

/// `1 object`, `10,000 objects`.
pub(super) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", number(n), if n == 1 { one } else { many })
}

/// A number with a comma before each three digits.
pub(super) fn number(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `Audit → Enforce`, `added`, …
pub(super) fn changed(pair: &Pair) -> String {
    match (pair.change, &pair.actions) {
        (Some(PairChange::Changed), [Some(old), Some(new)]) if old != new => format!("{old} → {new}"),
        (Some(change), _) => change.as_str().to_owned(),
        (None, _) => "unchanged: it sees objects that are mutated differently".to_owned(),
    }
}

/// What else is in a group than its first object: `and 211 more: 180 Deployments, 31 StatefulSets in 14 namespaces`.
pub(super) fn others(group: &Group) -> String {
    let objects: usize = group.kinds.values().sum();
    let kinds: Vec<String> = group.kinds.iter().map(|(kind, n)| format!("{} {kind}", number(*n))).collect();
    let owned = group.rows.len().saturating_sub(objects);
    let owned = if owned > 0 {
        format!(", and {} that these made", count(owned, "object", "objects"))
    } else {
        String::new()
    };
    match (objects, owned.as_str()) {
        (0 | 1, "") => String::new(),
        (0 | 1, owned) => owned.trim_start_matches(", ").to_owned(),
        (objects, owned) => format!(
            "and {} more: {} in {}{owned}",
            number(objects - 1),
            kinds.join(", "),
            count(group.namespaces, "namespace", "namespaces")
        ),
    }
}
