//! Does a rule match a resource? First `match`, then `exclude`.
//!
//! In: a rule, a resource and who asks. Out: matched, or the attribute that decided against it.
//! Mirrors: pkg/engine/utils/match.go, pkg/utils/match.

mod labels;

pub(crate) use labels::selector_matches;

use crate::policy::{Filter, KindSelector, Match, Rule, Subject};
use crate::resource::{Gvk, Resource};
use crate::trace::{Kind, Step, Trace};
use crate::value::Wildcard;
use engine_json::{Map, Str, Value};

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
    let namespace = request.policy_namespace;
    if !namespace.is_empty() && namespace != request.resource.namespace() {
        trace.record(|| {
            let found = request.resource.namespace();
            Step::new(
                Kind::Match,
                false,
                format!("the policy is for namespace `{namespace}`, the resource is in `{found}`"),
            )
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

fn block_matches(block: &Match, request: &Request<'_>, trace: &mut Trace) -> bool {
    let mut passes = |filter: &Filter| {
        let reason = against(filter, request, Side::Match);
        trace.record(|| {
            let text = reason.as_ref().map_or_else(|| "the resource matches".to_owned(), Clone::clone);
            Step::new(Kind::Match, reason.is_none(), text).in_policy(&filter.path)
        });
        reason.is_none()
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
            against(filter, request, Side::Exclude)
        } else {
            Some("the filter is empty".to_owned())
        };
        trace.record(|| {
            let text = reason.as_ref().map_or_else(|| "the resource is excluded".to_owned(), Clone::clone);
            Step::new(Kind::Exclude, reason.is_none(), text).in_policy(&filter.path)
        });
        reason.is_none()
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
pub(crate) fn exception_matches(block: &Match, request: &Request<'_>, trace: &mut Trace) -> bool {
    let passes = |filter: &Filter| {
        let reason = if filter.has_resources || filter.has_user_info() {
            against(filter, request, Side::Exception)
        } else {
            Some("the filter is empty".to_owned())
        };
        trace.record(|| {
            let text =
                reason.as_ref().map_or_else(|| "the exception is for this resource".to_owned(), Clone::clone);
            Step::new(Kind::Exception, reason.is_none(), text)
        });
        reason.is_none()
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
            against(filter, request, Side::Exception)
        } else {
            Some("the filter is empty".to_owned())
        };
        trace.record(|| {
            let text = reason.as_ref().map_or_else(|| "the object is meant".to_owned(), Clone::clone);
            Step::new(Kind::Match, reason.is_none(), text).in_policy(&filter.path)
        });
        reason.is_none()
    };
    match (block.any.as_slice(), block.all.as_slice()) {
        ([], all) => all.iter().all(&mut passes),
        (any, _) => any.iter().any(passes),
    }
}

/// The first attribute that does not fit, in a sentence; `None` where all fit.
fn against(filter: &Filter, request: &Request<'_>, side: Side) -> Option<String> {
    // Kyverno: with nothing known of the user, match drops what it says about users; exclude does not.
    let about_users = filter.has_user_info() && !(side == Side::Match && request.user.is_unknown());
    if !filter.has_resources && !about_users {
        return Some("the filter says nothing that can be decided".to_owned());
    }
    against_resource(filter, request, side)
        .or_else(|| about_users.then(|| against_user(filter, request.user)).flatten())
}

fn against_resource(filter: &Filter, request: &Request<'_>, side: Side) -> Option<String> {
    let resource = request.resource;
    let wants = |what: &str, found: &str, wanted: &[&str]| {
        Some(format!("{what} is `{found}`, the rule wants `{}`", wanted.join("`, `")))
    };
    let texts = |wildcards: &'_ [Wildcard]| -> Vec<String> {
        wildcards.iter().map(|wildcard| wildcard.pattern().to_owned()).collect()
    };
    let list = |wildcards: &[Wildcard]| texts(wildcards).join("`, `");
    if side != Side::Exception
        && !filter.operations.is_empty()
        && !filter.operations.iter().any(|operation| operation == request.operation)
    {
        let wanted: Vec<&str> = filter.operations.iter().map(Str::as_str).collect();
        return wants("operation", request.operation, &wanted);
    }
    if !filter.kinds.is_empty() && !kinds_match(&filter.kinds, request.gvk, request.subresource) {
        let wanted: Vec<&str> = filter.kinds.iter().map(|kind| kind.text.as_str()).collect();
        return wants("kind", &request.gvk.kind, &wanted);
    }
    let name = resource.name_or_generate_name();
    if let Some(wanted) = filter.name.as_ref().filter(|wanted| !wanted.matches(name)) {
        return wants("name", name, &[wanted.pattern()]);
    }
    if !filter.names.is_empty() && !filter.names.iter().any(|wanted| wanted.matches(name)) {
        return wants("name", name, &[&list(&filter.names)]);
    }
    if !filter.namespaces.is_empty() {
        let namespace = if resource.kind() == "Namespace" { resource.name() } else { resource.namespace() };
        if !filter.namespaces.iter().any(|wanted| wanted.matches(namespace)) {
            return wants("namespace", namespace, &[&list(&filter.namespaces)]);
        }
    }
    let annotations = pairs(resource.annotations());
    let lacks = |(key, value): &&(Wildcard, Wildcard)| {
        !annotations.iter().any(|(k, v)| key.matches(k) && value.matches(v))
    };
    if let Some((key, value)) = filter.annotations.iter().find(lacks) {
        return Some(format!("no annotation matches `{}: {}`", key.pattern(), value.pattern()));
    }
    if let Some(selector) = &filter.selector
        && let Err(reason) = selector_matches(selector, &pairs(resource.labels()))
    {
        return Some(format!("labels: {reason}"));
    }
    let selector = filter.namespace_selector.as_ref()?;
    if resource.kind() == "Namespace" {
        if side == Side::Exception {
            return None;
        }
        return Some("a namespaceSelector does not apply to a Namespace itself".to_owned());
    }
    let reason = selector_matches(selector, request.namespace_labels).err()?;
    Some(format!("labels of namespace `{}`: {reason}", resource.namespace()))
}

fn against_user(filter: &Filter, user: &UserInfo) -> Option<String> {
    if !filter.roles.is_empty() && !filter.roles.iter().any(|role| user.roles.contains(role)) {
        return Some(format!("the user has none of the roles `{}`", filter.roles.join("`, `")));
    }
    if !filter.cluster_roles.is_empty()
        && !filter.cluster_roles.iter().any(|role| user.cluster_roles.contains(role))
    {
        return Some(format!(
            "the user has none of the cluster roles `{}`",
            filter.cluster_roles.join("`, `")
        ));
    }
    if !filter.subjects.is_empty() && !filter.subjects.iter().any(|subject| subject_is(subject, user)) {
        let wanted: Vec<String> =
            filter.subjects.iter().map(|subject| format!("{} {}", subject.kind, subject.name_text)).collect();
        return Some(format!("the user is none of `{}`", wanted.join("`, `")));
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
// Go: unstructured.GetLabels gives nothing at all when one value is no text.
pub(crate) fn pairs(map: Option<&Map>) -> Vec<(Str, Str)> {
    let Some(map) = map else { return Vec::new() };
    let text = |(key, value): (&Str, &Value)| match value {
        Value::String(text) => Some((key.clone(), text.clone())),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    };
    map.iter().map(text).collect::<Option<Vec<_>>>().unwrap_or_default()
}
