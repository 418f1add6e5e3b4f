//! The reader and serde agree on everything that the engine can answer; what is broken is refused and never panics.

use engine_lenses::wire::{Changes, Output, PsaOutput, Text};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Read, Unreadable, read};

/// A JSON value for this shape that has something in every field, found by asking serde what it wants.
fn full<T: DeserializeOwned + serde::Serialize + Default>(sample: &Value) -> String {
    let value: T = serde_json::from_value(sample.clone()).unwrap();
    let written = serde_json::to_value(&value).unwrap();
    assert_eq!(&written, sample, "the sample names a field that the shape does not have");
    sample.to_string()
}

fn range() -> Value {
    json!({"input": "policies", "index": 1, "name": "a", "from": 2, "to": 3, "line": 4, "column": 5, "endLine": 6})
}

fn object() -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "namespace": "n", "name": "p\u{1}\"\\\n😀/", "range": range()})
}

fn step() -> Value {
    json!({"depth": 1, "kind": "match", "outcome": "yes", "text": "t\\", "policyRange": range(), "resourceRange": range()})
}

fn output() -> Value {
    let rule = json!({
        "rule": "r", "type": "Validation", "status": "fail", "message": "m", "effect": "deny", "autogen": "a",
        "properties": [["k", "v"]], "exceptions": ["e"], "warnings": ["w"], "policyRanges": [range()],
        "resourceRanges": [range(), range()], "steps": [step()], "generated": ["g"], "note": "n",
        "target": {"resource": object(), "original": "o", "patched": "p"},
    });
    json!({
        "version": {"podsieve": "1", "kyverno": "2"},
        "complete": true,
        "results": [{
            "policy": object(), "resource": object(), "rules": [rule], "effect": "deny", "patched": "p",
            "original": "o", "noMatch": "none", "steps": [step(), step()],
        }],
        "counts": {"pass": 1, "fail": 2, "warn": 3, "error": 4, "skip": 5, "undecided": 6},
        "refused": [{"policy": "p", "reason": "r", "range": range()}],
        "diagnostics": [{"code": "c", "severity": "error", "message": "m", "range": range(), "hints": ["h"]}],
        "autogen": [{
            "policy": object(),
            "rules": [{"rule": "r", "from": "f", "kinds": ["k"], "text": "t", "range": range()}],
            "hindrances": [{"rule": "r", "reason": "because", "range": range()}],
        }],
        "loaded": {"policies": 1, "rules": 2, "resources": 3, "exceptions": 4},
        "schedules": [{"policy": object(), "schedule": "s", "next": ["n"], "propagation": "p"}],
        "drift": {
            "objects": [{"resource": object(), "changed": ["c"], "added": ["a"], "removed": ["r"]}],
            "ignoreDifferences": "i",
        },
    })
}

fn psa() -> Value {
    let finding = json!({
        "path": "p", "fault": "forbidden", "value": "v", "container": "c", "message": "m", "range": range(),
    });
    let check = json!({
        "id": "i", "section": "s", "level": "l", "baseline": "b", "restricted": "r", "note": "n",
        "fields": ["f"], "reason": "r", "detail": "d", "findings": [finding],
    });
    let admission = json!({"allowed": true, "message": "m", "warnings": ["w"], "audit": [["a", "b"]]});
    let obstacle = json!({
        "resource": object(), "next": "n",
        "findings": [{"check": "c", "reason": "r", "detail": "d", "exclusion": "e", "range": range()}],
        "changes": [{"path": "p", "value": "v", "check": "c", "text": "t", "range": range()}],
    });
    json!({
        "version": {"podsieve": "1", "kyverno": "2"}, "complete": true, "asked": "latest", "effective": "v1.37", "asWritten": true,
        "objects": [{
            "resource": object(), "reaches": "baseline",
            "levels": [{"level": "baseline", "allowed": true, "detail": "d"}],
            "checks": [check],
            "strip": [{
                "from": "v1.0", "to": "v1.1", "baseline": true, "restricted": false, "starts": ["s"],
                "stops": ["t"],
            }],
            "admission": admission,
        }],
        "namespaces": [{
            "name": "n", "declared": true, "enforce": "e", "audit": "a", "warn": "w", "admission": admission,
            "advice": {"level": "l", "labels": [["k", "v"]], "obstacles": [obstacle]}, "range": range(),
        }],
        "others": 7,
        "diagnostics": [],
    })
}

#[test]
fn every_field_of_the_answers_is_read_as_serde_reads_it() {
    let text = full::<Output>(&output());
    let found: Output = read(&text).unwrap();
    assert_eq!(serde_json::to_value(&found).unwrap(), output());
    let changes = json!({
        "since": 1, "head": 2, "tail": 3, "index": 4, "unitsAdded": 5, "unitsRemoved": 6, "linesAdded": 7,
        "linesRemoved": 8, "output": output(),
    });
    let found: Changes = read(&full::<Changes>(&changes)).unwrap();
    assert_eq!(serde_json::to_value(&found).unwrap(), changes);
    let text = full::<PsaOutput>(&psa());
    let found: PsaOutput = read(&text).unwrap();
    assert_eq!(serde_json::to_value(&found).unwrap(), psa());
}

#[test]
fn blanks_orders_nulls_and_unknown_names_make_no_difference() {
    let text: Text = read(" { \"text\" :\t\"a\\u00e9\\/\\b\\f\\r\\t\\\\u0041\" ,\n\"more\": [{\"a\": [1.5e3, \"}\"]}, null], \"name\":\"n\" } ").unwrap();
    assert_eq!((text.name.as_str(), text.text.as_str()), ("n", "aé/\u{8}\u{c}\r\t\\u0041"));
    assert_eq!(read::<Vec<Option<u32>>>("[null, 4294967295,0]").unwrap(), [None, Some(u32::MAX), Some(0)]);
    assert_eq!(read::<(bool, Vec<String>)>("[true,[]]").unwrap(), (true, Vec::new()));
    // A half of a character is none.
    assert_eq!(read::<String>("\"\\ud83d-\"").unwrap(), "\u{fffd}-");
}

#[test]
fn what_is_cut_or_changed_is_refused_at_its_place() {
    let whole = output().to_string();
    for (end, _) in whole.char_indices() {
        assert!(read::<Output>(whole.get(..end).unwrap()).is_err(), "{end}");
    }
    let refused = |text: &str| read::<Vec<u32>>(text).unwrap_err();
    assert_eq!(refused("[1 2]"), Unreadable(3));
    assert_eq!(refused("[-1]"), Unreadable(1));
    assert_eq!(refused("[4294967296]"), Unreadable(1));
    assert_eq!(refused("[1]]"), Unreadable(3));
    for text in ["\"\\u12\"", "\"\\u+123\"", "\"\\", "{", "{\"a\"}", "nul", "[[", "\u{feff}"] {
        assert!(read::<String>(text).is_err() && read::<Text>(text).is_err(), "{text}");
    }
}

#[test]
fn serde_and_the_reader_refuse_and_take_the_same() {
    fn both<T: Read + Default + DeserializeOwned>(text: &str) -> (bool, bool) {
        (read::<T>(text).is_ok(), serde_json::from_str::<T>(text).is_ok())
    }
    for text in ["[]", "[\"a\",\"b\"]", "[\"a\"]", "[\"a\",\"b\",\"c\"]", "{}", "1", "[1,\"b\"]"] {
        let (ours, theirs) = both::<(String, String)>(text);
        // A pair that is too short keeps its defaults here; the engine writes none.
        assert!(ours == theirs || text == "[]" || text == "[\"a\"]", "{text}");
    }
}
