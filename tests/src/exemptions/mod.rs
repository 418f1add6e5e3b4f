//! Holds the sieve to its word: whoever it lists is admitted, and what it proposes shuts him out and keeps the rest in.
//!
//! In: policies, exceptions, the Pods they are meant for. Out: what the sieve says, and each claim of it run again through
//! `emit`, which knows nothing of the sieve.

pub mod generate;

use crate::emit;
use engine::json::{Map, Value};
use engine::wire::{Input, SieveAttack, SieveExemption, SieveInput, SieveOutput, Text};
use engine::world::StaticWorld;

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

/// What the sieve says.
pub fn sieve(texts: &Texts, ask: &str) -> SieveOutput {
    let named = |kind: &str, texts: &[String]| {
        let text =
            |(at, text): (usize, &String)| Text { name: format!("{kind}{at}.yaml"), text: text.clone() };
        texts.iter().enumerate().map(text).collect()
    };
    let input = Input {
        policies: named("policy", &texts.policies),
        exceptions: named("exception", &texts.exceptions),
        resources: named("pod", &texts.pods),
        ..Input::default()
    };
    let input = SieveInput { ask: Some(ask.to_owned()), input, ..SieveInput::default() };
    engine::sieve::run(&input, &StaticWorld::default())
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
    let mut faults = Vec::new();
    for (at, attack) in exemption.attacks.iter().enumerate() {
        let mut fault =
            |what: &str| faults.push(format!("{} [{at}] {}: {what}", exemption.text, attack.text));
        tally.attacks += 1;
        if refused(texts, &attack.resource, attack.user.as_deref()) {
            fault("listed, but refused");
        }
        let Some(tightened) = tightened(texts, exemption, attack) else { continue };
        tally.tightenings += 1;
        if !refused(&tightened, &attack.resource, attack.user.as_deref()) {
            fault("admitted after the tightening");
        }
        for pod in exemption.legitimate.iter().filter(|_| attack.user.is_none()) {
            if refused(&tightened, &pod.text, None) && !refused(texts, &pod.text, None) {
                fault("the tightening refuses a legitimate Pod");
            }
        }
    }
    faults
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

/// Whether a Pod is refused: some rule fails, or could not be decided.
pub fn refused(texts: &Texts, pod: &str, user: Option<&str>) -> bool {
    let list = |texts: &[String]| Value::array(texts.iter().map(|text| Value::from(text.as_str())).collect());
    let mut case: Map = [
        ("id", Value::from("sieve")),
        ("policies", list(&texts.policies)),
        ("exceptions", list(&texts.exceptions)),
        ("resources", list(&[pod.to_owned()])),
    ]
    .into_iter()
    .collect();
    if let Some(user) = user {
        case.insert("userInfo", Value::from(format!("userInfo: {{username: {user:?}}}\n")));
    }
    let answer = emit::answer("apply", &engine::json::to_json(&Value::object(case)));
    let counted = |name: &str| answer.find(&["counts", name]).and_then(Value::as_f64).unwrap_or_default();
    answer.get("error").is_some() || counted("fail") + counted("error") > 0.0
}
