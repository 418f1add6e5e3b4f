//! The step that decided names the field that decides: it is changed, the rule is asked again, and its verdict differs.
//!
//! In: the recorded cases of `library` whose class is `validate`, and those in CEL. Out: how many of their verdicts can be turned by
//! changing one field that the explanation names, and what the others are. Nothing of the engine says that a verdict has
//! turned: the changed resource is evaluated anew, from text. `cargo test -p tests --test all explained:: -- --nocapture` prints
//! the figures.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as the test does")]

use engine::json::{Path, Value, parse, to_json};
use engine::world::StaticWorld;
use engine::yaml::{Options, Source, SourceId};
use engine_lenses::explain::values;
use engine_lenses::wire::{ExplainField, ExplainInput, Explanation, Input, Text};
use std::collections::BTreeMap;
use std::num::NonZero;
use tests::recorded;

/// What is known of the time and of chance.
fn world() -> StaticWorld {
    StaticWorld {
        extension: Some(engine_celpolicy::WITH_STEPS),
        ..StaticWorld::at(1_790_000_000_000_000_000)
    }
}

/// The input of a recorded case, each resource a text of its own.
fn input(case: &Value) -> Input {
    let texts = |field: &str| -> Vec<Text> {
        let given = match case.get(field) {
            Some(Value::Array(list)) => list.to_vec(),
            Some(text @ Value::String(_)) => vec![text.clone()],
            _ => Vec::new(),
        };
        let text = |(at, text): (usize, &Value)| Text {
            name: format!("{field}/{at}.yaml"),
            text: text.as_str().unwrap_or("").to_owned(),
        };
        given.iter().enumerate().map(text).collect()
    };
    let documents = texts("resources").into_iter().flat_map(|text| {
        let source = Source { id: SourceId(0), name: text.name, text: text.text.into() };
        engine::yaml::parse(&source, &Options::default()).documents
    });
    let resources = documents
        .enumerate()
        .map(|(at, document)| Text { name: format!("{at}.json"), text: to_json(&document.value) });
    Input {
        policies: texts("policies"),
        resources: resources.collect(),
        cluster_resources: texts("targetResources"),
        exceptions: texts("exceptions"),
        values: texts("values"),
        user_info: texts("userInfo"),
        ..Input::default()
    }
}

/// What the rule of an explanation says of the only resource; nothing where it does not say anything.
fn verdict(input: &Input, explanation: &Explanation) -> Option<String> {
    let output = engine_lenses::run(input, &world());
    let result = output.results.into_iter().find(|result| {
        result.policy.name == explanation.policy.name
            && result.policy.namespace == explanation.policy.namespace
            && result.resource.range.is_some()
            && result.rules.iter().any(|rule| rule.rule == explanation.rule)
    })?;
    result.rules.into_iter().find(|rule| rule.rule == explanation.rule).map(|rule| rule.status.to_string())
}

/// How a verdict fares when a field that decided is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Turned {
    /// The first field that is named turns it.
    ByFirst,
    /// Another field that is named turns it.
    ByOther,
    /// No field is named: it was decided by something outside of the resource, or the rule has no condition.
    Unnamed,
    /// Fields are named, and it takes edits of more than one: those were found and tried.
    Several,
    /// Fields are named, and no value tried for one alone turns it.
    Never,
}

/// Whether a change of one field turns the verdict into another one: passed, failed or skipped.
fn turns(input: &Input, explanation: &Explanation, at: u32, field: &ExplainField) -> bool {
    let Ok(path) = field.path.parse::<Path>() else { return false };
    let text = input.resources.get(at as usize).unwrap();
    let resource = parse(&text.text).unwrap();
    // A resource is evaluated alone as it is among others (`property.rs` holds that), and alone it is evaluated sooner.
    let mut alone = Input { resources: vec![text.clone()], ..input.clone() };
    let read = |json: &Option<String>| json.as_ref().and_then(|json| parse(json).ok());
    let (found, wanted) = (read(&field.value), read(&field.wanted));
    let literals: Vec<Value> = field.literals.iter().filter_map(|json| parse(json).ok()).collect();
    values(found.as_ref(), wanted.as_ref(), &literals).into_iter().any(|value| {
        let mut changed = resource.clone();
        if !changed.put(&path, value) {
            return false;
        }
        alone.resources.first_mut().unwrap().text = to_json(&changed);
        let now = verdict(&alone, explanation);
        now.is_some_and(|now| now != explanation.verdict && matches!(now.as_str(), "pass" | "fail" | "skip"))
    })
}

fn turned(input: &Input, explanation: &Explanation) -> Turned {
    let Some(at) = explanation.resource.range.as_ref().map(|range| range.index) else {
        return Turned::Unnamed;
    };
    let mut fields = explanation.fields.iter();
    match fields.next() {
        None => Turned::Unnamed,
        Some(first) if turns(input, explanation, at, first) => Turned::ByFirst,
        Some(_) if fields.any(|field| turns(input, explanation, at, field)) => Turned::ByOther,
        Some(_) if explanation.edits.len() > 1 => Turned::Several,
        Some(_) => Turned::Never,
    }
}

#[derive(Default)]
struct Figures {
    cases: usize,
    whole: usize,
    by_kind: BTreeMap<(String, Turned), usize>,
    failing: usize,
    with_edits: usize,
    /// Failures of which a part of an expression is named that decided.
    with_part: usize,
    rest: Vec<String>,
}

impl Figures {
    fn with(mut self, other: Self) -> Self {
        self.cases += other.cases;
        self.whole += other.whole;
        self.failing += other.failing;
        self.with_edits += other.with_edits;
        self.with_part += other.with_part;
        self.rest.extend(other.rest);
        for (kind, count) in other.by_kind {
            *self.by_kind.entry(kind).or_default() += count;
        }
        self
    }

    fn count(&self, turned: &[Turned]) -> usize {
        self.by_kind.iter().filter(|((_, how), _)| turned.contains(how)).map(|(_, count)| count).sum()
    }
}

/// Of all cases, each evaluated by one of as many threads as there are processors.
fn figures(cases: &[Value], class: &str) -> Figures {
    let cases: Vec<&Value> = cases.iter().filter(|case| case.find_str(&["class"]) == class).collect();
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| {
        let parts: Vec<_> = (0..threads)
            .map(|first| {
                let part: Vec<&Value> = cases.iter().skip(first).step_by(threads).copied().collect();
                scope.spawn(move || figures_of(&part))
            })
            .collect();
        parts.into_iter().map(|part| part.join().unwrap()).fold(Figures::default(), Figures::with)
    })
}

fn figures_of(cases: &[&Value]) -> Figures {
    let mut figures = Figures::default();
    for case in cases {
        let input = input(case);
        let asked = ExplainInput { input: input.clone(), ..ExplainInput::default() };
        let output = engine_lenses::explain::run(&asked, &world());
        figures.cases += 1;
        let mut is_whole = true;
        for explanation in &output.explanations {
            if !matches!(explanation.verdict.as_str(), "pass" | "fail" | "skip") {
                continue;
            }
            if explanation.verdict == "fail" {
                figures.failing += 1;
                figures.with_edits += usize::from(!explanation.edits.is_empty());
                let mut deciding =
                    explanation.deciding.iter().filter_map(|at| explanation.steps.get(*at as usize));
                figures.with_part += usize::from(deciding.any(|step| step.kind == "expression"));
            }
            let how = turned(&input, explanation);
            *figures.by_kind.entry((explanation.verdict.clone(), how)).or_default() += 1;
            if how > Turned::ByOther || (explanation.verdict == "fail" && explanation.edits.is_empty()) {
                is_whole &= how <= Turned::ByOther;
                figures.rest.push(format!(
                    "{how:?} {} {}/{}/{}: {}",
                    if explanation.edits.is_empty() { "no-edits" } else { "" },
                    case.find_str(&["id"]),
                    explanation.resource.name,
                    explanation.rule,
                    explanation.sentence
                ));
            }
        }
        figures.whole += usize::from(is_whole);
    }
    figures
}

/// The figures of the cases of a class, printed.
fn printed(class: &str) -> Option<Figures> {
    let folder = recorded::folder_or_skip("turned verdicts")?;
    let cases = recorded::rows(&folder.join("library/in.jsonl.gz")).unwrap();
    let figures = figures(&cases, class);
    let (all, turned) =
        (figures.by_kind.values().sum::<usize>(), figures.count(&[Turned::ByFirst, Turned::ByOther]));
    if std::env::var_os("REST").is_some() {
        figures.rest.iter().for_each(|line| recorded::say(line));
    }
    for ((verdict, how), count) in &figures.by_kind {
        recorded::say(&format!("{class}: {verdict} {how:?}: {count}"));
    }
    recorded::say(&format!(
        "{class}: {} cases, {} of them whole; {turned} of {all} verdicts turn with a field that is named; edits for {} of {} failures, \
         the part of an expression that decided for {}",
        figures.cases, figures.whole, figures.with_edits, figures.failing, figures.with_part
    ));
    Some(figures)
}

#[test]
fn the_field_that_decided_turns_the_verdict() {
    let Some(figures) = printed("validate") else { return };
    let (all, turned) =
        (figures.by_kind.values().sum::<usize>(), figures.count(&[Turned::ByFirst, Turned::ByOther]));
    let several = figures.count(&[Turned::Several]);
    assert!(figures.cases > 0 && turned * 100 >= (all - several) * 90, "fewer verdicts turn than 9 of 10");
    assert!(figures.with_edits * 100 >= figures.failing * 90, "fewer failures have edits than 9 of 10");
}

#[test]
fn the_field_that_decided_in_an_expression_turns_the_verdict() {
    let Some(figures) = printed("cel") else { return };
    let failed = |wanted: &[Turned]| {
        let of =
            figures.by_kind.iter().filter(|((verdict, how), _)| verdict == "fail" && wanted.contains(how));
        of.map(|(_, count)| count).sum::<usize>()
    };
    let turned = failed(&[Turned::ByFirst, Turned::ByOther]);
    let all = turned + failed(&[Turned::Unnamed, Turned::Never]);
    assert!(figures.cases > 0 && turned * 100 >= all * 90, "fewer failures turn than 9 of 10");
    assert!(
        figures.with_part * 100 >= figures.failing * 98,
        "of fewer failures than 98 of 100 the part is named"
    );
}
