//! Who may ask, and what labels the Namespace may have, as policies name them and nearly so.
//!
//! In: names and groups of users, roles and labels that policies name. Out: attributes of requests.

use crate::objects::valid::names::is_label_value;
use crate::reads::Reads;
use crate::request::Attributes;
use crate::search::apart::{Sort, apart};
use crate::search::regex;
use engine_json::Str;
use std::collections::BTreeSet;

/// How many attributes are tried.
const MAX_ATTRIBUTES: usize = 40;
/// How many parts of names of service accounts are put together.
const MAX_PARTS: usize = 3;
/// Of how many names and groups others are made that are nearly so.
const MAX_NEAR: usize = 4;
/// How service accounts begin.
// k8s.io/apiserver/pkg/authentication/serviceaccount: ServiceAccountUsernamePrefix.
const SERVICE_ACCOUNT: &str = "system:serviceaccount:";
/// The Namespace in which objects are tried, and one that begins as it does.
const NAMESPACES: [&str; 2] = ["default", "defaultx"];

fn filled(name: &str) -> String {
    name.replace(['*', '?'], "x")
}

/// The attributes to try, without those of a request that no policy names.
pub(crate) fn named_attributes(reads: &Reads) -> Vec<Attributes> {
    let plain = Attributes::creation();
    let mut all = Vec::new();
    if reads.asks_dry_run {
        all.push(Attributes { is_dry_run: true, ..plain.clone() });
    }
    all.extend(users(&reads.users).into_iter().map(|name| {
        let mut attributes = plain.clone();
        attributes.user.username = Str::from(name);
        attributes
    }));
    all.extend(groups(&reads.groups).into_iter().map(|groups| {
        let mut attributes = plain.clone();
        attributes.user.groups.extend(groups.into_iter().map(Str::from));
        attributes
    }));
    for name in &reads.roles {
        let mut attributes = plain.clone();
        attributes.user.roles.push(Str::from(filled(name)));
        all.push(attributes);
    }
    for name in &reads.cluster_roles {
        let mut attributes = plain.clone();
        attributes.user.cluster_roles.push(Str::from(filled(name)));
        all.push(attributes);
    }
    all.extend(labels(reads).into_iter().map(|labels| Attributes { labels, ..plain.clone() }));
    all.truncate(MAX_ATTRIBUTES);
    all
}

/// Labels of a Namespace: each that is read with each of its values, and any two together.
fn labels(reads: &Reads) -> Vec<Vec<(Str, Str)>> {
    // Each key has a value at least: more of them are beyond the bound.
    let read = reads.namespace_labels.fields.iter().take(MAX_ATTRIBUTES).map(|(key, node)| {
        let constants: Vec<&str> = node.constants.iter().filter_map(engine_json::Value::as_str).collect();
        // What is named, and all that is tried.
        let named = constants.iter().map(|text| filled(text)).filter(|text| is_label_value(text));
        (key, named.take(MAX_PARTS).collect::<Vec<_>>(), label_values(&constants))
    });
    let read: Vec<_> = read.collect();
    let label = |key: &Str, value: &String| (key.clone(), Str::from(value.as_str()));
    let alone =
        read.iter().flat_map(|(key, _, values)| values.iter().map(move |value| vec![label(key, value)]));
    // A value that is named beside all of another label.
    let pairs = read.iter().flat_map(|one| read.iter().map(move |other| (one, other)));
    let together =
        pairs.filter(|(one, other)| one.0 != other.0).flat_map(|((one, named, _), (other, _, values))| {
            let with = move |first| {
                values
                    .iter()
                    .take(2 * MAX_NEAR)
                    .map(move |value| vec![label(one, first), label(other, value)])
            };
            named.iter().flat_map(with)
        });
    alone.chain(together).take(MAX_ATTRIBUTES).collect()
}

/// The values of a label that is held against constants: these, what an expression among them takes, what only begins or ends so, and another.
fn label_values(constants: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = constants.iter().map(|text| filled(text)).collect();
    found.push("x".to_owned());
    let near: Vec<&str> = constants.iter().copied().filter(|text| !text.is_empty()).take(MAX_NEAR).collect();
    for text in &near {
        if is_regex(text) {
            found.extend(regex::sample(text).into_iter().take(MAX_PARTS));
        } else {
            found.extend([format!("{}x", filled(text)), format!("x{}", filled(text))]);
        }
    }
    let known: Vec<&str> = found.iter().map(String::as_str).collect();
    let further = apart(&near, &known, Sort::Text);
    found.extend(further);
    let mut seen = BTreeSet::new();
    found.retain(|value| is_label_value(value) && seen.insert(value.clone()));
    found
}

fn is_regex(name: &str) -> bool {
    name.contains(['^', '$', '(', '[', '\\'])
}

/// The names of users: those that are named, and others that only begin or end so.
fn users(named: &BTreeSet<Str>) -> Vec<String> {
    let mut found: Vec<String> = named.iter().map(|name| filled(name)).collect();
    for name in named.iter().take(MAX_NEAR) {
        found.extend(service_accounts(name));
        // Of a regular expression those that it takes.
        let taken = if is_regex(name) { regex::sample(name) } else { Vec::new() };
        found.extend(taken.iter().take(MAX_PARTS).flat_map(|name| service_accounts(name)));
    }
    // What stands alone may be the Namespace or the name of a service account that was taken apart.
    let parts: Vec<String> =
        named.iter().filter(|name| !name.contains(':')).take(MAX_PARTS).map(|name| filled(name)).collect();
    let with_any = |part: &String| [[part.clone(), "x".to_owned()], ["x".to_owned(), part.clone()]];
    let of_two = parts.iter().flat_map(|one| parts.iter().map(move |other| [one.clone(), other.clone()]));
    let accounts = of_two.chain(parts.iter().flat_map(with_any));
    found.extend(accounts.map(|[namespace, name]| format!("{SERVICE_ACCOUNT}{namespace}:{name}")));
    for name in named.iter().filter(|name| !name.contains(['*', '?'])).take(MAX_PARTS) {
        if is_regex(name) {
            found.extend(regex::sample(name));
        }
        found.extend([format!("{name}x"), format!("x{name}")]);
        // A point in a regular expression stands for any character.
        found
            .extend(name.contains('.').then(|| format!("x{}", name.trim_end_matches('$').replace('.', "x"))));
    }
    let mut known = BTreeSet::new();
    found.retain(|name| !name.is_empty() && known.insert(name.clone()));
    found
}

/// Service accounts near a name or a prefix of names: another one of the Namespace, one of a Namespace that begins so, and one of any other.
fn service_accounts(name: &str) -> Vec<String> {
    let name = name.trim_start_matches('^');
    let Some(rest) = name.strip_prefix(SERVICE_ACCOUNT) else { return Vec::new() };
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let namespace = rest.split(|letter| !is_plain(letter)).next().unwrap_or("");
    let namespaces: Vec<String> = match namespace {
        "" => NAMESPACES.map(str::to_owned).to_vec(),
        _ => vec![namespace.to_owned(), format!("{namespace}x"), "x".to_owned()],
    };
    namespaces.into_iter().map(|namespace| format!("{SERVICE_ACCOUNT}{namespace}:x")).collect()
}

/// The groups of users: each that is named alone, any two together, and those that begin or end so.
fn groups(named: &BTreeSet<Str>) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = named.iter().map(|name| vec![filled(name)]).collect();
    let near: Vec<&Str> = named.iter().take(MAX_NEAR).collect();
    for (at, one) in near.iter().enumerate() {
        found.extend(near.iter().skip(at + 1).map(|other| vec![filled(one), filled(other)]));
    }
    let plain = near.iter().filter(|name| !name.contains(['*', '?']));
    found.extend(plain.flat_map(|name| [vec![format!("{name}x")], vec![format!("x{name}")]]));
    found
}

#[cfg(test)]
mod tests {
    use super::{groups, users};
    use engine_json::Str;

    #[test]
    fn users_are_those_that_are_named_and_nearly_so() {
        let of = |name: &'static str| users(&[Str::new_static(name)].into_iter().collect());
        for (name, near) in [
            ("system:serviceaccount:ci:", "system:serviceaccount:x:x"),
            ("system:serviceaccount:argocd:*", "system:serviceaccount:argocdx:x"),
            ("^system:serviceaccount:(ci|cd):", "system:serviceaccount:cix:x"),
            ("system:serviceaccount:", "system:serviceaccount:defaultx:x"),
            ("ci", "system:serviceaccount:ci:x"),
            ("@example.com$", "x@examplexcom"),
            ("jim", "jimx"),
        ] {
            assert!(of(name).iter().any(|user| user == near), "{name}: {:?}", of(name));
        }
        let both = groups(&["a", "b"].map(Str::new_static).into_iter().collect());
        assert!(
            both.contains(&vec!["a".to_owned(), "b".to_owned()]) && both.contains(&vec!["ax".to_owned()])
        );
    }
}
