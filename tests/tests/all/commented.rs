//! Comments of policies that are converted: each stands once in what is made, and changes nothing of it.
//!
//! In: the recorded policies as they are, and with a comment on and above each line. Out: a failure where a comment is lost or doubled, or
//! where what is made says something else than without comments.

use engine::json::Value;
use engine::load::{Host, Role, load_with};
use engine::yaml::{Options, Source, SourceId, parse};
use engine_convert::{Conversion, Target, convert_all};
use engine_lenses::wire::Text;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use tests::conversions::others::folders;
use tests::recorded;

fn documents(text: &str) -> Option<Vec<Value>> {
    let source = Source { id: SourceId(0), name: "made.yaml".into(), text: text.into() };
    let parsed = parse(&source, &Options::default());
    parsed.findings.is_empty().then(|| parsed.documents.into_iter().map(|one| one.value).collect())
}

/// A value without the comments in its texts.
fn without_comments(value: &Value) -> Value {
    match value {
        Value::String(text) if text.contains('\n') => {
            let is_comment =
                |line: &&str| line.trim_start().starts_with("//") || line.trim_start().starts_with('#');
            let kept: Vec<&str> = text.split('\n').filter(|line| !is_comment(line)).collect();
            Value::from(kept.join("\n"))
        }
        Value::Array(list) => Value::array(list.iter().map(without_comments).collect()),
        Value::Object(map) => {
            Value::object(map.iter().map(|(key, value)| (key.clone(), without_comments(value))).collect())
        }
        other => other.clone(),
    }
}

/// A text with a comment above each line and on each, but where the line is part of a string.
fn commented(text: &str) -> Option<(String, Vec<String>)> {
    let with = |taken: &BTreeSet<String>| {
        let mut made = String::new();
        for (at, line) in text.lines().enumerate() {
            let indent = " ".repeat(line.len() - line.trim_start().len());
            let (above, beside) = (format!("above-{at};"), format!("beside-{at};"));
            if !taken.contains(&above) {
                let _ = writeln!(made, "{indent}# {above}");
            }
            made.push_str(line);
            if !taken.contains(&beside) && !line.trim().is_empty() {
                let _ = write!(made, " # {beside}");
            }
            made.push('\n');
        }
        made
    };
    let own = documents(text)?;
    let mut taken = BTreeSet::new();
    // A line may be within a string that goes on behind it.
    for _ in 0..4 {
        let made = with(&taken);
        match documents(&made) {
            Some(read) if read == own => {
                let all = (0..text.lines().count())
                    .flat_map(|at| [format!("above-{at};"), format!("beside-{at};")]);
                let there = all.filter(|name| made.contains(name.as_str())).collect();
                return Some((made, there));
            }
            Some(read) => {
                for value in &read {
                    strings(value, &mut taken);
                }
            }
            None => return None,
        }
    }
    None
}

/// The comments that became part of strings.
fn strings(value: &Value, taken: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            for word in text.split("# ").skip(1) {
                taken.extend(word.split_inclusive(';').next().map(str::to_owned));
            }
        }
        Value::Array(list) => list.iter().for_each(|one| strings(one, taken)),
        Value::Object(map) => map.iter().for_each(|(_, one)| strings(one, taken)),
        _ => {}
    }
}

fn made(text: &str, target: Target) -> Vec<Conversion> {
    let texts = [Text { name: "policy.yaml".into(), text: text.to_owned() }];
    convert_all(&texts, target).into_iter().map(|(_, conversion)| conversion).collect()
}

/// What is wrong with what a text becomes.
fn wrong(text: &str, target: Target) -> Result<usize, String> {
    let plain = made(text, target);
    // What is refused, and what is not converted, has no output.
    if plain.is_empty()
        || !plain.iter().all(Conversion::is_whole)
        || documents(text).is_none_or(|all| all.len() != plain.len())
    {
        return Ok(0);
    }
    let Some((text, comments)) = commented(text) else { return Ok(0) };
    let with = made(&text, target);
    for (one, other) in plain.iter().zip(&with) {
        if one.documents != other.documents {
            return Err("another policy is made".into());
        }
        let read = documents(&other.text()).ok_or("what is made is not YAML")?;
        let [read, wanted] =
            [&read, &other.documents].map(|all| all.iter().map(without_comments).collect::<Vec<_>>());
        if read != wanted {
            return Err(format!("it is read as something else:\n{}", other.text()));
        }
        let role = if other.kind == "PolicyException" { Role::Exceptions } else { Role::Policies };
        let loaded = |text: String| {
            let text = Text { name: "made.yaml".into(), text };
            let (_, said) =
                load_with(vec![(role, (&text).into())], Host::Cluster, engine_celpolicy::WITH_STEPS);
            said.into_iter().map(|one| one.message).collect::<Vec<_>>()
        };
        if loaded(one.text()) != loaded(other.text()) {
            return Err(format!("Kyverno reads it otherwise: {:?}", loaded(other.text())));
        }
    }
    let all: String = with.iter().map(Conversion::text).collect();
    for comment in &comments {
        let found = all.matches(comment.as_str()).count();
        // What is written in JSON or YAML within a string is searched for comments where it is of patches alone.
        if found != 1 {
            return Err(format!("`{comment}` stands there {found} times:\n{text}\n{all}"));
        }
    }
    Ok(comments.len())
}

#[test]
fn every_comment_of_the_recorded_policies_stands_once() {
    let Some(folder) = recorded::folder_or_skip("comments of policies that are converted") else { return };
    let mut texts: BTreeSet<String> = BTreeSet::new();
    for case in recorded::rows(&folder.join("library/in.jsonl.gz")).unwrap() {
        let policies = case.get("policies").and_then(Value::as_array).unwrap_or_default();
        texts.extend(policies.iter().filter_map(Value::as_str).map(str::to_owned));
    }
    for (_, files) in folders(&folder, 12) {
        texts.extend(files.into_iter().map(|file| file.text));
    }
    let mut count = 0;
    for text in &texts {
        for target in [Target::Cel, Target::ValidatingAdmissionPolicy, Target::ValidatingPolicy] {
            match wrong(text, target) {
                Ok(comments) => count += usize::from(comments > 0),
                Err(why) => panic!("{why}"),
            }
        }
    }
    assert!(count > 200, "{count}");
}
