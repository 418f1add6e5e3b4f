//! `podsieve impact`: rows against whole runs, forms, exit codes, and repositories that want to have something run.
//!
//! In: generated policies, files and repositories made here, the built `podsieve`. Out: a failure where a row is missing or one too many, where a form or an
//! exit code is another, or where a file of a stranger was run or written.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "the helpers of a test fail as the test does"
)]

use engine::Bundle;
use engine::apply::{Locations, Options, Recording, RuleType, apply, rule_effect};
use engine::json::Value;
use engine::load::{Host, Role, load_with};
use engine::world::StaticWorld;
use engine::yaml::{Source, SourceId};
use engine_impact::{Judge, Rules, Sides, Tables, Twice};
use engine_lenses::wire::Text;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use tests::generated::Generator;
use tests::program::{self, Scratch};
use tests::random::Choices;
use tests::terminal::{self, POD, POLICY, Run};

/// How many pairs are generated.
const PAIRS: u64 = 300;

fn loaded(policies: &[Text], resources: &[Text]) -> Bundle {
    let source = |(role, text): (Role, &Text)| {
        let source = Source { id: SourceId(0), name: text.name.clone(), text: text.text.as_str().into() };
        (role, source)
    };
    let policies = policies.iter().map(|text| (Role::Policies, text));
    let resources = resources.iter().map(|text| (Role::Resources, text));
    load_with(policies.chain(resources).map(source).collect(), Host::Cluster, engine_celpolicy::WITH_STEPS).0
}

/// The object, the policy, and what a rule of it said.
type Said = (usize, String, String);

/// What a whole run says, as `resource policy …`, and the objects that it leaves otherwise than they came.
fn plain(bundle: &Bundle, world: &StaticWorld) -> (Vec<Said>, Vec<(usize, Value)>) {
    let options = Options { host: Host::Cluster, trace: Recording::Off, places: Locations::Omit };
    let (mut said, mut left): (Vec<_>, Vec<(usize, Value)>) = (Vec::new(), Vec::new());
    for result in apply(bundle, world, &options).results {
        let policy = &bundle.policies[result.policy];
        if let Some(mutation) = result.mutation.filter(|mutation| mutation.changed) {
            left.retain(|(at, _)| *at != result.resource);
            left.push((result.resource, mutation.resource));
        }
        for rule in result.rules {
            if rule.rule_type == RuleType::Deletion {
                continue;
            }
            let effect = rule_effect(bundle, policy, bundle.resources[result.resource].namespace(), &rule);
            let words = format!(
                "{} {:?} {:?} {} {} {:?} {:?}",
                rule.written_name,
                rule.rule_type,
                rule.status,
                effect.as_str(),
                rule.message,
                rule.generated,
                rule.patched_target
            );
            said.push((result.resource, policy.key(), words));
        }
    }
    (said, left)
}

/// The objects and policies that two whole runs decide otherwise, held against one another without knowing what changed.
fn expected(old: &Bundle, new: &Bundle, world: &StaticWorld) -> BTreeSet<(usize, String)> {
    let [(mut before, old_left), (after, new_left)] = [plain(old, world), plain(new, world)];
    let mut found = BTreeSet::new();
    for (at, policy, words) in after {
        match before.iter().position(|known| (known.0, &known.1, &known.2) == (at, &policy, &words)) {
            Some(place) => drop(before.swap_remove(place)),
            None => drop(found.insert((at, policy))),
        }
    }
    found.extend(before.into_iter().map(|(at, policy, _)| (at, policy)));
    for at in 0..new.resources.len() {
        // As it is stored, whether a policy wrote it or it came so.
        let of = |left: &[(usize, Value)]| {
            let written = left.iter().find(|(known, _)| *known == at).map(|(_, value)| value);
            written.unwrap_or(&new.resources[at].value).with_int_numbers()
        };
        if of(&old_left) != of(&new_left) {
            found.insert((at, "(left)".to_owned()));
        }
    }
    found
}

fn rows(old: &Bundle, new: &Bundle, world: &StaticWorld, twice: Twice) -> BTreeSet<(usize, String)> {
    let sides = Sides::new([old.clone(), new.clone()], twice);
    let (tables, rules) = (Tables::of(&sides), Rules::of(&sides));
    let judge = Judge::new(&sides, &tables, world, &rules);
    let mut found = BTreeSet::new();
    for (at, (_, judged)) in judge.judge(&new.resources).enumerate() {
        for change in judged.changes {
            let is_left = change.verdicts == [None, None];
            let policy = if is_left { "(left)".to_owned() } else { sides.pairs[change.pair].name.clone() };
            found.insert((at, policy));
        }
    }
    found
}

#[test]
fn rows_are_those_of_two_whole_runs() {
    let generator = Generator::default();
    let world = StaticWorld::default();
    let (mut some, mut left) = (0, 0);
    for seed in 0..PAIRS {
        let [first, second] = [seed * 2, seed * 2 + 1].map(|seed| generator.case(&mut Choices::new(seed)));
        let renamed = |policies: &[Text], sign: &str| -> Vec<Text> {
            policies
                .iter()
                .enumerate()
                .map(|(at, text)| Text { name: format!("{sign}{at}.yaml"), text: text.text.clone() })
                .collect()
        };
        let (first_policies, second_policies) =
            (renamed(&first.policies, "a"), renamed(&second.policies, "b"));
        let both: Vec<Text> = first_policies.iter().chain(&second_policies).cloned().collect();
        let enforced: Vec<Text> = both
            .iter()
            .map(|text| Text { name: text.name.clone(), text: text.text.replace("Audit", "Enforce") })
            .collect();
        let resources: Vec<Text> = first.resources.iter().chain(&second.resources).cloned().collect();
        for (old, new) in [
            (&first_policies, &both),
            (&both, &enforced),
            (&first_policies, &second_policies),
            (&both, &both),
        ] {
            let [old, new] = [old, new].map(|policies| loaded(policies, &resources));
            let wanted = expected(&old, &new, &world);
            assert_eq!(rows(&old, &new, &world, Twice::Changed), wanted, "pair {seed}");
            assert_eq!(rows(&old, &new, &world, Twice::All), wanted, "pair {seed}, all evaluated");
            some += usize::from(!wanted.is_empty());
            left += usize::from(wanted.iter().any(|(_, policy)| policy == "(left)"));
        }
    }
    assert!(some > 100 && left > 10, "{some} pairs differ, {left} leave another object");
}

pub(crate) fn enforced() -> String {
    format!("{POLICY}      failureAction: Enforce\n")
}

/// A chart's output with a name that Markdown and HTML would obey.
fn rendered() -> String {
    let pod = |head: &str, name: &str| {
        format!("---\n{head}{}", POD.replace("name: web}", &format!("name: {name}}}")))
    };
    pod("# Source: shop/templates/web.yaml\n", "web") + &pod("# Source: <img src=x>@all\n", "'`x`|<b>'")
}

fn impact(arguments: &[&str]) -> Option<(Run, Scratch)> {
    let program = program::find_or_skip()?;
    let scratch = Scratch::new().unwrap();
    for (name, text) in [("old/p.yaml", POLICY), ("new/p.yaml", &enforced()), ("app.yaml", &rendered())] {
        scratch.write(name, text).unwrap();
    }
    let run = terminal::run_in(&program, scratch.path(), &[&["impact"], arguments].concat(), "");
    Some((run, scratch))
}

#[test]
fn exit_codes_say_what_changed() {
    for (arguments, code) in [
        (&["old", "new"][..], 2),
        (&["old", "old"], 0),
        (&["old", "new", "--fail-on", "newly-denied"], 2),
        (&["old", "new", "--fail-on", "newly-allowed,newly-reported"], 0),
        (&["new", "old", "--fail-on", "newly-allowed"], 2),
        (&["old", "new", "--exit-zero"], 0),
        (&["old", "nothing"], 1),
        (&["old"], 1),
        (&["old", "new", "--write", "pdf=x"], 1),
        (&["old", "new", "--write", "json=old/p.yaml"], 1),
    ] {
        let Some((run, _)) = impact(&[arguments, &["-r", "app.yaml"]].concat()) else { return };
        assert_eq!(run.code, code, "{arguments:?}\n{}{}", run.out, run.err);
    }
}

#[test]
fn an_input_is_not_written_over() {
    for (arguments, named) in [
        (&["--write", "json=old/p.yaml"][..], "--write json=old/p.yaml is read as a part of `old`"),
        (&["--write", "markdown=app.yaml"], "--write markdown=app.yaml is read as a part of `app.yaml`"),
        (&["-r", "more.json", "--write", "json=more.json"], "--write json=more.json is read as a part of"),
    ] {
        let Some(program) = program::find_or_skip() else { return };
        let more = "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"more\"}}";
        let files = [
            ("old/p.yaml", POLICY),
            ("new/p.yaml", &enforced()),
            ("app.yaml", &rendered()),
            ("more.json", more),
        ];
        let scratch = Scratch::new().unwrap();
        for (name, text) in files {
            scratch.write(name, text).unwrap();
        }
        let all = [&["impact", "old", "new", "-r", "app.yaml"], arguments].concat();
        let run = terminal::run_in(&program, scratch.path(), &all, "");
        assert_eq!((run.code, run.err.contains(named)), (1, true), "{}", run.err);
        for (name, text) in files {
            assert_eq!(std::fs::read_to_string(scratch.path().join(name)).unwrap(), text);
        }
    }
}

#[test]
fn rows_name_template_line_and_edit() {
    let Some((run, _)) = impact(&["old", "new", "-r", "app.yaml"]) else { return };
    for part in [
        "1 of 1 policy changed between old and new; 2 objects",
        "stricter: 2 newly denied",
        "no-latest  new/p.yaml:1  Audit → Enforce",
        "newly denied  Pod default/web  [tag]  shop/templates/web.yaml, app.yaml:9",
        "passes with: spec.containers[0].image:",
        "and 1 more: 2 Pod in 1 namespace",
    ] {
        assert!(run.out.contains(part), "{part}\n{}", run.out);
    }
}

#[test]
fn every_form_is_written_beside() {
    let forms = ["markdown", "summary", "json", "sarif", "sarif-new"];
    let writes: Vec<String> = forms.iter().map(|form| format!("{form}={form}.out")).collect();
    let mut arguments = vec!["old", "new", "-r", "app.yaml"];
    for write in &writes {
        arguments.extend(["--write", write]);
    }
    let Some((_, scratch)) = impact(&arguments) else { return };
    let text = |form: &str| std::fs::read_to_string(scratch.path().join(format!("{form}.out"))).unwrap();
    let markdown = text("markdown");
    assert!(markdown.starts_with("<!-- podsieve-impact impact -->\n"), "{markdown}");
    let outside: String = markdown.split('`').step_by(2).collect();
    assert!(!outside.contains("<img") && !outside.contains("@all") && !outside.contains("<b>"), "{markdown}");
    let json = engine::json::parse(&text("json")).unwrap();
    assert_eq!(json.find_str(&["new", "name"]), "new");
    assert_eq!(json.get("changes").and_then(Value::as_array).map(<[Value]>::len), Some(2));
    let first = json.get("changes").and_then(|changes| changes.at(0)).unwrap();
    assert_eq!(first.find_str(&["origin", "template"]), "shop/templates/web.yaml");
    let sarif = text("sarif");
    assert!(
        sarif.contains("\"baselineState\": \"updated\"") && sarif.contains("shop/templates/web.yaml"),
        "{sarif}"
    );
}

#[test]
fn a_comment_has_its_bound() {
    let Some(program) = program::find_or_skip() else { return };
    let scratch = Scratch::new().unwrap();
    scratch.write("old/p.yaml", POLICY).unwrap();
    for at in 0..400 {
        let policy = enforced().replace("no-latest", &format!("no-latest-{at}"));
        scratch.write(&format!("new/{at}.yaml"), policy).unwrap();
    }
    scratch.write("app.yaml", rendered()).unwrap();
    let run = |more: &[&str]| {
        let arguments =
            ["impact", "old", "new", "-r", "app.yaml", "--format", "markdown", "--compare", "none"];
        terminal::run_in(&program, scratch.path(), &[&arguments, more].concat(), "").out
    };
    let whole = run(&[]);
    assert!(whole.chars().count() <= 65_536 && whole.contains("left out here"), "{}", whole.len());
    assert_eq!(whole.matches("<details>").count(), whole.matches("</details>").count());
    assert!(run(&["--max-characters", "1000"]).chars().count() <= 1000);
    assert_eq!(run(&[]), whole);
}

/// Runs git in a folder, as its user would.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> bool {
    let person = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"];
    let run = Command::new("git")
        .current_dir(folder)
        .args(person)
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output();
    run.is_ok_and(|output| output.status.success())
}

/// A repository with two commits; nothing where there is no git.
pub(crate) fn repository() -> Option<(std::path::PathBuf, Scratch)> {
    let program = program::find_or_skip()?;
    let scratch = Scratch::new().unwrap();
    scratch.write("repo/policies/p.yaml", POLICY).unwrap();
    scratch.write("repo/app.yaml", rendered()).unwrap();
    let folder = scratch.path().join("repo");
    let is_there = git(&folder, &["init", "-q"])
        && git(&folder, &["add", "-A"])
        && git(&folder, &["commit", "-qm", "a"]);
    if !is_there {
        return None;
    }
    scratch.write("repo/policies/p.yaml", enforced()).unwrap();
    Some((program, scratch))
}

pub(crate) fn commit(folder: &Path) {
    assert!(git(folder, &["add", "-A"]) && git(folder, &["commit", "-qm", "b"]));
}

#[test]
fn commits_and_the_files_beside_them_are_read() {
    let Some((program, scratch)) = repository() else { return };
    let folder = scratch.path().join("repo");
    let run = |words: &[&str]| {
        let arguments = [&["impact"], words, &["-r", "app.yaml"]].concat();
        terminal::run_in(&program, &folder, &arguments, "")
    };
    let now = run(&["HEAD", "policies"]);
    assert_eq!(now.code, 2, "{}{}", now.out, now.err);
    commit(&folder);
    for words in [
        &["HEAD~1..HEAD", "policies"][..],
        &["HEAD~1...HEAD", "policies/"],
        &["HEAD~1", "HEAD", "policies"],
        &["HEAD~1..", "."],
    ] {
        let run = run(words);
        assert_eq!(
            (run.code, run.out.contains("2 newly denied")),
            (2, true),
            "{words:?} {}{}",
            run.out,
            run.err
        );
    }
    assert_eq!(run(&["HEAD..HEAD", "policies"]).code, 0);
    assert!(git(&folder, &["branch", "policies"]));
    assert!(run(&["policies", "policies"]).err.contains("is a path and a reference"));
}

#[test]
fn nothing_of_a_repository_is_run() {
    let Some((program, scratch)) = repository() else { return };
    let folder = scratch.path().join("repo");
    let touched = scratch.path().join("touched");
    let touch = format!("touch {}", touched.display());
    scratch.write("repo/.gitattributes", "*.yaml filter=evil diff=evil export-ignore\n").unwrap();
    scratch.write("repo/policies/<b>`x`@all.yaml", POLICY.replace("no-latest", "other")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", folder.join("policies/link.yaml")).unwrap();
    commit(&folder);
    for key in [
        "core.fsmonitor",
        "core.sshCommand",
        "alias.ls-tree",
        "alias.rev-parse",
        "filter.evil.smudge",
        "diff.evil.textconv",
        "core.pager",
        "core.hooksPath",
    ] {
        assert!(git(&folder, &["config", key, &touch]), "{key}");
    }
    for hook in ["post-checkout", "pre-commit", "reference-transaction"] {
        scratch.write(&format!("repo/.git/hooks/{hook}"), format!("#!/bin/sh\n{touch}\n")).unwrap();
    }
    let run = |reference: &str| {
        terminal::run_in(&program, &folder, &["impact", reference, "policies", "-r", "app.yaml"], "")
    };
    for reference in [
        "--output=x",
        "-",
        "a b",
        "$(touch x)",
        "main\nx",
        "nowhere",
        "HEAD~1..nowhere",
        "--help..HEAD",
        "HEAD:policies",
    ] {
        let run = run(reference);
        assert!(
            run.code == 1 || reference == "--output=x" && run.code != 0,
            "{reference}: {}{}",
            run.out,
            run.err
        );
    }
    let linked = run("HEAD~1..HEAD");
    assert_eq!(linked.code, 1, "{}", linked.out);
    assert!(linked.err.contains("link.yaml` is a symbolic link"), "{}", linked.err);
    assert!(linked.out.contains("2 newly denied"), "{}", linked.out);
    assert!(!touched.exists() && !folder.join("x").exists());
}

#[test]
fn lists_are_opened_and_owners_count_once() {
    let owned = "{apiVersion: v1, kind: Pod, metadata: {name: web-1, ownerReferences: [{apiVersion: v1, kind: Pod, name: web, controller: true, uid: a}]}, spec: {containers: [{name: a, image: 'x:latest'}]}}";
    let list = format!(
        "apiVersion: v1\nkind: List\nitems:\n- {owned}\n- {}\n",
        owned.replace("web-1", "web").replace(
            ", ownerReferences: [{apiVersion: v1, kind: Pod, name: web, controller: true, uid: a}]",
            ""
        )
    );
    let Some(program) = program::find_or_skip() else { return };
    let files = [("old.yaml", POLICY), ("new.yaml", &enforced()), ("list.yaml", &list)];
    let run = terminal::run(&program, &files, &["impact", "old.yaml", "new.yaml", "-r", "list.yaml"], "");
    assert!(
        run.out.contains("2 newly denied") && run.out.contains("Pod default/web "),
        "{}{}",
        run.out,
        run.err
    );
    assert!(run.out.contains("and 1 object that these made"), "{}", run.out);
}

#[test]
fn origins_are_in_reports_of_apply() {
    let Some(program) = program::find_or_skip() else { return };
    let files = [("p.yaml", POLICY), ("app.yaml", &rendered())];
    let run = |more: &[&str]| {
        terminal::run(&program, &files, &[&["apply", "p.yaml", "-r", "app.yaml"], more].concat(), "").out
    };
    let (sarif, junit) = (run(&["--report-format", "sarif"]), run(&["--report-format", "junit"]));
    assert!(sarif.contains("\"fullyQualifiedName\": \"shop/templates/web.yaml\""), "{sarif}");
    assert!(junit.contains("<property name=\"origin\" value=\"shop/templates/web.yaml\"/>"), "{junit}");
    let explained = terminal::run(&program, &files, &["explain", "p.yaml", "-r", "app.yaml"], "").out;
    assert!(explained.contains("from shop/templates/web.yaml"), "{explained}");
}
