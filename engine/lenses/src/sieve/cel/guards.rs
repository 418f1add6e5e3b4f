//! What a tightening says, as expressions.

use super::policies::{NAME, NAMESPACE};
use crate::sieve::found::{Compares, Element, Guard, On};
use engine_json::Path;

/// The lists of containers.
const LISTS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// A text as a literal.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n"))
}

/// That an operand is one of these, `*` standing for anything.
pub(in crate::sieve) fn is_among(operand: &str, patterns: &[String]) -> String {
    let (plain, open): (Vec<&String>, Vec<&String>) =
        patterns.iter().partition(|pattern| !pattern.contains(['*', '?']));
    let mut sides = Vec::new();
    match plain.as_slice() {
        [] => {}
        [one] => sides.push(format!("{operand} == {}", quoted(one))),
        many => {
            let list: Vec<String> = many.iter().map(|text| quoted(text)).collect();
            sides.push(format!("{operand} in [{}]", list.join(", ")));
        }
    }
    sides.extend(open.into_iter().map(|pattern| fits(operand, pattern)));
    match sides.as_slice() {
        [] => "false".to_owned(),
        [one] => one.clone(),
        many => format!("({})", many.join(" || ")),
    }
}

/// That an operand fits a pattern.
fn fits(operand: &str, pattern: &str) -> String {
    let is_plain = |text: &str| !text.contains(['*', '?']);
    let (start, end) = (pattern.strip_suffix('*'), pattern.strip_prefix('*'));
    match (start, end) {
        _ if pattern == "*" => "true".to_owned(),
        (Some(start), _) if is_plain(start) => format!("{operand}.startsWith({})", quoted(start)),
        (_, Some(end)) if is_plain(end) => format!("{operand}.endsWith({})", quoted(end)),
        (Some(_), Some(end)) if is_plain(end.trim_end_matches('*')) => {
            format!("{operand}.contains({})", quoted(end.trim_end_matches('*')))
        }
        _ => format!("{operand}.matches({})", quoted(&format!("^{}$", as_regex(pattern)))),
    }
}

fn as_regex(pattern: &str) -> String {
    let mut out = String::new();
    for c in pattern.chars() {
        match c {
            '*' => out.push_str(".*"),
            '?' => out.push('.'),
            plain => {
                if !plain.is_ascii_alphanumeric()
                    && plain.is_ascii()
                    && !matches!(plain, '/' | '-' | '_' | ':' | '@')
                {
                    out.push('\\');
                }
                out.push(plain);
            }
        }
    }
    out
}

/// What stands for a pattern where a text is compared in this way.
pub(in crate::sieve) fn argument(compares: Compares, pattern: &str) -> Option<String> {
    let text = match compares {
        Compares::Whole => pattern,
        Compares::Start | Compares::Part => pattern.strip_suffix('*').unwrap_or(pattern),
        Compares::End => pattern.strip_prefix('*').unwrap_or(pattern),
        Compares::Regex => return Some(format!("^{}$", as_regex(pattern))),
    };
    (!text.contains(['*', '?'])).then(|| text.to_owned())
}

/// A condition of an exception, and a name for it.
pub(super) fn condition_of(guard: &Guard, spec: &Path) -> Option<(&'static str, String)> {
    let name = match guard {
        Guard::Images(_) => "images",
        Guard::Capabilities(_) => "capabilities",
        Guard::NoContainer(_) | Guard::NoSpec(_) => "nothing-more",
        Guard::Lists(..) => "lists",
        Guard::Is(On::Namespace, _) => "namespace",
        Guard::Is(On::Subject(..), _) => "user",
        Guard::Is(..) => "name",
    };
    Some((name, self::guard(guard, spec, None)?))
}

/// A condition about all containers, or about one, or about those of one image.
pub(in crate::sieve) fn guard(guard: &Guard, spec: &Path, element: Option<&Element>) -> Option<String> {
    match (guard, element) {
        (Guard::Images(patterns), Some(Element::Image(image))) => return Some(is_among(image, patterns)),
        (Guard::Images(patterns), Some(Element::Reference)) => return Some(is_among("ref", patterns)),
        // Such an expression sees nothing but the reference.
        (_, Some(Element::Reference)) => return None,
        _ => {}
    }
    let spec = format!("object.{spec}");
    let list = |list: &str| match list {
        "containers" => format!("{spec}.containers"),
        other => format!("{spec}.?{other}.orValue([])"),
    };
    let every = |says: &dyn Fn(&str) -> String| {
        let [init, main, ephemeral] = LISTS.map(list);
        let all = format!("({main} + {init} + {ephemeral})");
        let says_of_all = says("container");
        match element {
            Some(Element::Container(container)) => says(container),
            Some(Element::Image(image)) => {
                format!("{all}.all(container, container.image != {image} || {says_of_all})")
            }
            Some(Element::Reference) | None => format!("{all}.all(container, {says_of_all})"),
        }
    };
    match guard {
        Guard::Images(patterns) => {
            Some(every(&|container| is_among(&format!("{container}.image"), patterns)))
        }
        Guard::Capabilities(names) => Some(every(&|container| {
            let added = format!("{container}.?securityContext.?capabilities.?add.orValue([])");
            if names.is_empty() {
                return format!("{added}.size() == 0");
            }
            let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            format!("{added}.all(capability, capability in [{}])", names.join(", "))
        })),
        Guard::NoContainer(finds) => {
            Some(every(&|container| format!("!({})", finds.replace('$', container))))
        }
        Guard::NoSpec(finds) if element.is_none() => Some(format!("!({})", finds.replace('$', &spec))),
        Guard::Lists(lists, images) => Some(stands_in(lists, images, element, &list)),
        Guard::Is(on, patterns) if element.is_none() => {
            let operand = match on {
                On::Name => NAME,
                On::Namespace => NAMESPACE,
                On::Subject(kind, _) if kind == "User" => "request.userInfo.username",
                _ => return None,
            };
            Some(is_among(operand, patterns))
        }
        Guard::NoSpec(_) | Guard::Is(..) => None,
    }
}

/// That a container stands in one of these lists, or that images stand in no other.
fn stands_in(
    lists: &[&'static str],
    images: &[String],
    element: Option<&Element>,
    list: &dyn Fn(&str) -> String,
) -> String {
    if let Some(Element::Container(container)) = element {
        let here =
            |name: &&'static str| format!("{}.exists(other, other.name == {container}.name)", list(name));
        return format!("({})", lists.iter().map(here).collect::<Vec<_>>().join(" || "));
    }
    let is_it = match element {
        Some(Element::Image(image)) => format!("container.image == {image}"),
        _ => is_among("container.image", images),
    };
    let others = LISTS.into_iter().filter(|name| !lists.contains(name));
    let none = |name: &str| format!("!{}.exists(container, {is_it})", list(name));
    format!("({})", others.map(none).collect::<Vec<_>>().join(" && "))
}
