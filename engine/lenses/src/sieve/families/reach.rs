//! Whom the names and namespaces of an exemption reach besides: what its wildcards take, or everybody where it names none.

use super::{Attack, What, changed};
use crate::sieve::edit::Edit;
use crate::sieve::find::{Exemption, Kind, On};
use crate::sieve::legit::Base;
use engine::value::wildcard;
use engine_json::{Path, Value};

pub(super) fn namespaces(exemption: &Exemption, base: &Base) -> Vec<Attack> {
    others(exemption, &On::Namespace, "namespace", base, &What::Namespace)
}

pub(super) fn names(exemption: &Exemption, base: &Base) -> Vec<Attack> {
    others(exemption, &On::Name, "name", base, &What::Name)
}

fn others(exemption: &Exemption, on: &On, field: &str, base: &Base, what: &What) -> Vec<Attack> {
    let own = base.case.object.find_str(&["metadata", field]);
    let mut reached: Vec<String> = Vec::new();
    for selector in exemption
        .selectors
        .iter()
        .filter(|selector| selector.on == *on && selector.pattern.contains(['*', '?']))
    {
        let one = selector.pattern.replace('*', "evil").replace('?', "x");
        reached.extend((one != own && wildcard::matches(&selector.pattern, &one)).then_some(one));
    }
    let is_filter = matches!(exemption.kind, Kind::Exclude | Kind::Exception | Kind::Cel(_));
    // Whoever is known by his image may have any name.
    let is_by_container =
        exemption.image_selectors().next().is_some() || exemption.is_cel() && exemption.holds(&On::Container);
    if is_filter && !exemption.holds(on) && !is_by_container {
        reached.push("evil".to_owned());
    }
    let path = Path::from_keys(&["metadata", field]);
    let one = |reached: String| {
        let case = changed(base, &[Edit::Set(path.clone(), Value::from(reached.as_str()))])?;
        Some(Attack::new(format!("{field} `{reached}`"), case, what.clone()))
    };
    reached.into_iter().filter_map(one).collect()
}
