//! Streams cut into objects, whole and a few bytes at a time.
//!
//! In: texts. Out: a failure where an object is lost, cut wrong, or a fault is silent.

use engine_cluster::{Cutter, Form, Item, MAX_ITEM};
use std::io::{Error, Read};

/// A reader that gives so many bytes at once.
struct Slow<'a>(&'a [u8], usize);

impl Read for Slow<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(self.0.len()).min(out.len());
        let (now, later) = self.0.split_at(count);
        out.iter_mut().zip(now).for_each(|(to, from)| *to = *from);
        self.0 = later;
        Ok(count)
    }
}

/// What a text is cut into: a line an object or fault.
fn cut(text: &str) -> Vec<String> {
    let line = |item: Result<Item, engine_cluster::Fault>| match item {
        Ok(item) => {
            let kind =
                item.list.map(|list| format!(" [{} {}]", list.api_version, list.kind)).unwrap_or_default();
            format!("{}:{}{kind} {}", item.number, item.line, String::from_utf8_lossy(&item.text).trim_end())
        }
        Err(fault) => format!("fault {}: {}", fault.line, fault.message),
    };
    let whole: Vec<String> = Cutter::new(text.as_bytes()).map(line).collect();
    for size in [1, 3, 7] {
        let slow: Vec<String> = Cutter::new(Slow(text.as_bytes(), size)).map(line).collect();
        assert_eq!(slow, whole, "{size} bytes at once");
    }
    whole
}

#[test]
fn one_object_a_line_or_one_after_the_other() {
    assert_eq!(cut("{\"a\":1}\n{\"b\":\"}\\\"{\"}\n"), ["1:1 {\"a\":1}", "2:2 {\"b\":\"}\\\"{\"}"]);
    assert_eq!(
        cut("\u{feff} {}{\"a\":{}}\n---\n# x\n[{\"b\":[]}, {}]"),
        ["1:1 {}", "2:1 {\"a\":{}}", "3:4 {\"b\":[]}", "4:4 {}"]
    );
    assert_eq!(cut("\n \n"), [""; 0]);
}

#[test]
fn the_items_of_a_list_are_objects() {
    // An API server writes the kind first, kubectl last.
    let server = "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"continue\":\"x\"},\"items\":[{\"a\":1},\n{\"a\":2}]}";
    assert_eq!(cut(server), ["1:1 [v1 Pod] {\"a\":1}", "2:2 [v1 Pod] {\"a\":2}"]);
    let kubectl =
        "{\"apiVersion\": \"v1\", \"items\": [{\"kind\":\"Pod\"}], \"kind\": \"List\", \"metadata\": {}}\n{}";
    assert_eq!(cut(kubectl), ["1:1 {\"kind\":\"Pod\"}", "2:2 {}"]);
    let mut cutter = Cutter::new(server.as_bytes());
    assert_eq!(cutter.by_ref().count(), 2);
    let (before, behind) = cutter.around().unwrap();
    let before = String::from_utf8(before).unwrap();
    assert!(before.ends_with("\"continue\":\"x\"},\"items\":"), "{before}");
    assert_eq!(behind, b"}");
}

#[test]
fn what_is_no_list_stays_whole() {
    let object = "{\"kind\":\"Menu\",\"items\":[{\"a\":1}]}";
    assert_eq!(cut(object), [format!("1:1 {object}")]);
    let late = cut("{\"items\":[{\"a\":1}],\"kind\":\"Menu\"}");
    assert_eq!(late.len(), 2);
    assert!(late[1].starts_with("fault 1: a `Menu` has `items`"), "{late:?}");
}

#[test]
fn a_cut_stream_is_seen_as_cut() {
    for text in [
        "{\"a\":1}\n{\"b\":[",
        "{\"a\":1}\n{\"kind\":\"List\",\"items\":[",
        "{\"a\":1}\n{\"kind",
        "{\"a\":1}\n{\"k\":\"x",
    ] {
        let found = cut(text);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[1].starts_with("fault 2: the text ends"), "{found:?}");
    }
}

#[test]
fn the_next_object_is_read_after_a_fault() {
    let found = cut("{\"a\":1}\noops\n and more\n{\"b\":2}\n");
    assert_eq!(
        found,
        [
            "1:1 {\"a\":1}",
            "fault 2: this is not an object of JSON: lines 2 to 3 are not evaluated",
            "2:4 {\"b\":2}"
        ]
    );
    let found = cut("{\"kind\":\"List\",\"items\":[1,{\"a\":1}]}\n");
    assert_eq!(found, ["fault 1: an element of the list is not an object", "1:1 {\"a\":1}"]);
}

#[test]
fn logs_among_the_objects_are_passed_over() {
    let dump = "{\"a\":1}\n==== START logs for container c of pod d ====\n{\"kind\":\"Pod\"\n==== END logs for container c ====\n{\"b\":2}\n";
    assert_eq!(cut(dump), ["1:1 {\"a\":1}", "2:5 {\"b\":2}"]);
}

#[test]
fn documents_and_lists_of_yaml() {
    assert_eq!(cut("a: 1\n---\n# nothing\n---\nb: 2\n"), ["1:1 a: 1", "2:5 b: 2"]);
    let list = "apiVersion: v1\nitems:\n- a: 1\n  text: |\n    - no\n- a: 2\nkind: PodList\n---\nc: 3\n";
    assert_eq!(cut(list), ["1:3 - a: 1\n  text: |\n    - no", "2:6 - a: 2", "3:9 c: 3"]);
    let typed = "kind: PodList\napiVersion: v1\nitems:\n  - a: 1\n\n  - a: 2\nmetadata: {}\n";
    assert_eq!(cut(typed), ["1:4 [v1 Pod]   - a: 1", "2:6 [v1 Pod]   - a: 2"]);
    let menu = "kind: Menu\nitems:\n- a\n";
    assert_eq!(cut(menu), [format!("1:1 {}", menu.trim_end())]);
    assert!(cut("items:\n- a: 1\nkind: Menu\n")[1].starts_with("fault 1: a `Menu`"));
    assert_eq!(cut("items:\nother: 1\n"), ["1:1 items:\nother: 1"]);
    let form = Cutter::new("a: 1".as_bytes()).next().unwrap().unwrap().form;
    assert_eq!(form, Form::Yaml);
}

#[test]
fn an_object_longer_than_the_bound_is_named() {
    let text = format!("{{\"a\":\"{}\"}}\n{{\"b\":2}}\n", "x".repeat(MAX_ITEM));
    let found: Vec<_> = Cutter::new(text.as_bytes()).collect();
    assert_eq!(found.len(), 2);
    assert_eq!(
        found[0].as_ref().unwrap_err().message,
        "this object has more than 16 MiB and is not evaluated"
    );
    assert_eq!(found[1].as_ref().unwrap().text, b"{\"b\":2}");
    let text = format!("a: {}\n---\nb: 2\n", "x".repeat(MAX_ITEM));
    let found: Vec<_> = Cutter::new(text.as_bytes()).collect();
    assert!(found[0].is_err(), "{}", found[0].as_ref().unwrap().text.len());
    assert!(found[1].is_ok(), "{:?}", found[1]);
}

#[test]
fn a_stream_that_breaks_is_an_error() {
    struct Broken(bool);
    impl Read for Broken {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            if std::mem::replace(&mut self.0, true) {
                return Err(Error::other("the disk is gone"));
            }
            out[..8].copy_from_slice(b"{\"a\":1}\n");
            Ok(8)
        }
    }
    let found: Vec<_> = Cutter::new(Broken(false)).collect();
    assert!(found[0].is_ok());
    assert_eq!(
        found[1].as_ref().unwrap_err().message,
        "the stream cannot be read any further: the disk is gone"
    );
    assert_eq!(found.len(), 2);
}
