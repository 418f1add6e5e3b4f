//! What an expression looks at, and with which texts it compares it.
//!
//! In: a node. Out: [`On`] and a pattern: an image, a name, a label, a user; nothing for a test of what a Pod asks for.

use super::reader::{Allowed, At, Bound, Reader, Scope};
use super::regex;
use crate::sieve::found::{Compares, FoundSelector, On, Site};
use engine_cel::ast::{Expr, ExprId, Literal};
use engine_cel::operators as op;
use engine_json::Path;

/// A comparison of what an object is known by with texts.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub(super) at: At,
    pub(super) on: On,
    pub(super) compares: Compares,
    pub(super) patterns: Vec<String>,
    /// The list of an exception that it is compared with.
    pub(super) allowed: Option<Allowed>,
    operand: String,
    when: bool,
}

/// The fields of a Pod's spec that name what it belongs to.
const FIELDS: [&str; 6] = [
    "serviceAccountName",
    "serviceAccount",
    "priorityClassName",
    "runtimeClassName",
    "schedulerName",
    "nodeName",
];

/// What leaves a text as it is, for those who read it.
const PLAIN: [&str; 7] =
    ["orValue", "value", "lowerAscii", "upperAscii", "trim", "string", "__orValueCompat__"];

impl Atom {
    /// It as patterns with their places.
    pub(super) fn selectors(&self, reader: &Reader) -> Vec<FoundSelector> {
        let Some(text) = reader.text(self.at) else { return Vec::new() };
        let (from, to) = reader.span(self.at);
        let site = Site::Part { from, to, operand: self.operand.clone(), when: self.when };
        let one = |pattern: &String| FoundSelector {
            on: self.on.clone(),
            path: text.path.clone(),
            pattern: pattern.clone(),
            site: site.clone(),
        };
        self.patterns.iter().map(one).collect()
    }
}

impl Reader {
    /// The comparison that a node is, where it says "these" if its value is `when`.
    pub(super) fn atom(&self, at: At, when: bool, scope: &Scope) -> Option<Atom> {
        let here = |id: ExprId| At { id, ..at };
        match self.expr(at) {
            Expr::Select { test: true, .. } if when => self.present(at, scope),
            Expr::Call { function, target, args } => {
                let function = function.as_str();
                match (function, target, &**args) {
                    (op::EQUALS, None, [left, right]) if when => {
                        self.equal(at, here(*left), here(*right), when, scope)
                    }
                    (op::NOT_EQUALS, None, [left, right]) if !when => {
                        self.equal(at, here(*left), here(*right), when, scope)
                    }
                    (op::IN, None, [left, right]) if when => self.is_in(at, here(*left), here(*right), scope),
                    ("hasValue", Some(_), []) if when => self.present(at, scope),
                    ("matches", None, [of, with]) if when => {
                        self.compared(at, here(*of), here(*with), Compares::Regex, scope)
                    }
                    (_, Some(of), [with]) if when => {
                        let compares = match function {
                            "startsWith" => Compares::Start,
                            "endsWith" => Compares::End,
                            "contains" => Compares::Part,
                            "matches" => Compares::Regex,
                            _ => return None,
                        };
                        self.compared(at, here(*of), here(*with), compares, scope)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn equal(&self, at: At, left: At, right: At, when: bool, scope: &Scope) -> Option<Atom> {
        let found = self
            .part_of_image(at, left, right, scope)
            .or_else(|| self.compared(at, left, right, Compares::Whole, scope))
            .or_else(|| self.compared(at, right, left, Compares::Whole, scope))?;
        Some(Atom { when, ..found })
    }

    fn compared(&self, at: At, of: At, with: At, compares: Compares, scope: &Scope) -> Option<Atom> {
        let on = self.subject(of, scope)?;
        let (texts, allowed) = self.strings(with, scope)?;
        let patterns = texts.iter().flat_map(|text| patterns(compares, text)).collect();
        let operand = self.source(of).to_owned();
        Some(Atom { at, on, compares, patterns, allowed, operand, when: true })
    }

    /// `x in ['a', 'b']`, `'key' in object.metadata.labels`, `'group' in request.userInfo.groups`.
    fn is_in(&self, at: At, of: At, list: At, scope: &Scope) -> Option<Atom> {
        if let Some(found) = self.compared(at, of, list, Compares::Whole, scope) {
            return Some(found);
        }
        let (keys, _) = self.strings(of, scope)?;
        let names = self.dotted(list, scope)?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let key = keys.first()?;
        let (on, pattern) = match names.as_slice() {
            ["request", "userInfo", "groups"] => {
                (On::Subject("Group".to_owned(), String::new()), key.as_str())
            }
            names => (of_names(&[names, &[key.as_str()]].concat())?, "*"),
        };
        let operand = self.source(list).to_owned();
        let patterns = vec![pattern.to_owned()];
        Some(Atom { at, on, compares: Compares::Whole, patterns, allowed: None, operand, when: true })
    }

    /// `has(object.metadata.labels.key)`, `object.metadata.?labels[?'key'].hasValue()`.
    fn present(&self, at: At, scope: &Scope) -> Option<Atom> {
        let names = match self.expr(at) {
            Expr::Select { operand, field, .. } => {
                let mut names = self.dotted(At { id: *operand, ..at }, scope)?;
                names.push(field.to_string());
                names
            }
            Expr::Call { target: Some(of), .. } => self.dotted(At { id: *of, ..at }, scope)?,
            _ => return None,
        };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let on = of_names(&names)?;
        let is_optional = matches!(on, On::Label(_) | On::Annotation(_) | On::NamespaceLabel(_));
        let (operand, patterns) = (self.source(at).to_owned(), vec!["*".to_owned()]);
        let compares = Compares::Whole;
        is_optional.then_some(Atom { at, on, compares, patterns, allowed: None, operand, when: true })
    }

    /// `image(x).registry() == 'a'`, `image(x).repository() == 'a/b'`.
    fn part_of_image(&self, at: At, of: At, with: At, scope: &Scope) -> Option<Atom> {
        let Expr::Call { function, target: Some(target), args } = self.expr(of) else { return None };
        let image = At { id: *target, ..at };
        let Expr::Call { function: read, args: of, .. } = self.expr(image) else { return None };
        let [of] = &**of else { return None };
        if !args.is_empty() || read != "image" {
            return None;
        }
        let of = At { id: *of, ..at };
        let on = self.subject(of, scope).filter(|on| *on == On::Image)?;
        let (texts, allowed) = self.strings(with, scope)?;
        let pattern = |text: &String| match function.as_str() {
            "registry" => Some(format!("{text}/*")),
            "repository" => Some(format!("*{text}*")),
            _ => None,
        };
        let patterns = texts.iter().map(pattern).collect::<Option<Vec<_>>>()?;
        let operand = self.source(of).to_owned();
        Some(Atom { at, on, compares: Compares::Part, patterns, allowed, operand, when: true })
    }

    /// What an expression looks at.
    pub(super) fn subject(&self, at: At, scope: &Scope) -> Option<On> {
        let at = self.plain(at);
        if let Expr::Ident(name) = self.expr(at) {
            return match scope.iter().rfind(|(known, _)| known == name.as_str()) {
                Some((_, Bound::Of(on))) => Some(on.clone()),
                _ => None,
            };
        }
        let names = self.dotted(at, scope)?;
        of_names(&names.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The node within what leaves a text as it is.
    fn plain(&self, at: At) -> At {
        let mut at = self.resolved(at);
        while let Expr::Call { function, target, args } = self.expr(at)
            && PLAIN.contains(&function.as_str())
            && let Some(of) = target.or_else(|| args.first().copied())
            && self.goes_on()
        {
            at = self.resolved(At { id: of, ..at });
        }
        at
    }

    /// The names of a chain: `object.metadata.labels['a']` is `object`, `metadata`, `labels`, `a`; a container is `[]`.
    pub(super) fn dotted(&self, at: At, scope: &Scope) -> Option<Vec<String>> {
        let at = self.plain(at);
        if !self.goes_on() {
            return None;
        }
        let longer = |of: ExprId, name: &str| {
            let mut names = self.dotted(At { id: of, ..at }, scope)?;
            names.push(name.to_owned());
            Some(names)
        };
        match self.expr(at) {
            Expr::Ident(name) => {
                match scope.iter().rfind(|(known, _)| known == name.as_str()).map(|(_, bound)| bound) {
                    Some(Bound::Container) => Some(vec!["[]".to_owned()]),
                    Some(_) => None,
                    None => Some(vec![name.to_string()]),
                }
            }
            Expr::Select { operand, field, test: false } => longer(*operand, field),
            Expr::Call { function, target: None, args } => match (function.as_str(), &**args) {
                (op::OPTIONAL_SELECT | op::INDEX | op::OPTIONAL_INDEX, [of, name]) => {
                    let Expr::Literal(Literal::String(name)) = self.expr(At { id: *name, ..at }) else {
                        return None;
                    };
                    longer(*of, name)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The texts that an expression stands for: a text, a list of texts, one text of a list after the other; or the list that an
    /// exception gives.
    pub(super) fn strings(&self, at: At, scope: &Scope) -> Option<(Vec<String>, Option<Allowed>)> {
        let at = self.resolved(at);
        match self.expr(at) {
            Expr::Literal(Literal::String(text)) => Some((vec![text.to_string()], None)),
            Expr::List { elements, .. } if !elements.is_empty() => {
                let text = |id: &ExprId| match self.expr(At { id: *id, ..at }) {
                    Expr::Literal(Literal::String(text)) => Some(text.to_string()),
                    _ => None,
                };
                Some((elements.iter().map(text).collect::<Option<_>>()?, None))
            }
            Expr::Ident(name) => match scope.iter().rfind(|(known, _)| known == name.as_str()) {
                Some((_, Bound::Texts(texts))) => Some((texts.clone(), None)),
                Some((_, Bound::Allowed(list))) => Some((Vec::new(), Some(*list))),
                _ => None,
            },
            Expr::Select { operand, field, test: false } => {
                let Expr::Ident(name) = self.expr(At { id: *operand, ..at }) else { return None };
                let list = match field.as_str() {
                    "allowedImages" => Allowed::Images,
                    "allowedValues" => Allowed::Values,
                    _ => return None,
                };
                (name == "exceptions").then(|| (Vec::new(), Some(list)))
            }
            _ => None,
        }
    }
}

/// What stands at the end of a chain of names.
fn of_names(names: &[&str]) -> Option<On> {
    let names = match names {
        ["request", "object", rest @ ..] => [&["object"], rest].concat(),
        names => names.to_vec(),
    };
    match names.as_slice() {
        ["[]", "image"] => Some(On::Image),
        ["[]", "name"] => Some(On::Container),
        ["object", "metadata", "name" | "generateName"] | ["request", "name"] => Some(On::Name),
        ["object", "metadata", "namespace"]
        | ["request", "namespace"]
        | ["namespaceObject", "metadata", "name"] => Some(On::Namespace),
        ["object", "metadata", "labels", key] => Some(On::Label((*key).to_owned())),
        ["object", "metadata", "annotations", key] => Some(On::Annotation((*key).to_owned())),
        ["namespaceObject", "metadata", "labels", key] => Some(On::NamespaceLabel((*key).to_owned())),
        ["request", "userInfo", "username"] => Some(On::Subject("User".to_owned(), String::new())),
        ["object", way @ .., field] if FIELDS.contains(field) => {
            Some(On::Field(Path::from_keys(&[way, &[*field]].concat())))
        }
        _ => None,
    }
}

/// The patterns of what compares so with a text.
pub(super) fn patterns(compares: Compares, text: &str) -> Vec<String> {
    match compares {
        Compares::Whole => vec![text.to_owned()],
        Compares::Start => vec![format!("{text}*")],
        Compares::End => vec![format!("*{text}")],
        Compares::Part => vec![format!("*{text}*")],
        Compares::Regex => regex::patterns(text),
    }
}
