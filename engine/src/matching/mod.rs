//! Does a rule match a resource? First `match`, then `exclude`.
//!
//! In: a rule, a resource and who asks. Out: matched, or the attribute that decided against it.
//! Mirrors: pkg/engine/utils/match.go, pkg/utils/match.

mod labels;

use labels::against_selector;
pub(crate) use labels::selector_matches;

use crate::policy::{Filter, KindSelector, LabelSelector, Match, Origin, Rule, Subject};
use crate::resource::{DocumentId, Gvk, Resource};
use crate::trace::{Detail, Kind, Step, StepOutcome, Trace, Words};
use crate::value::Wildcard;
use engine_json::{Map, Path, Str, Value};

/// Who sent the request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UserInfo {
    /// Roles as `namespace:name`.
    pub roles: Vec<Str>,
    /// Cluster roles.
    pub cluster_roles: Vec<Str>,
    /// User name.
    pub username: Str,
    /// User id.
    pub uid: Str,
    /// Groups.
    pub groups: Vec<Str>,
    /// Further attributes.
    pub extra: Map,
}

impl UserInfo {
    /// A user that no rule means.
    // Kyverno: matchResource of pkg/engine/handlers/validation/utils.go.
    pub fn nobody() -> Self {
        let role = vec![Str::new_static("kyverno:invalidrole")];
        UserInfo {
            roles: role.clone(),
            cluster_roles: role,
            username: Str::new_static("kyverno:kyverno-invalid-controller"),
            uid: Str::new_static("kyverno:invaliduid"),
            groups: vec![Str::new_static("kyverno:invalidgroup")],
            extra: Map::new(),
        }
    }

    /// Whether nothing is known of the user: `match` then leaves users out of account.
    // Kyverno: a RequestInfo that equals the zero value.
    pub fn is_unknown(&self) -> bool {
        *self == UserInfo::default()
    }
}

/// What a match looks at besides the rule.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) resource: &'a Resource,
    pub(crate) gvk: &'a Gvk,
    pub(crate) subresource: &'a str,
    pub(crate) operation: &'a str,
    pub(crate) namespace_labels: &'a [(Str, Str)],
    pub(crate) user: &'a UserInfo,
    pub(crate) policy_namespace: &'a str,
}

/// Whether the rule applies to the resource.
// Kyverno: MatchesResourceDescription.
pub(crate) fn rule_matches(rule: &Rule, request: &Request<'_>, trace: &mut Trace) -> bool {
    trace.record(|| taken_up(rule));
    let namespace = request.policy_namespace;
    if !namespace.is_empty() && namespace != request.resource.namespace() {
        trace.record(|| {
            let found = request.resource.namespace();
            let text = format!("the policy is for namespace `{namespace}`, the resource is in `{found}`");
            Step::new(Kind::Match, false, text).in_resource(&Path::from_keys(NAMESPACE))
        });
        return false;
    }
    if !block_matches(&rule.matches, request, trace) {
        return false;
    }
    match &rule.exclude {
        Some(exclude) if !exclude.is_empty() => !block_excludes(exclude, request, trace),
        Some(_) | None => true,
    }
}

/// The step with which the steps of a rule begin.
fn taken_up(rule: &Rule) -> Step {
    let name = &rule.name;
    let text = rule.taken_up.get(|| match rule.origin {
        Origin::Written => format!("`{name}`"),
        Origin::AutogenControllers | Origin::AutogenCronJob => format!(
            "`{name}`, which autogen made of rule `{}` for {}",
            rule.written_name,
            rule.controllers.join(", ")
        ),
    });
    Step::new(Kind::Rule, StepOutcome::Note, text).in_policy(&rule.path).with(Detail::Rule(name.clone()))
}

fn block_matches(block: &Match, request: &Request<'_>, trace: &mut Trace) -> bool {
    let mut passes = |filter: &Filter| {
        let reason = against(filter, request, Side::Match, trace);
        let fits = reason.is_none();
        trace.record(|| {
            described(Kind::Match, filter, reason, "the resource matches").in_policy(&filter.path)
        });
        fits
    };
    if !block.any.is_empty() {
        block.any.iter().any(passes)
    } else if !block.all.is_empty() {
        block.all.iter().all(passes)
    } else {
        passes(&block.direct)
    }
}

fn block_excludes(block: &Match, request: &Request<'_>, trace: &mut Trace) -> bool {
    let mut excludes = |filter: &Filter| {
        // An empty filter excludes nothing.
        let reason = if filter.has_resources || filter.has_user_info() {
            against(filter, request, Side::Exclude, trace)
        } else {
            Some(Against::new("the filter is empty", &[]))
        };
        let fits = reason.is_none();
        trace.record(|| {
            described(Kind::Exclude, filter, reason, "the resource is excluded").in_policy(&filter.path)
        });
        fits
    };
    if !block.any.is_empty() {
        block.any.iter().any(excludes)
    } else if !block.all.is_empty() {
        block.all.iter().all(excludes)
    } else {
        excludes(&block.direct)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Match,
    Exclude,
    Exception,
}

/// Whether an exception is for the resource; operations do not count, users always do.
// Kyverno: engineutils.checkMatchesResources.
pub(crate) fn exception_matches(
    block: &Match,
    document: DocumentId,
    request: &Request<'_>,
    trace: &mut Trace,
) -> bool {
    let passes = |filter: &Filter| {
        let reason = if filter.has_resources || filter.has_user_info() {
            against(filter, request, Side::Exception, trace)
        } else {
            Some(Against::new("the filter is empty", &[]))
        };
        let fits = reason.is_none();
        trace.record(|| {
            described(Kind::Exception, filter, reason, "the exception is for this resource")
                .in_document(document, &filter.path)
        });
        fits
    };
    if block.any.is_empty() {
        !block.all.is_empty() && block.all.iter().all(passes)
    } else {
        block.any.iter().any(passes)
    }
}

/// Whether a cleanup policy's block is for the object; one without `any` and `all` is for every object.
// Kyverno: pkg/utils/match CheckMatchesResources.
pub(crate) fn block_is_for(block: &Match, request: &Request<'_>, trace: &mut Trace) -> bool {
    let mut passes = |filter: &Filter| {
        let reason = if filter.has_resources || filter.has_user_info() {
            against(filter, request, Side::Exception, trace)
        } else {
            Some(Against::new("the filter is empty", &[]))
        };
        let fits = reason.is_none();
        trace
            .record(|| described(Kind::Match, filter, reason, "the object is meant").in_policy(&filter.path));
        fits
    };
    match (block.any.as_slice(), block.all.as_slice()) {
        ([], all) => all.iter().all(&mut passes),
        (any, _) => any.iter().any(passes),
    }
}

/// An attribute that does not fit.
struct Against {
    /// Why not; empty where no step is kept.
    words: Words,
    /// The field of the resource that holds it; none for what is not a field.
    keys: &'static [&'static str],
}

impl Against {
    fn new(words: impl Into<Words>, keys: &'static [&'static str]) -> Self {
        Against { words: words.into(), keys }
    }
}

/// The step for a filter that fits, or does not for this reason.
fn described(kind: Kind, filter: &Filter, against: Option<Against>, fits: &str) -> Step {
    let Some(Against { words, keys }) = against else {
        return Step::new(kind, true, filter.fits.get(|| format!("{fits}: {}", attributes(filter))));
    };
    let step = Step::new(kind, false, words);
    if keys.is_empty() { step } else { step.in_resource(&Path::from_keys(keys)) }
}

/// What a filter asks for, in a few words: `kinds Pod; namespaces prod-*`.
fn attributes(filter: &Filter) -> String {
    let mut out = String::new();
    let mut add = |name: &str, values: &mut dyn Iterator<Item = &str>| {
        for (at, value) in values.enumerate() {
            let before = match (at, out.is_empty()) {
                (0, true) => "",
                (0, false) => "; ",
                _ => ", ",
            };
            out.push_str(before);
            if at == 0 {
                out.push_str(name);
                out.push(' ');
            }
            out.push_str(value);
        }
    };
    add("kinds", &mut filter.kinds.iter().map(|kind| kind.text.as_str()));
    add("name", &mut filter.name.iter().map(Wildcard::pattern));
    add("names", &mut filter.names.iter().map(Wildcard::pattern));
    add("namespaces", &mut filter.namespaces.iter().map(Wildcard::pattern));
    add("annotations", &mut filter.annotations.iter().map(|(key, _)| key.pattern()));
    let labels = |selector: &'_ LabelSelector| -> Vec<String> {
        let pairs = selector.match_labels.iter().map(|(key, value)| format!("{key}: {value}"));
        let terms = selector.match_expressions.iter();
        pairs.chain(terms.map(|term| format!("{} {}", term.key, term.operator))).collect()
    };
    for (name, selector) in
        [("labels", &filter.selector), ("labels of the namespace", &filter.namespace_selector)]
    {
        let texts = selector.as_ref().map(labels).unwrap_or_default();
        add(name, &mut texts.iter().map(String::as_str));
    }
    add("operations", &mut filter.operations.iter().map(Str::as_str));
    add("subjects", &mut filter.subjects.iter().map(|subject| subject.name_text.as_str()));
    add("roles", &mut filter.roles.iter().map(Str::as_str));
    add("clusterRoles", &mut filter.cluster_roles.iter().map(Str::as_str));
    out
}

/// The first attribute that does not fit; `None` where all fit.
fn against(filter: &Filter, request: &Request<'_>, side: Side, trace: &Trace) -> Option<Against> {
    // Kyverno: with nothing known of the user, match drops what it says about users; exclude does not.
    let about_users = filter.has_user_info() && !(side == Side::Match && request.user.is_unknown());
    if !filter.has_resources && !about_users {
        return Some(Against::new("the filter says nothing that can be decided", &[]));
    }
    against_resource(filter, request, side, trace).or_else(|| {
        let text = about_users.then(|| against_user(filter, request.user, trace)).flatten()?;
        Some(Against::new(text, &[]))
    })
}

/// The sentence for an attribute that has another value.
fn wants<'w>(
    (what, found): (&str, &str),
    wanted: impl Iterator<Item = &'w str>,
    keys: &'static [&'static str],
    trace: &Trace,
) -> Against {
    let sentence =
        || format!("{what} is `{found}`, the rule wants `{}`", wanted.collect::<Vec<_>>().join("`, `"));
    Against::new(trace.say(sentence), keys)
}

fn against_resource(filter: &Filter, request: &Request<'_>, side: Side, trace: &Trace) -> Option<Against> {
    let resource = request.resource;
    if side != Side::Exception
        && !filter.operations.is_empty()
        && !filter.operations.iter().any(|operation| operation == request.operation)
    {
        let wanted = filter.operations.iter().map(Str::as_str);
        return Some(wants(("operation", request.operation), wanted, &[], trace));
    }
    if !filter.kinds.is_empty() && !kinds_match(&filter.kinds, request.gvk, request.subresource) {
        let wanted = filter.kinds.iter().map(|kind| kind.text.as_str());
        return Some(wants(("kind", &request.gvk.kind), wanted, &["kind"], trace));
    }
    let name = resource.name_or_generate_name();
    let against_name =
        |wanted: &[Wildcard]| wants(("name", name), wanted.iter().map(Wildcard::pattern), NAME, trace);
    if let Some(wanted) = filter.name.as_ref().filter(|wanted| !wanted.matches(name)) {
        return Some(against_name(std::slice::from_ref(wanted)));
    }
    if !filter.names.is_empty() && !filter.names.iter().any(|wanted| wanted.matches(name)) {
        return Some(against_name(&filter.names));
    }
    if !filter.namespaces.is_empty() {
        let is_namespace = resource.kind() == "Namespace";
        let namespace = if is_namespace { resource.name() } else { resource.namespace() };
        if !filter.namespaces.iter().any(|wanted| wanted.matches(namespace)) {
            let keys = if is_namespace { NAME } else { NAMESPACE };
            let wanted = filter.namespaces.iter().map(Wildcard::pattern);
            return Some(wants(("namespace", namespace), wanted, keys, trace));
        }
    }
    against_labels(filter, request, side, trace)
}

/// What annotations and labels have against it.
fn against_labels(filter: &Filter, request: &Request<'_>, side: Side, trace: &Trace) -> Option<Against> {
    let resource = request.resource;
    if !filter.annotations.is_empty() {
        let annotations = pairs(resource.annotations());
        let lacks = |(key, value): &&(Wildcard, Wildcard)| {
            !annotations.iter().any(|(k, v)| key.matches(k) && value.matches(v))
        };
        if let Some((key, value)) = filter.annotations.iter().find(lacks) {
            let (key, value) = (key.pattern(), value.pattern());
            let text = trace.say(|| format!("no annotation matches `{key}: {value}`"));
            return Some(Against::new(text, &["metadata", "annotations"]));
        }
    }
    if let Some(selector) = &filter.selector
        && let Err(reason) = against_selector(selector, &pairs(resource.labels()), trace)
    {
        return Some(Against::new(trace.say(|| format!("labels: {reason}")), &["metadata", "labels"]));
    }
    let selector = filter.namespace_selector.as_ref()?;
    if resource.kind() == "Namespace" {
        if side == Side::Exception {
            return None;
        }
        return Some(Against::new("a namespaceSelector does not apply to a Namespace itself", &["kind"]));
    }
    let reason = against_selector(selector, request.namespace_labels, trace).err()?;
    let text = trace.say(|| format!("labels of namespace `{}`: {reason}", resource.namespace()));
    Some(Against::new(text, NAMESPACE))
}

const NAME: &[&str] = &["metadata", "name"];
const NAMESPACE: &[&str] = &["metadata", "namespace"];

fn against_user(filter: &Filter, user: &UserInfo, trace: &Trace) -> Option<String> {
    let lacks =
        |wanted: &[Str], found: &[Str]| !wanted.is_empty() && !wanted.iter().any(|role| found.contains(role));
    if lacks(&filter.roles, &user.roles) {
        let wanted = || filter.roles.join("`, `");
        return Some(trace.say(|| format!("the user has none of the roles `{}`", wanted())));
    }
    if lacks(&filter.cluster_roles, &user.cluster_roles) {
        let wanted = || filter.cluster_roles.join("`, `");
        return Some(trace.say(|| format!("the user has none of the cluster roles `{}`", wanted())));
    }
    if !filter.subjects.is_empty() && !filter.subjects.iter().any(|subject| subject_is(subject, user)) {
        return Some(trace.say(|| {
            let named = |subject: &Subject| format!("{} {}", subject.kind, subject.name_text);
            let wanted: Vec<String> = filter.subjects.iter().map(named).collect();
            format!("the user is not one of `{}`", wanted.join("`, `"))
        }));
    }
    None
}

// Kyverno: CheckSubjects.
fn subject_is(subject: &Subject, user: &UserInfo) -> bool {
    match subject.kind.as_str() {
        "ServiceAccount" => {
            let name = format!("system:serviceaccount:{}:{}", subject.namespace, subject.name_text);
            crate::value::wildcard::matches(&name, &user.username)
        }
        "Group" => user.groups.iter().any(|group| subject.name.matches(group)),
        "User" => subject.name.matches(&user.username),
        _ => false,
    }
}

// Kyverno: CheckKind with ephemeral containers allowed, which a rule on Pods sees without asking.
fn kinds_match(kinds: &[KindSelector], gvk: &Gvk, subresource: &str) -> bool {
    let is_pod = gvk.group.is_empty() && gvk.version == "v1" && gvk.kind == "Pod";
    kinds.iter().any(|selector| {
        selector.group.matches(&gvk.group)
            && selector.version.matches(&gvk.version)
            && selector.kind.matches(&gvk.kind)
            && (selector.subresource.matches(subresource) || (is_pod && subresource == "ephemeralcontainers"))
    })
}

/// The texts of a map of labels or annotations; other values are left out, as unstructured readers leave them out.
// Go: unstructured.GetLabels gives nothing at all when one value is not a text.
pub(crate) fn pairs(map: Option<&Map>) -> Vec<(Str, Str)> {
    let Some(map) = map else { return Vec::new() };
    let text = |(key, value): (&Str, &Value)| match value {
        Value::String(text) => Some((key.clone(), text.clone())),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    };
    map.iter().map(text).collect::<Option<Vec<_>>>().unwrap_or_default()
}
