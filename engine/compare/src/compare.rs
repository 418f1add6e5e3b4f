//! The comparison from texts to an answer.
//!
//! In: the texts of both sides, and options. Out: a [`Comparison`].

use crate::answer::{Comparison, Counts, Grade, Reason};
use crate::assumptions::About;
use crate::deletions;
use crate::difference::Criterion;
use crate::exact::{Members, Proof, Prover};
use crate::finding::finding;
use crate::gap::KindGap;
use crate::mistakes::noticed;
use crate::objects::field_types::FieldType;
use crate::objects::kinds::{Target, targets};
use crate::objects::schema::Schema;
use crate::objects::subresources::{self, Subresource};
use crate::objects::versions::reaching;
use crate::plain_values::PlainValue;
use crate::reads::Reads;
use crate::reads::cel_policies;
use crate::reads::classic;
use crate::reads::field_path::field_path;
use crate::reads::pod_security;
use crate::request::{Operation, Request};
use crate::same::are_same;
use crate::search::cells::{CellInputs, cells};
use crate::search::random::Random;
use crate::search::shrink::Shrinker;
use crate::search::{Found, Search};
use crate::settings::not_compared;
use crate::shown::arrange;
use crate::sides::bindings::unlike_bindings;
use crate::sides::deletion::note_ages;
use crate::sides::side::{Actions, Side};
use engine::load::Role;
use engine::wire::Text;
use engine::world::World;
use engine_json::Value;
use std::collections::BTreeSet;

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
/// How many objects to begin with are taken.
const MAX_GIVEN: usize = 200;

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
    let Begun {
        sides,
        schema,
        reads,
        kinds,
        named,
        left_out,
        given,
        parameters,
        options,
        may_delete,
        converted,
    } = &begun;
    let about = About { sides, options, schema, reads, kinds, named, left_out, parameters };
    answer.assumptions = about.assumptions();
    answer.assumptions.extend(converted.iter().map(|line| format!("versions: {line}")));
    let [old_documents, new_documents] = sides.each_ref().map(documents_of);
    answer.but_for = not_compared([&old_documents, &new_documents], schema, options.criterion);
    answer.but_for.extend(unlike_bindings(sides.each_ref().map(|side| side.added.as_slice())));
    answer
        .assumptions
        .extend(answer.but_for.iter().map(|what| format!("differs and is not compared: {what}")));
    if are_same(&old_documents, &new_documents) {
        answer.grade = Grade::Same;
        return answer;
    }
    let task = Task { sides, schema, reads, kinds, named, given, parameters, options };
    let mut first = Vec::new();
    let mut is_unknown = *may_delete;
    match task.prove(left_out, *may_delete, should_continue) {
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
    let found = task.search(first, should_continue);
    task.take(&found, &mut answer);
    if is_unknown && deletions::differ(sides, &found.remembered, options.criterion) {
        if answer.grade == Grade::NoDifference && sides.iter().all(Side::is_classic) {
            return with_deletions([old, new], options, world, should_continue);
        }
        answer.assumptions.push(deletions::UNLIKE.to_owned());
    }
    if answer.grade == Grade::NoDifference && !found.was_stopped {
        let [_, new] = sides;
        noticed::count(&mut answer, &found.remembered, new, (options, world), should_continue);
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
    let Begun { sides, schema, reads, kinds, named, left_out, given, parameters, options, .. } = &begun;
    let task = Task { sides, schema, reads, kinds, named, given, parameters, options };
    task.prover(left_out, &options.operations)?.draw(reads, count)
}

/// Two sides that can be compared, and what they are about.
struct Begun<'w> {
    sides: [Side<'w>; 2],
    schema: Schema,
    reads: Reads,
    kinds: Vec<Target>,
    /// Subresources that policies name.
    named: Vec<&'static Subresource>,
    left_out: BTreeSet<String>,
    /// Objects to begin with.
    given: Vec<Value>,
    /// Objects that are taken as parameters: of those, and of what stands beside the policies.
    parameters: Vec<Value>,
    /// With the operations that are tried.
    options: Options,
    /// Whether ClusterPolicies are asked about deletions too, which are not tried as no policy names them.
    may_delete: bool,
    /// How objects of some versions reach policies that name another one.
    converted: Vec<String>,
}

impl<'w> Begun<'w> {
    /// Reads both sides.
    fn of([old, new]: [&[Text]; 2], options: &Options, world: &'w dyn World) -> Result<Self, Vec<Reason>> {
        let sides = [Side::read(old, options.actions, world), Side::read(new, options.actions, world)];
        let all: Vec<Reason> =
            sides.iter().zip(["old", "new"]).flat_map(|(side, name)| reasons(side, name)).collect();
        if !all.is_empty() {
            return Err(all);
        }
        let [deletes, deletes_too] = sides.each_ref().map(Side::deletes);
        if deletes != deletes_too {
            let text = "one side decides requests, the other deletes what is there".to_owned();
            return Err(vec![Reason { side: "new", text, range: None }]);
        }
        let schema = Schema::new()
            .with_field_types(options.field_types.clone())
            .with_readable_images(options.has_readable_images)
            .with_plain_values(options.plain_values.clone());
        let documents = sides.each_ref().map(documents_of);
        let operations =
            if deletes { vec![Operation::Create] } else { deletions::operations(options, &documents) };
        let may_delete = options.operations.is_empty()
            && !deletes
            && !operations.contains(&Operation::Delete)
            && sides.iter().any(Side::asks_deletions);
        let options = Options { operations, ..options.clone() };
        let mut reads = Reads::default();
        for documents in &documents {
            for document in documents {
                read(document, documents, &mut reads);
            }
        }
        note_ages(&mut reads, world);
        let mut left_out = BTreeSet::new();
        let all: Vec<&Value> = documents.iter().flatten().copied().collect();
        let mut kinds = targets(&all, &schema, &mut left_out);
        if sides.iter().any(Side::is_of_pods) {
            read_pod_security(&sides, &mut reads);
            kinds = vec![Target { version: "v1".into(), kind: "Pod".into() }];
        }
        let versions = sides.each_ref().map(|side| &side.versions);
        let (kinds, converted) = reaching(kinds, versions, &reads.object, &schema, &mut left_out);
        // What is connected by has no namespace and no name, which classic policies take from elsewhere.
        let reads_metadata =
            reads.object.fields.contains_key("metadata") || !reads.namespace_labels.fields.is_empty();
        let may_be = |of: &&'static Subresource| {
            let is_asked = of.operation == Operation::Connect || options.operations.contains(&of.operation);
            is_asked && (of.has_metadata() || !reads_metadata)
        };
        let (named, others): (Vec<_>, Vec<_>) = subresources::named(&all).into_iter().partition(may_be);
        left_out.extend(others.iter().map(|of| format!("requests for `{}`", of.path())));
        if kinds.is_empty() && named.is_empty() {
            return Err(vec![nothing_tried(&left_out)]);
        }
        let given = given(&options.resources);
        let parameters = parameters(&sides, &given, &mut reads);
        Ok(Begun {
            sides,
            schema,
            reads,
            kinds,
            named,
            left_out,
            given,
            parameters,
            options,
            may_delete,
            converted,
        })
    }
}

/// What is taken as a parameter: the objects to begin with, and what stands beside the policies. They may be held against anything.
fn parameters(sides: &[Side<'_>; 2], given: &[Value], reads: &mut Reads) -> Vec<Value> {
    let beside = sides.iter().flat_map(|side| &side.bundle.settings.parameters);
    let beside = beside.map(|parameter| parameter.value.with_int_numbers());
    let all: Vec<Value> = given.iter().cloned().chain(beside).collect();
    for parameter in &all {
        reads.pool_values_of(parameter);
    }
    all
}

/// Reads what the levels of Pod Security and PodSecurityPolicies look at.
fn read_pod_security(sides: &[Side<'_>; 2], reads: &mut Reads) {
    pod_security::read(reads);
    sides.iter().flat_map(|side| &side.psps).for_each(|policy| pod_security::read_psp(policy, reads));
}

/// Why two sides are not compared of which no kind is tried.
fn nothing_tried(left_out: &BTreeSet<String>) -> Reason {
    let mut text = "neither side names a kind of objects that is tried here".to_owned();
    for (at, what) in left_out.iter().enumerate() {
        text.push_str(if at == 0 { "; left out: " } else { ", " });
        text.push_str(what);
    }
    Reason { side: "new", text, range: None }
}

/// Why a side is not compared.
fn reasons(side: &Side<'_>, name: &'static str) -> Vec<Reason> {
    let reason = |(text, range)| Reason { side: name, text, range };
    side.why_not_compared().into_iter().map(reason).collect()
}

/// What a search is made of.
struct Task<'l, 'w> {
    sides: &'l [Side<'w>; 2],
    schema: &'l Schema,
    reads: &'l Reads,
    kinds: &'l [Target],
    named: &'l [&'static Subresource],
    given: &'l [Value],
    parameters: &'l [Value],
    options: &'l Options,
}

impl Task<'_, '_> {
    /// Tries every case, where they can be told.
    fn prove(
        &self,
        left_out: &BTreeSet<String>,
        may_delete: bool,
        should_continue: &mut dyn FnMut(usize) -> bool,
    ) -> Proof {
        let mut operations = self.options.operations.clone();
        operations.extend(may_delete.then_some(Operation::Delete));
        match self.prover(left_out, &operations) {
            Ok(prover) => prover.prove(self.reads, should_continue),
            Err(outside) => Proof::Outside(outside),
        }
    }

    fn prover<'p>(
        &'p self,
        left_out: &BTreeSet<String>,
        operations: &'p [Operation],
    ) -> Result<Prover<'p, 'p>, &'static str> {
        if !left_out.is_empty() {
            return Err("kinds that are left out");
        }
        if !self.named.is_empty() {
            return Err("subresources");
        }
        Ok(Prover {
            sides: self.sides,
            schema: self.schema,
            kinds: self.kinds,
            operations,
            criterion: self.options.criterion,
            max_cases: self.options.max_cases,
            seed: self.options.seed,
        })
    }

    /// Searches, beginning with these requests.
    fn search(&self, first: Vec<Request>, should_continue: &mut dyn FnMut(usize) -> bool) -> Found {
        let [old, new] = self.sides;
        let mut search = Search {
            old,
            new,
            schema: self.schema,
            reads: self.reads,
            named: self.named,
            parameters: self.parameters,
            criterion: self.options.criterion,
            is_before: self.sides.iter().any(Side::mutates),
            budget: self.options.max_requests,
            operations: &self.options.operations,
            should_continue,
            found: Found::default(),
            random: Random(self.options.seed),
        };
        search.run(self.kinds, self.given, first);
        search.found
    }

    /// The smallest requests of what was found, and the grade.
    fn take(&self, found: &Found, answer: &mut Comparison) {
        let [old, new] = self.sides;
        let criterion = self.options.criterion;
        answer.counts = counts(found, self.reads, self.kinds, self.schema);
        let shrinker = Shrinker { old, new, criterion, schema: self.schema };
        let is_ignored =
            |gap: &Option<KindGap>| gap.is_some_and(|gap| self.options.ignored_gaps.contains(&gap));
        let counted = found.counted().filter(|((gap, ..), _)| !is_ignored(gap));
        for ((gap, _, direction, cause), request) in counted {
            let request = shrinker.smallest(request, *direction, *cause);
            let of_texts = gap.filter(|gap| gap.is_of_texts());
            answer.findings.extend(finding(old, new, request, (*direction, of_texts), criterion));
        }
        answer.findings.retain(|finding| !is_ignored(&finding.gap));
        arrange(&mut answer.findings);
        if found.may_have_more() {
            answer.assumptions.push(
                "of wider and of stricter requests three are shown at most, each with another cause"
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

/// The documents of policies and of what stands beside them, without what was added.
pub(crate) fn documents_of<'s>(side: &'s Side<'_>) -> Vec<&'s Value> {
    let is_given = |document: &&engine::yaml::Document| {
        let source = side.bundle.source(document.source);
        let is_read = |role: &Role| matches!(role, Role::Policies | Role::Exceptions | Role::Parameters);
        source.is_some_and(|(role, source)| is_read(role) && source.name != "bindings")
    };
    side.bundle.documents.iter().filter(is_given).map(|document| &document.value).collect()
}

/// Reads a document, which stands beside these.
fn read(document: &Value, beside: &[&Value], reads: &mut Reads) {
    // A policy of a namespace decides about objects of that namespace.
    if let Some(namespace) = document.find(&["metadata", "namespace"]) {
        reads.note_object(&field_path(&["metadata", "namespace"]), std::slice::from_ref(namespace));
    }
    match document.find_str(&["kind"]) {
        "ClusterPolicy" | "Policy" => classic::read(document, reads),
        "ClusterCleanupPolicy" | "CleanupPolicy" => classic::read_cleanup(document, reads),
        "ValidatingAdmissionPolicyBinding" | "MutatingAdmissionPolicyBinding" => {
            cel_policies::read_binding(document, reads);
        }
        "PolicyException" if document.find_str(&["apiVersion"]).starts_with("kyverno.io/") => {
            classic::read_exception(document, reads);
        }
        _ => cel_policies::read(document, beside, reads),
    }
}

fn given(texts: &[Text]) -> Vec<Value> {
    let sources: Vec<_> = texts.iter().map(|text| (Role::Opened, text.into())).collect();
    let (bundle, _) = engine::load::load(sources, engine::load::Host::Cli);
    bundle.resources.into_iter().map(|resource| resource.value.with_int_numbers()).take(MAX_GIVEN).collect()
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
