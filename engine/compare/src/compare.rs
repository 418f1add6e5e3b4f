//! The comparison from texts to an answer.
//!
//! In: the texts of both sides, and options. Out: a [`Comparison`].

use crate::answer::{Comparison, Counts, Grade, Reason};
use crate::assumptions::About;
use crate::begun::{Begun, documents_of};
use crate::deletions;
use crate::difference::{Basis, Criterion};
use crate::exact::{Members, Proof, Prover};
use crate::finding::finding;
use crate::gap::KindGap;
use crate::mistakes::noticed;
use crate::objects::field_types::FieldType;
use crate::objects::kinds::Target;
use crate::objects::schema::Schema;
use crate::plain_values::PlainValue;
use crate::reads::Reads;
use crate::request::{Operation, Request};
use crate::same::are_same;
use crate::search::cells::{CellInputs, cells};
use crate::search::random::Random;
use crate::search::shrink::Shrinker;
use crate::search::{Found, Search};
use crate::settings::{not_compared, unlike_actions};
use crate::shown::{arrange, cut};
use crate::sides::authorizer::why_asked;
use crate::sides::bindings::unlike_bindings;
use crate::sides::side::{Actions, Side};
use engine::world::World;
use engine_lenses::wire::Text;

/// How a comparison is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is compared.
    pub criterion: Criterion,
    /// Which action counts.
    pub actions: Actions,
    /// How many requests are tried at most.
    pub max_requests: usize,
    /// How many cases are tried at most to show that two sides are the same.
    pub max_cases: usize,
    /// Which operations are tried; where none is named, creation, update, and deletion where a policy names it.
    pub operations: Vec<Operation>,
    /// Objects to begin with.
    pub resources: Vec<Text>,
    /// How many mutants of the new side are tried where no difference is found.
    pub mutants: usize,
    /// What random numbers begin with: the same seed gives the same answer.
    pub seed: u64,
    /// What fields of custom kinds are taken to hold.
    pub field_types: Vec<FieldType>,
    /// Differences between kinds of policies that do not count.
    pub ignored_gaps: Vec<KindGap>,
    /// Whether only images are tried that can be pulled: an API server takes others, and a kubelet refuses them (`InvalidImageName`).
    pub has_readable_images: bool,
    /// Strings of objects in which no wildcards are taken to stand.
    pub plain_values: Vec<PlainValue>,
}

/// How many requests are tried where the options do not say.
const MAX_REQUESTS: usize = 8_000;
/// How many cases are tried where the options do not say.
const MAX_CASES: usize = 40_000;
/// How many mutants are tried where the options do not say.
const MUTANTS: usize = 24;

impl Default for Options {
    fn default() -> Self {
        Options {
            criterion: Criterion::Decision,
            actions: Actions::AsWritten,
            max_requests: MAX_REQUESTS,
            max_cases: MAX_CASES,
            operations: Vec::new(),
            resources: Vec::new(),
            mutants: MUTANTS,
            seed: 1,
            field_types: Vec::new(),
            ignored_gaps: Vec::new(),
            has_readable_images: false,
            plain_values: Vec::new(),
        }
    }
}

/// Compares two sides. `should_continue` is called now and then with how many requests were tried, and says whether to go on.
pub fn compare(
    old: &[Text],
    new: &[Text],
    options: &Options,
    world: &dyn World,
    should_continue: &mut dyn FnMut(usize) -> bool,
) -> Comparison {
    let mut answer = Comparison::of(Grade::NotCompared);
    let begun = match Begun::of([old, new], options, world) {
        Ok(begun) => begun,
        Err(reasons) => {
            answer.reasons = reasons;
            return answer;
        }
    };
    let Begun { sides, schema, options, .. } = &begun;
    answer.assumptions = begun.about().assumptions();
    answer.assumptions.extend(begun.converted.iter().map(|line| format!("versions: {line}")));
    let [old_documents, new_documents] = sides.each_ref().map(documents_of);
    answer.but_for = not_compared([&old_documents, &new_documents], schema, options.criterion);
    answer.but_for.extend(unlike_actions(sides));
    answer.but_for.extend(unlike_bindings(sides.each_ref().map(|side| side.is_unbound)));
    answer
        .assumptions
        .extend(answer.but_for.iter().map(|what| format!("differs and is not compared: {what}")));
    if are_same(&old_documents, &new_documents) {
        answer.grade = Grade::Same;
        return answer;
    }
    let asked = why_asked(sides);
    if !asked.is_empty() {
        return Comparison { reasons: asked, ..Comparison::of(Grade::NotCompared) };
    }
    let mut first = Vec::new();
    let mut is_unknown = begun.may_delete;
    match begun.prove(should_continue) {
        Proof::Same(cases) => {
            answer.grade = Grade::Same;
            answer.counts = Counts { cases, requests: cases, ..Counts::default() };
            return answer;
        }
        Proof::Differs(request) if !options.operations.contains(&request.attributes.operation) => {
            if sides.iter().all(Side::is_classic) {
                return with_deletions([old, new], options, world, should_continue);
            }
            answer.assumptions.push(deletions::UNLIKE.to_owned());
            is_unknown = false;
        }
        Proof::Differs(request) => first.push(*request),
        Proof::Outside(why) => answer.assumptions.push(format!("not every case is evaluated: {why}")),
        Proof::Stopped => {}
    }
    let mut found = begun.search(first, should_continue);
    let remembered = std::mem::take(&mut found.remembered).requests();
    begun.take(&found, &mut answer);
    let not_taken = found.not_taken.iter();
    answer
        .assumptions
        .extend(not_taken.map(|what| format!("not tried, as no API server could read it: {what}")));
    if is_unknown && deletions::differ(sides, &remembered, begun.basis()) {
        if answer.grade == Grade::NoDifference && sides.iter().all(Side::is_classic) {
            return with_deletions([old, new], options, world, should_continue);
        }
        answer.assumptions.push(deletions::UNLIKE.to_owned());
    }
    if answer.grade == Grade::NoDifference && !found.was_stopped {
        let [_, new] = sides;
        noticed::count(&mut answer, &remembered, new, (options, begun.basis(), world), should_continue);
    }
    answer
}

/// Compares two sides of ClusterPolicies that decide the same but for deletions, which both are asked about.
fn with_deletions(
    [old, new]: [&[Text]; 2],
    options: &Options,
    world: &dyn World,
    should_continue: &mut dyn FnMut(usize) -> bool,
) -> Comparison {
    let operations = vec![Operation::Create, Operation::Update, Operation::Delete];
    compare(old, new, &Options { operations, ..options.clone() }, world, should_continue)
}

/// Holds random members of the classes of two sides against the cases that stand for them: what a claim of [`Grade::Same`] rests on.
///
/// # Errors
/// Why the classes of these sides cannot be told.
pub fn draw_members(
    old: &[Text],
    new: &[Text],
    options: &Options,
    world: &dyn World,
    count: usize,
) -> Result<Members, &'static str> {
    let begun = Begun::of([old, new], options, world).map_err(|_| "a side that is not compared")?;
    begun.prover(&begun.options.operations)?.draw(&begun.reads, count)
}

impl Begun<'_> {
    /// What is compared.
    fn basis(&self) -> Basis<'_> {
        let [old, new] = &self.sides;
        Basis::of(self.options.criterion, &self.schema, [old, new])
    }

    /// What is said about the comparison.
    fn about(&self) -> About<'_, '_> {
        About {
            sides: &self.sides,
            options: &self.options,
            schema: &self.schema,
            reads: &self.reads,
            kinds: &self.kinds,
            named: &self.named,
            left_out: &self.left_out,
            parameters: &self.parameters,
        }
    }

    /// Tries every case, where they can be told.
    fn prove(&self, should_continue: &mut dyn FnMut(usize) -> bool) -> Proof {
        let mut operations = self.options.operations.clone();
        operations.extend(self.may_delete.then_some(Operation::Delete));
        match self.prover(&operations) {
            Ok(prover) => prover.prove(&self.reads, should_continue),
            Err(outside) => Proof::Outside(outside),
        }
    }

    fn prover<'p>(&'p self, operations: &'p [Operation]) -> Result<Prover<'p, 'p>, &'static str> {
        if !self.left_out.is_empty() {
            return Err("kinds that are left out");
        }
        if !self.named.is_empty() {
            return Err("subresources");
        }
        Ok(Prover {
            sides: &self.sides,
            schema: &self.schema,
            kinds: &self.kinds,
            operations,
            criterion: self.options.criterion,
            max_cases: self.options.max_cases,
            seed: self.options.seed,
        })
    }

    /// Searches, beginning with these requests.
    fn search(&self, first: Vec<Request>, should_continue: &mut dyn FnMut(usize) -> bool) -> Found {
        let [old, new] = &self.sides;
        let mut search = Search {
            old,
            new,
            schema: &self.schema,
            reads: &self.reads,
            named: &self.named,
            parameters: &self.parameters,
            criterion: self.options.criterion,
            is_before: self.sides.iter().any(Side::mutates),
            budget: self.options.max_requests,
            operations: &self.options.operations,
            should_continue,
            found: Found::default(),
            random: Random(self.options.seed),
        };
        search.run(&self.kinds, &self.given, first);
        search.found
    }

    /// The smallest requests of what was found, and the grade.
    fn take(&self, found: &Found, answer: &mut Comparison) {
        let [old, new] = &self.sides;
        let criterion = self.options.criterion;
        answer.counts = counts(found, &self.reads, &self.kinds, &self.schema);
        let shrinker = Shrinker { old, new, criterion, schema: &self.schema };
        let is_ignored =
            |gap: &Option<KindGap>| gap.is_some_and(|gap| self.options.ignored_gaps.contains(&gap));
        let counted = found.counted().filter(|((gap, ..), _)| !is_ignored(gap));
        for ((gap, _, _, direction, cause), request) in counted {
            let request = shrinker.smallest(request, *direction, *cause);
            let of_texts = gap.filter(|gap| gap.is_of_texts());
            answer.findings.extend(finding(old, new, request, (*direction, of_texts), self.basis()));
        }
        answer.findings.retain(|finding| !is_ignored(&finding.gap));
        arrange(&mut answer.findings);
        let is_cut = cut(&mut answer.findings);
        if found.has_both_directions() {
            answer.assumptions.push(
                "the search ended soon after both directions were found: there may be further causes"
                    .to_owned(),
            );
        }
        if is_cut || found.may_have_more() {
            answer.assumptions.push(
                "of wider and of stricter requests three of each kind are shown at most, each with another cause, and nine in all"
                    .to_owned(),
            );
        }
        answer.grade = match (answer.findings.is_empty(), found.undecided == found.tried) {
            (false, _) => Grade::Different,
            (true, true) => {
                let text = "no request could be decided by both sides".to_owned();
                answer.reasons.push(Reason { side: "new", text, range: None });
                Grade::NotCompared
            }
            (true, false) => Grade::NoDifference,
        };
    }
}

fn counts(found: &Found, reads: &Reads, kinds: &[Target], schema: &Schema) -> Counts {
    let (old_branches, new_branches, pairs_met, pairs_not_met) = found.branches();
    let inputs = CellInputs { schema, pool: &reads.pool };
    let places =
        kinds.iter().map(|kind| cells(&reads.object, &kind.version, &kind.kind, &inputs).len()).sum();
    Counts {
        cases: 0,
        requests: found.tried,
        undecided: found.undecided,
        assumed: found.assumed,
        only_written: found.only_written,
        places,
        old_branches,
        new_branches,
        pairs_met,
        pairs_not_met,
        mutants: 0,
        noticed: 0,
    }
}
