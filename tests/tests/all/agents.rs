//! How far the answers of `podsieve mcp` alone lead: policies with slips, objects that fail. The figures stand in docs/agents.md.
//!
//! In: the built `podsieve`, the recorded library. Out: a failure where fewer are repaired, answers grow, or the document says something else.

use engine::json::Value;
use engine::world::StaticWorld;
use engine::yaml::emit::to_yaml;
use engine_compare::{Grade, Options, compare, mutants::mutants};
use engine_lenses::wire::Text;
use tests::agents::objects::{Outcome, repair};
use tests::agents::slips::SLIPS;
use tests::agents::{Server, mended};
use tests::program::{self, Scratch};
use tests::random::Choices;
use tests::recorded::Recorded;

/// Policies with a mistake, of each kind of slips.
const OF_EACH: usize = 22;
/// Policies in all: what slips leave are mistakes that load.
const POLICIES: usize = 200;
const OBJECTS: usize = 200;
/// Objects of one case of the library.
const OF_CASE: usize = 2;
/// 4,000 tokens of English and YAML.
const LONG: usize = 14_000;

/// The texts of a field of a case.
fn texts(case: &Value, field: &str) -> Vec<String> {
    let list = case.get(field).and_then(Value::as_array).unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn begin() -> Option<(Server, Scratch, Vec<Value>)> {
    let recorded = Recorded::all();
    let program = program::find_or_skip()?;
    if !recorded.is_there_or_skip("library/in.jsonl") {
        return None;
    }
    let cases = recorded.rows("library/in.jsonl").ok()?;
    let scratch = Scratch::new().ok()?;
    Some((Server::start(&program, scratch.path()).ok()?, scratch, Choices::new(49).shuffled(&cases)))
}

fn is_same(old: &str, new: &str) -> bool {
    let side = |text: &str| [Text { name: "policy.yaml".to_owned(), text: text.to_owned() }];
    let options = Options { max_requests: 2_000, mutants: 0, ..Options::default() };
    let grade = compare(&side(old), &side(new), &options, &StaticWorld::default(), &mut |_| true).grade;
    old == new || matches!(grade, Grade::Same | Grade::NoDifference)
}

fn share(part: usize, whole: usize) -> usize {
    part * 100 / whole.max(1)
}

/// The document holds the figure.
fn is_documented(row: &str) {
    let document = include_str!("../../../docs/agents.md");
    assert!(document.contains(row), "docs/agents.md does not say: {row}");
}

#[test]
fn policies_with_slips_are_mended_by_answers_alone() {
    let Some((mut server, _scratch, cases)) = begin() else { return };
    let mut policies: Vec<String> = cases.iter().map(|case| texts(case, "policies").concat()).collect();
    policies.retain(|text| text.matches("\nkind:").count() == 1);
    let mut choices = Choices::new(1);
    let (mut all, mut solved, mut rows) = (0, 0, Vec::new());
    let mistakes: [(&str, tests::agents::slips::Slip); 1] = [("mistakes that load", mistake)];
    for (kind, slip) in SLIPS.iter().copied().chain(mistakes) {
        let wanted = if kind.contains(' ') { POLICIES - all } else { OF_EACH };
        let (mut of_kind, mut good) = (0, 0);
        for policy in choices.shuffled(&policies) {
            if of_kind == wanted {
                break;
            }
            // A slip that changes nothing is none.
            let Some(wrong) = slip(&policy, &mut choices).filter(|wrong| !is_same(&policy, wrong)) else {
                continue;
            };
            of_kind += 1;
            let answer = mended(&mut server, &wrong).unwrap_or_else(|error| panic!("{kind}: {error}"));
            good += usize::from(is_same(&policy, &answer));
        }
        rows.push(format!("{kind} {good} of {of_kind}"));
        (all, solved) = (all + of_kind, solved + good);
    }
    tests::recorded::say(&format!("agents: {solved} of {all} policies mended: {}", rows.join(", ")));
    assert!(all == POLICIES && share(solved, all) >= 60, "{rows:?}");
    is_documented(&format!("| policies with a slip | {solved} of {all} |"));
    is_documented(&rows.join(", "));
    has_short_answers(&server);
}

/// A policy with a mistake that Kyverno loads.
fn mistake(policy: &str, choices: &mut Choices) -> Option<String> {
    let value = engine::yaml::parse_one(policy).ok()?;
    let all = mutants(&value);
    all.get(choices.below(all.len())).map(|mutant| to_yaml(&mutant.policy))
}

#[test]
fn objects_that_fail_pass_after_the_edits() {
    let Some((mut server, _scratch, cases)) = begin() else { return };
    let (mut all, mut good) = (0, 0);
    let needs_more = |case: &Value| {
        ["values", "context", "userInfo", "exceptions"].iter().any(|field| case.get(field).is_some())
    };
    for case in cases.iter().filter(|case| !needs_more(case)) {
        let policies = texts(case, "policies");
        let mut of_case = 0;
        for text in texts(case, "resources") {
            for object in text.split("\n---").filter_map(|document| engine::yaml::parse_one(document).ok()) {
                if all == OBJECTS || of_case == OF_CASE || object.is_null() {
                    continue;
                }
                match repair(&mut server, &policies, &object).unwrap_or_else(|error| panic!("{error}")) {
                    Outcome::Good => continue,
                    Outcome::Repaired => good += 1,
                    Outcome::Left => {}
                }
                (all, of_case) = (all + 1, of_case + 1);
            }
        }
    }
    tests::recorded::say(&format!("agents: {good} of {all} objects repaired"));
    assert!(all == OBJECTS && share(good, all) >= 90, "{good} of {all}");
    is_documented(&format!("| objects that fail | {good} of {all} |"));
    has_short_answers(&server);
}

fn has_short_answers(server: &Server) {
    let short = server.sizes.iter().filter(|size| **size < LONG).count();
    assert!(share(short, server.sizes.len()) >= 95, "{short} of {} answers are short", server.sizes.len());
}
