//! The built program as a whole: seconds and bytes of memory, and how they grow.
//!
//! In: the folder of policies, and the recorded folders with tests. Out: a line for each size. The floor is the time in
//! which one thread reads the YAML; `growth` is by how much more the time grew than the input since the line above (1.00
//! is linear); the last column is the memory that each further byte of input costs.

use super::{YamlOptions, median, pods, source};
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tests::program::{Scratch, find};
use tests::recorded;

/// Sizes, and how often each is run.
const SIZES: [(usize, usize); 3] = [(1_000, 5), (10_000, 3), (100_000, 1)];

/// The same where every Pod asks for a list of the others.
const LIST_SIZES: [(usize, usize); 4] = [(1_000, 5), (4_000, 3), (16_000, 3), (64_000, 1)];

/// Each Pod asks for all Pods of its namespace, and for itself.
const LISTS: &str = "\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: lists}
spec:
  background: false
  rules:
  - name: neighbours
    match: {any: [{resources: {kinds: [Pod]}}]}
    context:
    - name: count
      apiCall: {urlPath: \"/api/v1/namespaces/{{ request.namespace }}/pods\", jmesPath: \"items | length(@)\"}
    - name: self
      apiCall: {urlPath: \"/api/v1/namespaces/{{ request.namespace }}/pods/{{ request.object.metadata.name }}\"}
    validate:
      message: \"{{ self.metadata.name }} has too many neighbours\"
      deny: {conditions: {all: [{key: \"{{ count }}\", operator: GreaterThan, value: 1000000}]}}
";

/// Each Pod labels the one Pod that it names, which is itself.
const TARGETS: &str = "\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: targets}
spec:
  background: false
  rules:
  - name: label
    match: {any: [{resources: {kinds: [Pod]}}]}
    mutate:
      targets:
      - apiVersion: v1
        kind: Pod
        namespace: \"{{ request.namespace }}\"
        name: \"{{ request.object.metadata.name }}\"
      patchStrategicMerge: {metadata: {labels: {seen: \"yes\"}}}
";

/// Runs and says.
pub(super) fn measure(policies: &Path, conformance: &Path) -> Result<(), String> {
    let program = find()?;
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    for (name, text) in [("lists.yaml", LISTS), ("targets.yaml", TARGETS)] {
        scratch.write(name, text).map_err(|error| error.to_string())?;
    }
    let (lists, targets) = (scratch.path().join("lists.yaml"), scratch.path().join("targets.yaml"));
    let files = std::fs::read_dir(policies).map_err(|error| error.to_string())?;
    let first = files.flatten().map(|entry| entry.path()).min().unwrap_or_default();
    grow(&program, &scratch, ("podsieve apply, 1 policy", &first, &[]), &[(1, 41)])?;
    grow(&program, &scratch, ("podsieve apply, 20 rules", policies, &[]), &SIZES)?;
    grow(&program, &scratch, ("podsieve apply, lists of an apiCall", &lists, &[]), &LIST_SIZES)?;
    pod_security(&program, &scratch, conformance)?;
    let drift = ["--drift"];
    grow(&program, &scratch, ("podsieve apply --drift, targets", &targets, &drift), &LIST_SIZES)?;
    library(&program, conformance)
}

/// The library's policies of pod security in CEL, and beside them the classic ones of the same names.
fn pod_security(program: &Path, scratch: &Scratch, conformance: &Path) -> Result<(), String> {
    let library = conformance.join("trees/policies");
    let mut names = Vec::new();
    for level in ["baseline", "restricted"] {
        let folder = library.join("pod-security-vpol").join(level);
        let entries = std::fs::read_dir(&folder).map_err(|error| error.to_string())?;
        let found = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        names.extend(found.map(|name| (level, name)));
    }
    names.sort_unstable();
    for (set, kind) in [("pod-security-vpol", "ValidatingPolicies"), ("pod-security", "the same, classic")] {
        let mut count = 0;
        for (level, name) in &names {
            let path = library.join(set).join(level).join(name).join(format!("{name}.yaml"));
            if let Ok(text) = recorded::text(&path) {
                scratch.write(&format!("{set}/{name}.yaml"), &text).map_err(|error| error.to_string())?;
                count += 1;
            }
        }
        let title = format!("podsieve apply, {count} {kind}");
        grow(program, scratch, (&title, &scratch.path().join(set), &[]), SIZES.get(..2).unwrap_or(&[]))?;
    }
    Ok(())
}

/// One kind of run over more and more Pods.
fn grow(
    program: &Path,
    scratch: &Scratch,
    (title, policies, flags): (&str, &Path, &[&str]),
    sizes: &[(usize, usize)],
) -> Result<(), String> {
    println!(
        "{title:<44} {:>10} {:>8} {:>8} {:>10} {:>10} {:>12}",
        "median", "floor x", "growth", "memory", "per byte", "further byte"
    );
    let mut before: Option<(u64, Duration, u64)> = None;
    for (count, rounds) in sizes.iter().copied() {
        let text = pods(count);
        scratch.write("pods.yaml", &text).map_err(|error| error.to_string())?;
        let resources = source("pods.yaml", text);
        let yaml = YamlOptions { max_bytes: usize::MAX, ..YamlOptions::default() };
        let floor = median(rounds, || engine::yaml::parse(&resources, &yaml).documents.len());
        let pods = scratch.path().join("pods.yaml");
        let mut arguments: Vec<OsString> = vec!["apply".into(), policies.into(), "-r".into(), pods.into()];
        arguments.extend(flags.iter().map(OsString::from));
        let (time, memory) = several(program, Path::new("."), &arguments, rounds)?;
        let bytes = resources.text.len() as u64;
        let seconds = time.as_secs_f64();
        let further = before.map(|(bytes_before, time_before, memory_before)| {
            let more = memory.saturating_sub(memory_before) as f64;
            let growth = seconds / time_before.as_secs_f64().max(1e-9) * bytes_before as f64 / bytes as f64;
            (growth, more / bytes.saturating_sub(bytes_before).max(1) as f64)
        });
        let (growth, further) = further.map_or_else(
            || (String::new(), String::new()),
            |(growth, further)| (format!("{growth:.2}"), format!("{further:.2}")),
        );
        println!(
            "{:<44} {seconds:>8.3} s {:>8.2} {growth:>8} {:>7.1} MB {:>10.2} {further:>12}",
            format!("{count} Pods, {} kB", bytes / 1000),
            seconds / floor.as_secs_f64().max(1e-9),
            memory as f64 / 1e6,
            memory as f64 / bytes.max(1) as f64,
        );
        before = Some((bytes, time, memory));
    }
    Ok(())
}

/// `xargs podsieve test < classic-folders.txt`, as one run.
fn library(program: &Path, conformance: &Path) -> Result<(), String> {
    let trees = conformance.join("trees");
    let folders = recorded::text(&trees.join("classic-folders.txt"))?;
    let mut arguments: Vec<OsString> = vec!["test".into()];
    arguments.extend(folders.split_whitespace().map(OsString::from));
    let (time, memory) = several(program, &trees, &arguments, 11)?;
    println!(
        "{:<44} {:>8.3} s {:>8} {:>8} {:>7.1} MB",
        "podsieve test, the folders of classic policies",
        time.as_secs_f64(),
        "",
        "",
        memory as f64 / 1e6
    );
    Ok(())
}

/// The median time of some runs, and its memory.
pub(super) fn several(
    program: &Path,
    folder: &Path,
    arguments: &[OsString],
    rounds: usize,
) -> Result<(Duration, u64), String> {
    let mut runs = Vec::new();
    for _ in 0..rounds {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder);
        runs.push(run(command)?);
    }
    runs.sort_unstable();
    Ok(runs.get(runs.len() / 2).copied().unwrap_or_default())
}

/// Time and the most memory of one run; no memory where the system does not say.
fn run(mut command: Command) -> Result<(Duration, u64), String> {
    let started = Instant::now();
    let spawned = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = spawned.map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    let mut memory = 0;
    loop {
        memory = peak(child.id()).unwrap_or(memory).max(memory);
        if child.try_wait().map_err(|error| error.to_string())?.is_some() {
            return Ok((started.elapsed(), memory));
        }
        std::thread::sleep(Duration::from_micros(500));
    }
}

/// The high-water mark of a process in bytes, as Linux says it.
fn peak(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}
