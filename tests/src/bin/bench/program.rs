//! The built program as a whole: seconds and bytes of memory for 1,000, 10,000 and 100,000 Pods.
//!
//! In: the folder of policies. Out: a line for each size. The floor is the time in which one thread reads the YAML; the
//! last column is the memory that each further byte of input costs.

use super::{YamlOptions, median, pods, source};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tests::program::{Scratch, find};

/// Sizes, and how often each is run.
const SIZES: [(usize, usize); 3] = [(1_000, 5), (10_000, 3), (100_000, 1)];

/// Runs and tells.
pub(super) fn measure(policies: &Path) -> Result<(), String> {
    let program = find()?;
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    println!(
        "{:<44} {:>10} {:>8} {:>10} {:>10} {:>12}",
        "podsieve apply, 20 rules", "median", "floor x", "memory", "per byte", "further byte"
    );
    let mut before: Option<(u64, u64)> = None;
    for (count, rounds) in SIZES {
        let text = pods(count);
        scratch.write("pods.yaml", &text).map_err(|error| error.to_string())?;
        let resources = source("pods.yaml", text);
        let yaml = YamlOptions { max_bytes: usize::MAX, ..YamlOptions::default() };
        let floor = median(rounds, || engine::yaml::parse(&resources, &yaml).documents.len());
        let mut runs = Vec::new();
        for _ in 0..rounds {
            let mut command = Command::new(&program);
            command.arg("apply").arg(policies).arg("-r").arg(scratch.path().join("pods.yaml"));
            runs.push(run(command)?);
        }
        runs.sort_unstable();
        let (time, memory) = runs.get(runs.len() / 2).copied().unwrap_or_default();
        let bytes = resources.text.len() as u64;
        let further = before.map_or_else(String::new, |(bytes_before, memory_before)| {
            let more = memory.saturating_sub(memory_before) as f64;
            format!("{:.2}", more / bytes.saturating_sub(bytes_before).max(1) as f64)
        });
        println!(
            "{:<44} {:>8.3} s {:>8.2} {:>7.1} MB {:>10.2} {further:>12}",
            format!("{count} Pods, {} kB", bytes / 1000),
            time.as_secs_f64(),
            time.as_secs_f64() / floor.as_secs_f64().max(1e-9),
            memory as f64 / 1e6,
            memory as f64 / bytes.max(1) as f64,
        );
        before = Some((bytes, memory));
    }
    Ok(())
}

/// Time and the most memory of one run; no memory where the system does not tell.
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

/// The high-water mark of a process in bytes, as Linux tells it.
fn peak(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}
