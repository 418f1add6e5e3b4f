//! Texts, what they shall say, and what comes out.

use super::revise;
use crate::parse_one;

fn holds(text: &str, wanted: &str, expected: &str) {
    let value = parse_one(wanted).unwrap();
    let got = revise(text, &value);
    assert_eq!(parse_one(&got).unwrap(), value, "{got}");
    assert_eq!(got, expected);
}

const POD: &str = "\
# A Pod.
kind: Pod
metadata:
  name: web # its name
spec:
  containers:
  - name: web
    image: 'nginx:latest'
    # nothing more
  - image: busybox
    name: side
";

fn pod(with: impl Fn(&str) -> String, from: &str, to: &str) {
    let expected = POD.replace(from, to);
    assert_ne!(expected, POD);
    holds(POD, &with(&expected), &expected);
}

#[test]
fn one_scalar_changes_and_all_else_stays() {
    pod(str::to_owned, "nginx:latest", "nginx:1.0.0");
    pod(str::to_owned, "name: web #", "name: shop #");
    holds("a: 1\nb: x\n", "a: 1\nb: 2\n", "a: 1\nb: 2\n");
    holds("a: [x, \"y\"] # c\n", "a: [x, z]\n", "a: [x, z] # c\n");
    holds("a: {b: 1, c: 2}\n", "a: {b: 1, c: 3}\n", "a: {b: 1, c: 3}\n");
}

#[test]
fn keys_come_below_the_last_one() {
    pod(str::to_owned, "  name: web # its name\n", "  name: web # its name\n  labels:\n    team: shop\n");
    holds("a:\n  b: 1\n", "a:\n  b: 1\nc: [x]\n", "a:\n  b: 1\nc:\n- x\n");
    holds("a:\nb: 1\n", "a: {c: 1}\nb: 1\n", "a:\n  c: 1\nb: 1\n");
    holds("a: {}\n", "a: {c: 1}\n", "a: {c: 1}\n");
    holds("- a: 1\n  b:\n  - x\n", "- a: 1\n  b: [x, w]\n  c: 2\n", "- a: 1\n  b:\n  - x\n  - w\n  c: 2\n");
}

#[test]
fn a_renamed_key_keeps_its_line_and_comment() {
    holds(
        "a:\n- status: pass # why\n  b: 1\n",
        "a: [{result: pass, b: 1}]\n",
        "a:\n- result: pass # why\n  b: 1\n",
    );
    holds(
        "x:\n- b: 1\n  resource: web # the Pod\n",
        "x: [{b: 1, resources: [shop/web]}]\n",
        "x:\n- b: 1\n  resources:\n  - shop/web # the Pod\n",
    );
}

#[test]
fn keys_that_come_first_are_put_above() {
    holds(
        "# one\nname: t\n\n# two\np: [a]\n",
        "apiVersion: v1\nmetadata: {name: t}\np: [a]\n",
        "# one\napiVersion: v1\nmetadata:\n  name: t\n\n# two\np: [a]\n",
    );
    holds("a:\n- b: 1\n  c: 2\n", "a: [{z: 0, b: 1, c: 2}]\n", "a:\n- z: 0\n  b: 1\n  c: 2\n");
}

#[test]
fn keys_and_items_go_with_their_lines() {
    pod(str::to_owned, "  - image: busybox\n    name: side\n", "");
    pod(str::to_owned, "- image: busybox\n    name", "- name");
    holds("a: 1\nb:\n  c: 1\n  d: 2 # two\n", "a: 1\nb: {c: 1}\n", "a: 1\nb:\n  c: 1\n");
    holds("a:\n- x\n- y # why\n- z\n", "a: [x, z]\n", "a:\n- x\n- z\n");
}

#[test]
fn what_cannot_be_done_with_care_is_written_anew() {
    holds("a: &x {b: 1}\nc: *x\n", "a: {b: 2}\nc: {b: 1}\n", "a:\n  b: 2\nc:\n  b: 1\n");
    holds("", "a: 1\n", "a: 1\n");
    holds("a: [\n", "a: 1\n", "a: 1\n");
    holds("a: |\n  x\n  y\n", "a: z\n", "a: z\n");
}
