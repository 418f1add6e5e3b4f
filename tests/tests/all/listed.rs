//! Policies within a `List`, as `kubectl get clusterpolicies -o yaml` writes them, are those of the commands that read policies.
//!
//! In: Lists. Out: a failure where `podsieve legacy` passes over their items, or names lines that are not theirs.

use tests::program;
use tests::terminal::run;

const RULE: &str = "spec: {rules: [{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {message: m, pattern: \
                    {metadata: {name: '?*'}}}}]}";

#[test]
fn legacy_counts_the_items_of_a_list() {
    let Some(program) = program::find_or_skip() else { return };
    let [first, second] = ["a", "b"].map(|name| {
        format!(
            "- apiVersion: kyverno.io/v1\n  kind: ClusterPolicy\n  metadata: {{name: {name}}}\n  {RULE}\n"
        )
    });
    let head = "apiVersion: v1\nkind: List\nmetadata: {resourceVersion: ''}\n";
    let ran = run(&program, &[], &["legacy", "-"], &format!("{head}items:\n{first}{second}"));
    for (line, name) in [(6, "a"), (10, "b")] {
        let says =
            format!(":{line}: ClusterPolicy `{name}`: can be converted\n  rule `r`: ValidatingPolicy\n");
        assert!(ran.out.contains(&says), "{}", ran.out);
    }
    assert!(ran.code == 1 && ran.out.ends_with("policies: 2, rules: 2, convertible: 2\n"), "{}", ran.out);
    // Lists that hold nothing hide no other one.
    for empty in ["items: []\n", "items: null\n", "items: [null]\n"] {
        let text = format!("{head}{empty}---\n{head}items:\n{first}");
        let ran = run(&program, &[], &["legacy", "-"], &text);
        assert!(ran.code == 1 && ran.out.contains(":11: ClusterPolicy `a`"), "{empty}{}", ran.out);
    }
    // In brackets, behind another document.
    let item = format!("{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: c}}, {RULE}}}");
    let text = format!(
        "apiVersion: v1\nkind: Secret\n---\n{{apiVersion: v1, kind: List, items: [{item}]}}\n---\n{}",
        first.replacen("- ", "", 1)
    );
    let ran = run(&program, &[], &["legacy", "-"], &text.replace("\n  ", "\n"));
    assert!(
        ran.out.contains(":4: ClusterPolicy `c`") && ran.out.contains(":6: ClusterPolicy `a`"),
        "{}",
        ran.out
    );
}
