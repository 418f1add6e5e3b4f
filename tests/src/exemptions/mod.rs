//! Holds the sieve to its word: whoever it lists is admitted, and what it proposes shuts him out and keeps the rest in.
//!
//! In: policies, exceptions, the Pods they are meant for. Out: what the sieve says, and each claim of it run again through
//! `emit`, which knows nothing of the sieve.

pub mod cel;
pub mod generate;

use crate::emit;
use engine::json::{Map, Value};
use engine::world::StaticWorld;
use engine_lenses::wire::{Input, SieveAttack, SieveExemption, SieveInput, SieveOutput, Text};

/// Texts around one exemption or several.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    /// Policies.
    pub policies: Vec<String>,
    /// PolicyExceptions.
    pub exceptions: Vec<String>,
    /// The Pods that the exemptions are meant for; the sieve makes some where there are none.
    pub pods: Vec<String>,
}

impl Texts {
    /// They as an input.
    pub fn input(&self) -> Input {
        let named = |kind: &str, texts: &[String]| {
            let text =
                |(at, text): (usize, &String)| Text { name: format!("{kind}{at}.yaml"), text: text.clone() };
            texts.iter().enumerate().map(text).collect()
        };
        Input {
            policies: named("policy", &self.policies),
            exceptions: named("exception", &self.exceptions),
            resources: named("pod", &self.pods),
            ..Input::default()
        }
    }
}

/// What the sieve says.
pub fn sieve(texts: &Texts, ask: &str) -> SieveOutput {
    let input = texts.input();
    let input = SieveInput { ask: Some(ask.to_owned()), input, ..SieveInput::default() };
    let world = StaticWorld { extension: Some(engine_celpolicy::WITH_STEPS), ..StaticWorld::default() };
    engine_lenses::sieve::run(&input, &world)
}

/// What was run again.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Attackers that were listed.
    pub attacks: usize,
    /// Tightenings that were proposed.
    pub tightenings: usize,
}

/// Runs every claim about an exemption again; the claims that do not hold.
pub fn check(texts: &Texts, exemption: &SieveExemption, tally: &mut Tally) -> Vec<String> {
    check_beside(texts, None, exemption, tally)
}

/// The same beside texts that are without the exemption, which must refuse each attacker.
pub fn check_beside(
    texts: &Texts,
    without: Option<&Texts>,
    exemption: &SieveExemption,
    tally: &mut Tally,
) -> Vec<String> {
    let mut faults = Vec::new();
    for (at, attack) in exemption.attacks.iter().enumerate() {
        let mut fault =
            |what: &str| faults.push(format!("{} [{at}] {}: {what}", exemption.text, attack.text));
        tally.attacks += 1;
        let asked =
            Asked { pod: &attack.resource, user: user(attack), namespace: attack.namespace.as_deref() };
        if is_refused(texts, &asked) {
            fault("listed, but refused");
        }
        if without.is_some_and(|without| !is_refused(without, &asked)) {
            fault("admitted without the exemption too");
        }
        let Some(tightened) = tightened(texts, exemption, attack) else { continue };
        if edited(texts, attack).is_some_and(|text| !says(&text, attack)) {
            fault("the edit of the text says something else than the object");
        }
        tally.tightenings += 1;
        if !is_refused(&tightened, &asked) {
            fault("admitted after the tightening");
        }
        for pod in &exemption.legitimate {
            let user = pod.user.as_deref().map(|name| user_info(name, &pod.groups));
            let asked = Asked { pod: &pod.text, user, namespace: pod.namespace.as_deref() };
            if is_refused(&tightened, &asked) && !is_refused(texts, &asked) {
                fault("the tightening refuses a legitimate Pod");
            }
        }
    }
    faults
}

/// A user info file.
fn user_info(name: &str, groups: &[String]) -> String {
    format!("userInfo: {{username: {name:?}, groups: {groups:?}}}\n")
}

fn user(attack: &SieveAttack) -> Option<String> {
    attack.user.as_deref().map(|name| user_info(name, &attack.groups))
}

/// The text after the edit of a tightening, where there is one.
fn edited(texts: &Texts, attack: &SieveAttack) -> Option<String> {
    let edit = attack.tightening.as_ref()?.edit.as_ref()?;
    let list = if edit.range.input == "exceptions" { &texts.exceptions } else { &texts.policies };
    let text = list.get(usize::try_from(edit.range.index).ok()?)?;
    // These texts are ASCII, so that UTF-16 units are bytes.
    let (from, to) = (usize::try_from(edit.range.from).ok()?, usize::try_from(edit.range.to).ok()?);
    Some(format!("{}{}{}", text.get(..from)?, edit.text, text.get(to..)?))
}

/// Whether a text says what the object of a tightening says.
fn says(text: &str, attack: &SieveAttack) -> bool {
    let wanted = attack.tightening.as_ref().map(|tightening| tightening.object.as_str()).unwrap_or_default();
    match (engine::yaml::parse_one(text), engine::yaml::parse_one(wanted)) {
        (Ok(text), Ok(wanted)) => text == wanted,
        _ => false,
    }
}

/// The texts with the object of a tightening in the place of the one that holds the exemption.
fn tightened(texts: &Texts, exemption: &SieveExemption, attack: &SieveAttack) -> Option<Texts> {
    let object = attack.tightening.as_ref()?.object.clone();
    let range = exemption.owner.range.as_ref()?;
    let mut changed = texts.clone();
    let list = if range.input == "exceptions" { &mut changed.exceptions } else { &mut changed.policies };
    *list.get_mut(usize::try_from(range.index).ok()?)? = object;
    Some(changed)
}

/// Whether a Pod is refused: some rule fails, or could not be decided; `user` is a user info file.
pub fn refused(texts: &Texts, pod: &str, user: Option<&str>) -> bool {
    is_refused(texts, &Asked { pod, user: user.map(str::to_owned), namespace: None })
}

/// A Pod, a user info file, and the Namespace that it lies in.
struct Asked<'a> {
    pod: &'a str,
    user: Option<String>,
    namespace: Option<&'a str>,
}

fn is_refused(texts: &Texts, asked: &Asked<'_>) -> bool {
    let list = |texts: &[String]| Value::array(texts.iter().map(|text| Value::from(text.as_str())).collect());
    let mut case: Map = [
        ("id", Value::from("sieve")),
        ("policies", list(&texts.policies)),
        ("exceptions", list(&texts.exceptions)),
        ("resources", list(&[asked.pod.to_owned()])),
    ]
    .into_iter()
    .collect();
    if texts.policies.iter().any(|text| text.contains("ImageValidatingPolicy")) {
        case.insert("context", Value::from(unsigned(asked.pod)));
    }
    if let Some(user) = &asked.user {
        case.insert("userInfo", Value::from(user.as_str()));
    }
    if let Some(namespace) = asked.namespace {
        let indented = namespace.lines().map(|line| format!("  {line}\n")).collect::<Vec<_>>().concat();
        let indented = indented.replacen("  ", "- ", 1);
        let values = format!(
            "apiVersion: cli.kyverno.io/v1alpha1\nkind: Values\nmetadata: {{name: values}}\nnamespaces:\n{indented}"
        );
        case.insert("values", Value::from(values));
    }
    let answer = emit::answer("apply", &engine::json::to_json(&Value::object(case)));
    let counted = |name: &str| answer.find(&["counts", name]).and_then(Value::as_f64).unwrap_or_default();
    answer.get("error").is_some() || counted("fail") + counted("error") > 0.0
}

/// What registries hold: each image of the Pod, and no signature of it.
fn unsigned(pod: &str) -> String {
    let images =
        pod.lines().filter_map(|line| line.trim_start().trim_start_matches("- ").strip_prefix("image: "));
    let entry = |image: &str| format!("{image}: {{signedBy: [], attestations: []}}\n");
    let mut entries: Vec<String> = images.map(entry).collect();
    entries.sort_unstable();
    entries.dedup();
    entries.concat()
}
