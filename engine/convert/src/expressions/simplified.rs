//! Formulas as a person would write them.
//!
//! In: a formula. Out: one that has the same answer for each object, and errs for the same, with less in it: nothing is asked twice,
//! `!has(x) || x == 0` is `.?x.orValue(0) == 0`, several values of one field are a list, and what is asked of one list is asked at once.
//!
//! `&&` and `||` of CEL are decided by a side that is false or true, also where the other one errs, so their order changes nothing.

use crate::expressions::formula::Formula::{self, And, Each, False, Not, Or, Test, True};
use crate::expressions::formula::{Quantifier, operand};
use crate::expressions::way::{Way, compared, is_quoted, items, known, presence, tested};

/// What stands between parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Join {
    And,
    Or,
}

impl Join {
    fn of(self, all: Vec<Formula>) -> Formula {
        match self {
            Join::And => Formula::and(all),
            Join::Or => Formula::or(all),
        }
    }

    fn other(self) -> Self {
        match self {
            Join::And => Join::Or,
            Join::Or => Join::And,
        }
    }

    /// The parts of what it has joined.
    fn parts(self, formula: &Formula) -> Option<&[Formula]> {
        match (self, formula) {
            (Join::And, And(all)) | (Join::Or, Or(all)) => Some(all),
            _ => None,
        }
    }
}

/// What is asked of a value: whether it is one of these texts, or none.
type Membership = (String, Vec<String>);

/// How often what was made is looked at again.
const MAX_ROUNDS: usize = 4;

impl Formula {
    /// The same with less in it.
    pub(crate) fn simplified(self) -> Formula {
        let mut made = self;
        for _ in 0..MAX_ROUNDS {
            let next = within(made.clone(), &[]);
            if next == made {
                break;
            }
            made = next;
        }
        made
    }
}

impl Formula {
    /// The same where a value is one of these texts.
    pub(crate) fn where_one_of(self, way: &str, values: &[String]) -> Formula {
        if let Some(answer) = compared(&self).and_then(|compared| compared.among(way, values)) {
            return if answer { True } else { False };
        }
        let inner = |one: Formula| one.where_one_of(way, values);
        match self {
            And(all) => Formula::and(all.into_iter().map(inner)),
            Or(all) => Formula::or(all.into_iter().map(inner)),
            Not(one) => inner(*one).negated(),
            Each(list, quantifier, name, body) => Formula::each(list, quantifier, name, inner(*body)),
            other => other,
        }
    }
}

/// A formula where what these ways lead to is there.
fn within(formula: Formula, there: &[String]) -> Formula {
    match formula {
        True | False => formula,
        Test(text, contrary) => tested(&text, contrary.as_deref(), there),
        Not(inner) => within(*inner, there).negated(),
        And(all) => combined(joined(&all, there, Join::And), Join::And),
        Or(all) => combined(joined(&all, there, Join::Or), Join::Or),
        Each(list, quantifier, name, body) => {
            let own = format!("{name}.");
            let kept: Vec<String> = there.iter().filter(|way| !way.starts_with(&own)).cloned().collect();
            let list = known(&list, there);
            match (quantifier, within(*body, &kept)) {
                (Quantifier::Exists, True) => size(&list, ">", "=="),
                (Quantifier::All, False) => size(&list, "==", ">"),
                (_, body) => Formula::each(list, quantifier, name, body),
            }
        }
    }
}

fn size(list: &str, sign: &str, contrary: &str) -> Formula {
    Test(format!("size({list}) {sign} 0"), Some(format!("size({list}) {contrary} 0")))
}

/// What a part asks to be there: where it holds, or in `||` where it does not.
fn asked(one: &Formula, join: Join) -> Option<Way> {
    match (one, join) {
        (Test(text, _), Join::And) => presence(text),
        (Not(inner), Join::Or) => match &**inner {
            Test(text, _) => presence(text),
            _ => None,
        },
        _ => None,
    }
}

/// Parts one after another: behind one that asks for something, that is there.
fn joined(all: &[Formula], there: &[String], join: Join) -> Vec<Formula> {
    let mut there = there.to_vec();
    let all = without_guards(all, join);
    let mut made = Vec::new();
    for one in all {
        let one = within(one, &there);
        there.extend(asked(&one, join).map(|way| way.plain()));
        made.push(one);
    }
    made
}

/// `!has(x) || x.orValue([]).all(…)` without its first part.
fn without_guards(all: &[Formula], join: Join) -> Vec<Formula> {
    let is_needless = |one: &Formula| {
        let Some(way) = asked(one, join) else { return false };
        all.iter().any(|other| match other {
            Each(list, quantifier, ..) => {
                let is_so_for_none = (*quantifier == Quantifier::All) == (join == Join::Or);
                let is_empty = list.ends_with(".orValue([])") || list.ends_with(".orValue({})");
                let read = Way::begin(list).filter(|(_, rest)| rest.len() == ".orValue([])".len());
                is_so_for_none && is_empty && read.is_some_and(|(read, _)| read.plain() == way.plain())
            }
            _ => false,
        })
    };
    let others = |one: &Formula| {
        let Some(plain) = asked(one, join).map(|way| way.plain()) else { return 0 };
        all.iter().filter(|other| other.text_as_is().contains(&plain)).count()
    };
    all.iter().filter(|one| !is_needless(one) || others(one) > 2).cloned().collect()
}

/// Parts put together.
fn combined(all: Vec<Formula>, join: Join) -> Formula {
    let mut made = join.of(all);
    for step in [absorbed, merged, grouped, guarded, factored] {
        let Some(all) = join.parts(&made) else { return made };
        made = join.of(step(all, join));
    }
    made
}

/// `a && (a || b)` without its second part, and the same with `||` outside.
fn absorbed(all: &[Formula], join: Join) -> Vec<Formula> {
    let is_absorbed = |one: &Formula| {
        join.other().parts(one).is_some_and(|inner| inner.iter().any(|part| all.contains(part)))
    };
    all.iter().filter(|one| !is_absorbed(one)).cloned().collect()
}

/// `(a || b) && (a || c)` as `a || (b && c)`, and the same with `||` outside.
fn factored(all: &[Formula], join: Join) -> Vec<Formula> {
    let parts = |one: &Formula| join.other().parts(one).map(<[Formula]>::to_vec);
    let mut made: Vec<Formula> = Vec::new();
    for one in all {
        let both = made.last().and_then(parts).zip(parts(one));
        let shared = both.map(|(left, right)| {
            let count = left.iter().zip(&right).take_while(|(one, other)| one == other).count();
            (left, right, count)
        });
        match shared {
            Some((left, right, count)) if count > 0 => {
                made.pop();
                let rest = [left.get(count..), right.get(count..)]
                    .map(|rest| join.other().of(rest.unwrap_or_default().to_vec()));
                let shared = left.iter().take(count).cloned();
                made.push(join.other().of(shared.chain([join.of(rest.to_vec())]).collect()));
            }
            _ => made.push(one.clone()),
        }
    }
    made
}

/// What is asked of all elements of one list is asked at once; behind `||` of one.
fn merged(all: &[Formula], join: Join) -> Vec<Formula> {
    let wanted = if join == Join::Or { Quantifier::Exists } else { Quantifier::All };
    let mut made: Vec<Formula> = Vec::new();
    for one in all {
        if let Each(list, quantifier, name, body) = one
            && *quantifier == wanted
        {
            let same = made.iter_mut().find_map(|other| match other {
                Each(of, same, named, other) if of == list && same == quantifier && named == name => {
                    Some(other)
                }
                _ => None,
            });
            if let Some(other) = same {
                let both = vec![(**other).clone(), (**body).clone()];
                **other = join.of(both);
                continue;
            }
        }
        made.push(one.clone());
    }
    made
}

/// The texts of which a part says that a value is one, or in `&&` none.
fn membership(one: &Formula, join: Join) -> Option<Membership> {
    let (text, sign) = match (one, join) {
        (Test(text, _), Join::Or) => (text.as_str(), " == "),
        (Test(text, _), Join::And) => match text.strip_prefix("!(").and_then(|rest| rest.strip_suffix(')')) {
            Some(inner) => (inner, ""),
            None => (text.as_str(), " != "),
        },
        (Not(inner), Join::And) => match &**inner {
            Test(text, _) => (text.as_str(), ""),
            _ => return None,
        },
        _ => return None,
    };
    let list = || {
        let (value, list) = text.split_once(" in ")?;
        Some((value.to_owned(), items(list)?)).filter(|_| join == Join::Or || sign.is_empty())
    };
    let one = || {
        let (value, wanted) = text.split_once(sign).filter(|_| !sign.is_empty())?;
        is_quoted(wanted).then(|| (value.to_owned(), vec![wanted.to_owned()]))
    };
    list().or_else(one).filter(|(value, _)| operand(value) == *value && !is_quoted(value))
}

/// Several texts with which a value is compared as a list.
fn grouped(all: &[Formula], join: Join) -> Vec<Formula> {
    let mut made: Vec<(Formula, Option<Membership>)> = Vec::new();
    for one in all {
        let found = membership(one, join);
        let same = made.iter_mut().find(|(_, other)| {
            other.as_ref().zip(found.as_ref()).is_some_and(|((left, _), (right, _))| left == right)
        });
        let Some((formula, Some((value, known)))) = same else {
            made.push((one.clone(), found));
            continue;
        };
        for text in found.into_iter().flat_map(|(_, texts)| texts) {
            if !known.contains(&text) {
                known.push(text);
            }
        }
        // What stands for everything is the last.
        known.sort_by_key(|text| text == "'*'");
        let test = Formula::test(format!("{value} in [{}]", known.join(", ")));
        *formula = if join == Join::Or { test } else { test.negated() };
    }
    made.into_iter().map(|(formula, _)| formula).collect()
}

/// Tests that something is there before what is asked of it: a value stands for what is not there.
fn guarded(all: &[Formula], join: Join) -> Vec<Formula> {
    let mut made: Vec<Formula> = Vec::new();
    for (at, one) in all.iter().enumerate() {
        let mut guards: Vec<Way> = Vec::new();
        if let Some(compared) = compared(one) {
            let mut below = compared.way.plain();
            for guard in made.iter().rev() {
                let Some(way) = asked(guard, join) else { break };
                let plain = way.plain();
                if !below
                    .strip_prefix(&plain)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
                {
                    break;
                }
                below = plain;
                guards.insert(0, way);
            }
            let first = guards.first().map(Way::plain).unwrap_or_default();
            let rest = made.iter().take(made.len() - guards.len()).chain(all.iter().skip(at + 1));
            let is_read_elsewhere = rest.into_iter().any(|other| other.text_as_is().contains(&first));
            let whole = compared.guarded(&guards, join == Join::Or).filter(|_| !is_read_elsewhere);
            if let Some(whole) = whole {
                made.truncate(made.len() - guards.len());
                made.push(whole);
                continue;
            }
        }
        made.push(one.clone());
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(text: &str) -> Formula {
        Formula::test(text)
    }

    #[test]
    fn a_value_stands_for_what_is_not_there() {
        let privileged = || test("c.securityContext.privileged");
        let made = Formula::or([
            test("has(c.securityContext)").negated(),
            test("has(c.securityContext.privileged)").negated(),
            privileged().negated(),
        ]);
        assert_eq!(made.text(), "!c.?securityContext.?privileged.orValue(false)");
        let made = Formula::and([test("c.?securityContext.?privileged.hasValue()"), privileged().negated()]);
        assert_eq!(made.text(), "!c.?securityContext.?privileged.orValue(true)");
        let made = Formula::or([test("has(p.hostPort)").negated(), Formula::equal("p.hostPort", "0")]);
        assert_eq!(made.text(), "p.?hostPort.orValue(0) == 0");
        // What is read without a guard errs.
        let made = Formula::and([test("has(a.b)"), Formula::equal("a.b.c", "'x'")]);
        assert_eq!(made.text(), "has(a.b) && a.b.c == 'x'");
        let made = Formula::and([test("has(a.b)"), Formula::equal("a.b", "'x'").negated()]);
        assert_eq!(made.text(), "has(a.b) && a.b != 'x'");
    }

    #[test]
    fn nothing_is_asked_twice() {
        let spec = || test("has(object.spec)");
        let made = Formula::and([spec(), test("object.?spec.?externalIPs.hasValue()").negated()]);
        assert_eq!(made.text(), "has(object.spec) && !has(object.spec.externalIPs)");
        let port = || test("has(port.port)");
        let made =
            Formula::and([port(), Formula::or([test("port.port > 3"), port()]), test("port.port > 1")]);
        assert_eq!(made.text(), "has(port.port) && port.port > 1");
        let all = |list: &str, body| Each(list.into(), Quantifier::All, "rule".into(), Box::new(body));
        let rules = "object.?rules.orValue([])";
        let made = Formula::and([
            Formula::or([test("has(object.rules)").negated(), all(rules, test("f(rule)"))]),
            all(rules, test("g(rule)")),
        ]);
        assert_eq!(made.text(), "object.?rules.orValue([]).all(rule, f(rule) && g(rule))");
        let made = Formula::and([test("has(object.rules)"), all(rules, test("f(rule)"))]);
        assert_eq!(made.text(), "has(object.rules) && object.rules.all(rule, f(rule))");
    }

    #[test]
    fn what_is_shared_is_asked_once() {
        let made = Formula::and([Formula::or([test("a"), test("b")]), Formula::or([test("a"), test("c")])]);
        assert_eq!(made.text(), "a || (b && c)");
        let made = Formula::or([Formula::and([test("a"), test("b")]), Formula::and([test("a"), test("c")])]);
        assert_eq!(made.text(), "a && (b || c)");
    }

    #[test]
    fn several_texts_are_a_list() {
        let name = |wanted: &str| Formula::equal("a.name", wanted);
        let made = Formula::and([name("'x'").negated(), test("b"), name("'y'").negated()]);
        assert_eq!(made.text(), "!(a.name in ['x', 'y']) && b");
        assert_eq!(
            Formula::or([name("'x'"), test("a.name in ['y', 'z']")]).text(),
            "a.name in ['x', 'y', 'z']"
        );
        // Numbers and texts are not put into one list.
        assert_eq!(Formula::or([name("1"), name("'y'")]).text(), "a.name == 1 || a.name == 'y'");
    }
}
