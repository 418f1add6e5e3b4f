//! `podsieve impact` over many policies: one changed, all changed, and all with one that leaves objects otherwise, beside `apply` of one side.
//!
//! In: the folder of policies, of which copies are made. Out: a line for each run with seconds, the ratio to `apply`, and memory.

use super::pods;
use super::program::several;
use std::ffi::OsString;
use std::path::Path;
use tests::program::{Scratch, find};

/// How many policies there are, and Pods.
const POLICIES: usize = 500;
const PODS: [usize; 2] = [10_000, 100_000];

/// Labels each Pod, with another value on the other side.
const LABEL: &str = "\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: label}
spec:
  rules:
  - name: add
    match: {any: [{resources: {kinds: [Pod]}}]}
    mutate: {patchStrategicMerge: {metadata: {labels: {side: SIDE}}}}
";

/// Runs and says.
pub(super) fn measure(policies: &Path) -> Result<(), String> {
    let program = find()?;
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let texts = super::policies(policies).ok_or("no policies to copy")?;
    let write = |path: &str, text: &str| scratch.write(path, text).map_err(|error| error.to_string());
    for (at, source) in texts.iter().cycle().take(POLICIES).enumerate() {
        let old = source.text.replacen("\n  name: ", &format!("\n  name: n{at}-"), 1);
        let actions = ["validationFailureAction: Audit", "validationFailureAction: Enforce"];
        let [from, to] = if old.contains(actions[0]) { actions } else { [actions[1], actions[0]] };
        let new = old.replace(from, to);
        if new == old {
            return Err(format!("{}: no action to change", source.name));
        }
        for folder in ["old", "labelled"] {
            write(&format!("{folder}/{at}.yaml"), &old)?;
        }
        for folder in ["all", "labelled-all"] {
            write(&format!("{folder}/{at}.yaml"), &new)?;
        }
        write(&format!("one/{at}.yaml"), if at == 0 { &new } else { &old })?;
    }
    write("labelled/label.yaml", &LABEL.replace("SIDE", "old"))?;
    write("labelled-all/label.yaml", &LABEL.replace("SIDE", "new"))?;
    for count in PODS {
        write(&format!("pods-{count}.yaml"), &pods(count))?;
    }
    println!("{:<44} {:>10} {:>8} {:>10}", "podsieve impact, 500 policies", "seconds", "apply x", "memory");
    let [few, many] = PODS;
    for (base, runs) in [
        (
            "old",
            &[("one changed", "one", few), ("one changed", "one", many), ("all changed", "all", few)][..],
        ),
        ("labelled", &[("all changed, Pods too", "labelled-all", few)]),
    ] {
        let apply = ["apply", base, "--as-cluster", "-r"];
        let floor = line(&program, &scratch, "apply", &apply, few, None)?;
        for (title, new, count) in runs.iter().copied() {
            let asked = ["impact", base, new, "--compare", "none", "-r"];
            line(&program, &scratch, title, &asked, count, Some(floor))?;
        }
    }
    Ok(())
}

/// The seconds of a run, which are printed.
fn line(
    program: &Path,
    scratch: &Scratch,
    title: &str,
    asked: &[&str],
    count: usize,
    floor: Option<f64>,
) -> Result<f64, String> {
    let mut arguments: Vec<OsString> = asked.iter().map(OsString::from).collect();
    arguments.push(format!("pods-{count}.yaml").into());
    let (time, memory) = several(program, scratch.path(), &arguments, 1)?;
    let seconds = time.as_secs_f64();
    let ratio = floor.map(|floor| format!("{:.2}", seconds / floor)).unwrap_or_default();
    let title = format!("{title}, {count} Pods");
    println!("{title:<44} {seconds:>8.3} s {ratio:>8} {:>7.1} MB", memory as f64 / 1e6);
    Ok(seconds)
}
