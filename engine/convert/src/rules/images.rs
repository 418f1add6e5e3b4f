//! Rules that verify images.
//!
//! In: a rule with `verifyImages`. Out: the `spec` of an ImageValidatingPolicy: whom a signature or an attestation must be by, for the
//! images that the references name; or what has no faithful form. Signatures need a registry, so nothing of it is compared.
//! Sources: Kyverno's `pkg/engine/internal/imageverifier.go`, `pkg/image/verifiers/cpol`, `pkg/image/verifiers/ivpol`.

use crate::expressions::formula::Formula;
use crate::expressions::scope::Scope;
use crate::expressions::types::Types;
use crate::kinds::{copied, is_nothing, list, map, written};
use crate::named_kind::is_pod_or_controller;
use crate::refusal::{Class, Converted, below, refuse};
use crate::rules::validate::conditions;
use crate::select::{Owner, Selection, selection};
use engine_json::{Map, Path, Value};

/// A rule as the `spec` of a policy of its own, and what a reader should know.
#[derive(Debug)]
pub(crate) struct Verifying {
    pub(crate) spec: Map,
    pub(crate) is_for_pods: bool,
    pub(crate) notes: Vec<String>,
}

/// All images of a Pod or of what makes Pods.
const ALL: &str = "(images.containers + images.initContainers + images.ephemeralContainers)";
/// The transparency log that Kyverno asks where none is named.
const REKOR: &str = "https://rekor.sigstore.dev";

/// A rule.
pub(crate) fn rule(document: &Value, rule: &Value, path: &Path, types: &Types<'_>) -> Converted<Verifying> {
    let place = below(path, ["verifyImages"]);
    let [entry] = list(rule, "verifyImages") else {
        return refuse(
            Class::Rule,
            &place,
            "several entries, each for images of its own: write a rule for each",
        );
    };
    let place = place.join(0);
    if rule.get("imageExtractors").is_some() {
        return refuse(
            Class::Rule,
            &below(path, ["imageExtractors"]),
            "images at other places than those of Pods",
        );
    }
    let owner = Owner {
        is_namespaced: document.find_str(&["kind"]) == "Policy",
        is_extended: true,
        ..Owner::default()
    };
    let selection = Selection { owner, ..selection(rule, path, types)? };
    if let Some(kind) = selection.kinds.iter().find(|kind| !is_pod_or_controller(&kind.name)) {
        let text = format!("`{}` is not a kind whose images are known", kind.name);
        return refuse(Class::Match, &below(path, ["match"]), text);
    }
    settings(entry, &place)?;
    let scope = Scope::new(&selection, types);
    let asked = conditions(rule, path, &selection, &scope)?;
    let mut met = asked.plain();
    if asked.needs != Formula::True {
        met.push(("can-be-read".into(), asked.needs.text()));
    }
    let mut writer = Writer::from(entry);
    writer.all(entry, &place)?;
    let given: Vec<&str> = selection.operations.iter().map(String::as_str).collect();
    let operations = if given.is_empty() { vec!["CREATE", "UPDATE"] } else { given };
    let mut spec = Map::new();
    spec.insert("matchConstraints", selection.constraints(&operations));
    if !met.is_empty() {
        let one = |(name, expression): &(String, String)| {
            map([("name", Value::from(name.as_str())), ("expression", Value::from(expression.as_str()))])
        };
        spec.insert("matchConditions", Value::array(met.iter().map(one).collect()));
    }
    spec.insert("matchImageReferences", references(entry, &place)?);
    copied(&mut spec, &map([("credentials", credentials(entry))]), &["credentials"]);
    spec.insert("validationConfigurations", configurations(entry));
    spec.insert("attestors", Value::array(writer.attestors));
    if !writer.attestations.is_empty() {
        spec.insert("attestations", Value::array(writer.attestations));
    }
    spec.insert("validations", Value::array(writer.validations));
    Ok(Verifying { spec, is_for_pods: selection.is_for_pods(), notes: scope.notes() })
}

/// What an ImageValidatingPolicy does not have.
fn settings(entry: &Value, path: &Path) -> Converted<()> {
    if engine_json::to_json(entry).contains("{{") {
        return refuse(Class::Expression, path, "variables in `verifyImages`");
    }
    for (field, why) in [
        ("skipImageReferences", "images that are left out"),
        ("validate", "conditions about what was verified"),
        ("cosignOCI11", "signatures that are referrers"),
        ("roots", "roots for all attestors"),
        ("key", "`key`, which is old: write `attestors`"),
        ("additionalExtensions", "extensions for all attestors"),
    ] {
        if entry.get(field).is_some_and(|value| !is_nothing(value) && value.as_bool() != Some(false)) {
            return refuse(Class::Setting, &path.join(field), why);
        }
    }
    if !matches!(entry.find_str(&["type"]), "" | "Cosign" | "Notary") {
        let text = format!("signatures of type `{}`", entry.find_str(&["type"]));
        return refuse(Class::Setting, &path.join("type"), text);
    }
    Ok(())
}

/// The images that are meant. Kyverno compares with registry and tag, the new policy with what is written.
fn references(entry: &Value, path: &Path) -> Converted<Value> {
    let mut globs: Vec<String> = Vec::new();
    for (at, reference) in written(entry, "imageReferences").into_iter().enumerate() {
        let place = path.join("imageReferences").join(at);
        if reference.contains(['[', '{', '\\', '!']) {
            return refuse(Class::Pattern, &place, format!("`{reference}` means something else as a glob"));
        }
        if reference.trim_matches('*').is_empty() {
            globs.push("*".into());
            continue;
        }
        let Some((registry, rest)) = reference.split_once('/') else {
            return refuse(Class::Pattern, &place, format!("`{reference}` names no registry"));
        };
        let is_host = registry.contains(['.', ':']) || registry == "localhost";
        if registry.contains(['*', '?']) || !is_host {
            return refuse(Class::Pattern, &place, format!("`{reference}`: the registry is not written"));
        }
        // An image without a tag has the tag `latest`, and one without a registry is one of Docker's.
        let (name, tag) = rest.rsplit_once(':').unwrap_or((rest, ""));
        let mut forms = vec![reference.to_owned()];
        let matches_latest = !tag.is_empty() && engine::value::wildcard::matches(tag, "latest");
        if tag.is_empty() && !rest.ends_with('*') {
            let text =
                format!("`{reference}` is for an image without a tag, which Kyverno gives every image");
            return refuse(Class::Pattern, &place, text);
        }
        if matches_latest {
            forms.insert(0, format!("{registry}/{name}"));
        }
        if matches!(registry, "docker.io" | "index.docker.io") {
            let bare: Vec<String> = forms
                .iter()
                .filter_map(|form| form.strip_prefix(registry)?.strip_prefix('/').map(str::to_owned))
                .collect();
            if bare.iter().any(|form| form.starts_with('*')) {
                let text = format!("`{reference}`: an image of Docker's need not name a registry");
                return refuse(Class::Pattern, &place, text);
            }
            forms.extend(bare);
        }
        globs.extend(forms);
    }
    globs.dedup();
    if globs.is_empty() {
        return refuse(Class::Pattern, path, "there are no `imageReferences`");
    }
    Ok(Value::array(globs.iter().map(|glob| map([("glob", Value::from(glob.as_str()))])).collect()))
}

fn credentials(entry: &Value) -> Value {
    let source = entry.get("imageRegistryCredentials").cloned().unwrap_or_default();
    let mut made = Map::new();
    copied(&mut made, &source, &["allowInsecureRegistry", "providers", "secrets"]);
    Value::object(made)
}

/// The same three switches, each on where it is not written.
fn configurations(entry: &Value) -> Value {
    let mut made = Map::new();
    for field in ["mutateDigest", "verifyDigest", "required"] {
        let is_on = entry.get(field).and_then(Value::as_bool) != Some(false);
        made.insert(field, Value::Bool(is_on));
    }
    Value::object(made)
}

/// How many attestors a rule may have.
const MAX_ATTESTORS: usize = 50;

#[derive(Default)]
struct Writer<'w> {
    is_notary: bool,
    entry: Option<&'w Value>,
    attestors: Vec<Value>,
    attestations: Vec<Value>,
    validations: Vec<Value>,
}

impl<'w> From<&'w Value> for Writer<'w> {
    fn from(entry: &'w Value) -> Self {
        Writer { entry: Some(entry), is_notary: entry.find_str(&["type"]) == "Notary", ..Writer::default() }
    }
}

impl Writer<'_> {
    fn all(&mut self, entry: &Value, path: &Path) -> Converted<()> {
        for (at, set) in list(entry, "attestors").iter().enumerate() {
            let place = path.join("attestors").join(at);
            let (names, wanted) = self.set(set, &place)?;
            let call = format!("verifyImageSignatures(image, [{}])", names.join(", "));
            self.validate(&call, wanted, "the signature of an image is not verified");
        }
        for (at, attestation) in list(entry, "attestations").iter().enumerate() {
            self.attestation(attestation, &path.join("attestations").join(at))?;
        }
        if self.validations.is_empty() {
            return refuse(Class::Rule, path, "neither `attestors` nor `attestations` with attestors");
        }
        Ok(())
    }

    fn validate(&mut self, call: &str, wanted: usize, message: &str) {
        let test = if wanted <= 1 { "> 0".to_owned() } else { format!(">= {wanted}") };
        self.validations.push(map([
            ("expression", Value::from(format!("{ALL}.all(image,\n  {call} {test})"))),
            ("message", Value::from(message)),
        ]));
    }

    fn attestation(&mut self, written: &Value, path: &Path) -> Converted<()> {
        if list(written, "conditions").iter().any(|one| !is_nothing(one)) {
            let text = "conditions about what an attestation says: they ask of JSON that only a registry has";
            return refuse(Class::Condition, &path.join("conditions"), text);
        }
        let kind = match written.find_str(&["type"]) {
            "" => written.find_str(&["predicateType"]),
            kind => kind,
        };
        if list(written, "attestors").is_empty() {
            return refuse(Class::Rule, path, "an attestation without attestors");
        }
        let name = match self.attestations.len() {
            0 => "attestation".to_owned(),
            count => format!("attestation{}", count + 1),
        };
        let form = if self.is_notary { "referrer" } else { "intoto" };
        self.attestations
            .push(map([("name", Value::from(name.as_str())), (form, map([("type", Value::from(kind))]))]));
        for (at, set) in list(written, "attestors").iter().enumerate() {
            let (names, wanted) = self.set(set, &path.join("attestors").join(at))?;
            let names = names.join(", ");
            let call = format!("verifyAttestationSignatures(image, attestations.{name}, [{names}])");
            self.validate(&call, wanted, &format!("no attestation `{kind}` of an image is verified"));
        }
        Ok(())
    }

    /// The attestors of a set by their names, and how many must have signed: all where nothing is said.
    fn set(&mut self, set: &Value, path: &Path) -> Converted<(Vec<String>, usize)> {
        let entries = list(set, "entries");
        let mut names = Vec::new();
        for (at, entry) in entries.iter().enumerate() {
            let place = path.join("entries").join(at);
            let (stem, body) =
                if self.is_notary { notary(entry, &place)? } else { self.cosign(entry, &place)? };
            let form = if self.is_notary { "notary" } else { "cosign" };
            let known = self.attestors.iter().find(|known| known.get(form) == Some(&body));
            if let Some(known) = known {
                names.push(format!("attestors.{}", known.find_str(&["name"])));
                continue;
            }
            if self.attestors.len() == MAX_ATTESTORS {
                return refuse(Class::Rule, &place, format!("more than {MAX_ATTESTORS} attestors"));
            }
            let of_stem =
                |known: &&Value| known.find_str(&["name"]).trim_end_matches(char::is_numeric) == stem;
            let count = self.attestors.iter().filter(of_stem).count();
            let name = if count == 0 { stem.to_owned() } else { format!("{stem}{}", count + 1) };
            self.attestors.push(map([("name", Value::from(name.as_str())), (form, body)]));
            names.push(format!("attestors.{name}"));
        }
        if names.is_empty() {
            return refuse(Class::Rule, path, "a set without attestors");
        }
        let count = set.get("count").and_then(Value::as_i64).and_then(|count| usize::try_from(count).ok());
        let wanted = count.filter(|count| *count > 0).unwrap_or(names.len());
        Ok((names, wanted))
    }

    fn cosign(&self, entry: &Value, path: &Path) -> Converted<(&'static str, Value)> {
        let mut made = Map::new();
        let (stem, of) = if let Some(keys) = entry.get("keys") {
            made.insert("key", key(keys, &path.join("keys"))?);
            ("key", keys)
        } else if let Some(keyless) = entry.get("keyless") {
            made.insert("keyless", self::keyless(keyless, &path.join("keyless"))?);
            ("keyless", keyless)
        } else if let Some(certificates) = entry.get("certificates") {
            let mut certificate = Map::new();
            for (from, to) in [("cert", "cert"), ("certChain", "certChain")] {
                let text = certificates.find_str(&[from]);
                if !text.is_empty() {
                    certificate.insert(to, map([("value", Value::from(text))]));
                }
            }
            made.insert("certificate", Value::object(certificate));
            ("certificate", certificates)
        } else {
            return refuse(Class::Rule, path, "an attestor that is neither keys, keyless nor certificates");
        };
        made.insert("ctlog", logs(of));
        let of_all = |field: &str| self.entry.map_or("", |whole| whole.find_str(&[field]));
        let repository = match entry.find_str(&["repository"]) {
            "" => of_all("repository"),
            own => own,
        };
        if !repository.is_empty() {
            made.insert("source", map([("repository", Value::from(repository))]));
        }
        copied(&mut made, self.entry.unwrap_or(&Value::Null), &["annotations"]);
        copied(&mut made, entry, &["annotations"]);
        Ok((stem, Value::object(made)))
    }
}

/// A certificate of Notary.
fn notary(entry: &Value, path: &Path) -> Converted<(&'static str, Value)> {
    let Some(certificates) = entry.get("certificates") else {
        return refuse(Class::Rule, path, "an attestor of Notary without certificates");
    };
    let chain = [certificates.find_str(&["cert"]), certificates.find_str(&["certChain"])];
    let chain: Vec<&str> = chain.into_iter().map(str::trim).filter(|text| !text.is_empty()).collect();
    Ok(("notary", map([("certs", map([("value", Value::from(chain.join("\n")))]))])))
}

/// A key, or where it is kept.
fn key(keys: &Value, path: &Path) -> Converted<Value> {
    if keys.get("secret").is_some() || keys.find_str(&["publicKeys"]).starts_with("k8s://") {
        return refuse(Class::Rule, path, "a key in a Secret");
    }
    let mut made = Map::new();
    let data = keys.find_str(&["publicKeys"]);
    match (data, keys.find_str(&["kms"])) {
        ("", "") => return refuse(Class::Rule, path, "there is no key"),
        ("", kms) => drop(made.insert("kms", Value::from(kms))),
        (kms, _) if kms.contains("://") => drop(made.insert("kms", Value::from(kms.trim()))),
        (data, _) if data.matches("-----BEGIN").count() != 1 => {
            return refuse(
                Class::Rule,
                &path.join("publicKeys"),
                "several keys in one string: write an entry for each",
            );
        }
        (data, _) => drop(made.insert("data", Value::from(data))),
    }
    match keys.find_str(&["signatureAlgorithm"]) {
        "" | "sha256" => {}
        algorithm => drop(made.insert("hashAlgorithm", Value::from(algorithm))),
    }
    Ok(Value::object(made))
}

/// Who signed without a key of their own: wildcards, which Kyverno takes, become regular expressions.
fn keyless(keyless: &Value, path: &Path) -> Converted<Value> {
    let mut identity = Map::new();
    for (field, of_regex) in [("issuer", "issuerRegExp"), ("subject", "subjectRegExp")] {
        let (text, regex) = (keyless.find_str(&[field]), keyless.find_str(&[of_regex]));
        match (text, regex) {
            ("", "") => return refuse(Class::Rule, path, format!("anyone as `{field}`")),
            ("", regex) => drop(identity.insert(of_regex, Value::from(regex))),
            (text, "") if text.contains(['*', '?']) => {
                drop(identity.insert(of_regex, Value::from(as_regex(text))));
            }
            (text, "") => drop(identity.insert(field, Value::from(text))),
            _ => return refuse(Class::Rule, &path.join(field), format!("both `{field}` and `{of_regex}`")),
        }
    }
    let mut made = Map::new();
    made.insert("identities", Value::array(vec![Value::object(identity)]));
    copied(&mut made, keyless, &["roots", "additionalExtensions"]);
    Ok(Value::object(made))
}

/// A regular expression for the whole of what a pattern with wildcards matches.
fn as_regex(pattern: &str) -> String {
    let mut out = String::from("^");
    for c in pattern.chars() {
        match c {
            '*' => out.push_str(".*"),
            '?' => out.push('.'),
            c if c.is_alphanumeric() || matches!(c, '/' | ':' | '@' | '-' | '_' | ' ') => out.push(c),
            c => {
                out.push('\\');
                out.push(c);
            }
        }
    }
    out.push('$');
    out
}

/// The logs that are asked, with the switches not to.
fn logs(of: &Value) -> Value {
    let mut made = Map::new();
    let is_on = |keys: &[&str]| of.find(keys).and_then(Value::as_bool) == Some(true);
    let url = match of.find_str(&["rekor", "url"]) {
        "" => REKOR,
        url => url,
    };
    made.insert("url", Value::from(url));
    for (from, to) in [
        (["rekor", "pubkey"], "rekorPubKey"),
        (["ctlog", "pubkey"], "ctLogPubKey"),
        (["ctlog", "tsaCertChain"], "tsaCertChain"),
    ] {
        let text = of.find_str(&from);
        if !text.is_empty() {
            made.insert(to, Value::from(text));
        }
    }
    for (from, to) in
        [(["rekor", "ignoreTlog"], "insecureIgnoreTlog"), (["ctlog", "ignoreSCT"], "insecureIgnoreSCT")]
    {
        if is_on(&from) {
            made.insert(to, Value::Bool(true));
        }
    }
    Value::object(made)
}
