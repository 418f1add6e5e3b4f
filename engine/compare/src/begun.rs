//! Two sides before they are compared: what they are, what they read, and what is tried.
//!
//! In: the texts of both sides, and options. Out: [`Begun`]; or why they are not compared.

use crate::answer::Reason;
use crate::compare::Options;
use crate::deletions;
use crate::objects::kinds::{Target, targets, unguessed};
use crate::objects::schema::Schema;
use crate::objects::subresources::{self, Subresource};
use crate::objects::versions::reaching;
use crate::reads::Reads;
use crate::reads::cel_policies;
use crate::reads::classic;
use crate::reads::field_path::field_path;
use crate::reads::pod_security;
use crate::request::Operation;
use crate::search::unlike::unlike;
use crate::sides::deletion::note_ages;
use crate::sides::side::Side;
use crate::sides::unasked::why_nothing_is_asked;
use engine::load::Role;
use engine::world::World;
use engine_json::Value;
use engine_lenses::wire::Text;
use std::collections::BTreeSet;

/// How many objects to begin with are taken.
const MAX_GIVEN: usize = 200;

/// Two sides that can be compared, and what they are about.
pub(crate) struct Begun<'w> {
    /// Both sides.
    pub(crate) sides: [Side<'w>; 2],
    /// The fields of Kubernetes' kinds.
    pub(crate) schema: Schema,
    /// What both read.
    pub(crate) reads: Reads,
    /// The kinds that are tried.
    pub(crate) kinds: Vec<Target>,
    /// Subresources that policies name.
    pub(crate) named: Vec<&'static Subresource>,
    /// What is left out.
    pub(crate) left_out: BTreeSet<String>,
    /// Objects to begin with.
    pub(crate) given: Vec<Value>,
    /// Objects that are taken as parameters: of those, and of what stands beside the policies.
    pub(crate) parameters: Vec<Value>,
    /// With the operations that are tried.
    pub(crate) options: Options,
    /// Whether ClusterPolicies are asked about deletions too, which are not tried as no policy names them.
    pub(crate) may_delete: bool,
    /// How objects of some versions reach policies that name another one.
    pub(crate) converted: Vec<String>,
}

impl<'w> Begun<'w> {
    /// Reads both sides.
    pub(crate) fn of(
        [old, new]: [&[Text]; 2],
        options: &Options,
        world: &'w dyn World,
    ) -> Result<Self, Vec<Reason>> {
        let mut sides = Side::both([old, new], options.actions, world);
        let deletes = comparable(&sides)?;
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
        let mut reads = reads_of(&sides, &documents);
        note_ages(&mut reads, world);
        let mut left_out = BTreeSet::new();
        let all: Vec<&Value> = documents.iter().flatten().copied().collect();
        let mut kinds = targets(&all, &schema, &mut left_out);
        if sides.iter().any(Side::is_of_pods) {
            for side in &sides {
                read_pod_security(side, &mut reads);
            }
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
        left_out.extend(others.iter().map(|of| left_out_line(of)));
        if kinds.is_empty() && named.is_empty() {
            return Err(vec![nothing_tried(&left_out)]);
        }
        let plurals = unguessed(&all, &kinds);
        for side in &mut sides {
            side.know(&plurals);
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

/// Whether both sides delete what is there.
///
/// # Errors
///
/// Why they are not compared.
fn comparable(sides: &[Side<'_>; 2]) -> Result<bool, Vec<Reason>> {
    let mut all: Vec<Reason> =
        sides.iter().zip(["old", "new"]).flat_map(|(side, name)| reasons(side, name)).collect();
    all.extend(why_nothing_is_asked(sides));
    if !all.is_empty() {
        return Err(all);
    }
    let [deletes, deletes_too] = sides.each_ref().map(Side::deletes);
    if deletes != deletes_too {
        let text = "one side decides requests, the other deletes what is there".to_owned();
        return Err(vec![Reason { side: "new", text, range: None }]);
    }
    Ok(deletes)
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

/// What both sides read, and where one of them does not read the same.
fn reads_of(sides: &[Side<'_>; 2], documents: &[Vec<&Value>; 2]) -> Reads {
    let mut all = Reads::default();
    let mut of_sides = [Reads::default(), Reads::default()];
    for ((own, side), documents) in of_sides.iter_mut().zip(sides).zip(documents) {
        for reads in [&mut all, own] {
            for document in documents {
                read(document, documents, reads);
            }
        }
        read_pod_security(side, own);
    }
    if documents.iter().flatten().any(|document| pod_security::asks_level(document)) {
        pod_security::name_metadata(&mut all);
    }
    all.unlike = unlike(of_sides.each_ref().map(|reads| &reads.object));
    all
}

/// Reads what the level of Pod Security, or the PodSecurityPolicies, of a side look at.
fn read_pod_security(side: &Side<'_>, reads: &mut Reads) {
    if side.is_of_pods() {
        pod_security::read(reads);
        side.psps.iter().for_each(|policy| pod_security::read_psp(policy, reads));
    }
}

/// What is said of a subresource that is not tried.
fn left_out_line(of: &Subresource) -> String {
    let why = match of.operation {
        Operation::Connect => {
            " (their objects have no metadata, and a policy reads some or names namespaces)"
        }
        _ => "",
    };
    format!("requests for `{}`{why}", of.path())
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
