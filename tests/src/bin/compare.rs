//! `compare planted COUNT [SEED]`: puts so many mistakes into policies of the recorded library and prints which a comparison finds;
//! `compare rewrites COUNT [SEED]`: the same with rewrites that keep the meaning, of which none may be called different;
//! `compare again FILE`: those once more that such a list names as missed;
//! `compare pairs`: a table of the library's pairs;
//! `compare members COUNT [SEED]`: so many random members of classes, over the library, held against the cases that stand for them.
#![expect(clippy::print_stdout, reason = "a command line tool")]

use engine_compare::{Grade, Options};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;
use tests::differences::pairs::{compared, options, pairs, row};
use tests::differences::{answer, draw, drawn, library, rewrites::rewrites};
use tests::random::Choices;
use tests::recorded;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    let mut number = |default: u64| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (count, seed) = (number(100), number(1));
    let Some(folder) = recorded::folder_or_skip("compare") else { return ExitCode::SUCCESS };
    let library = match library(&folder) {
        Ok(library) => library,
        Err(why) => {
            println!("{why}");
            return ExitCode::FAILURE;
        }
    };
    let mut choices = Choices::new(seed);
    match what.as_str() {
        "planted" => planted(&library, count, &mut choices),
        "again" => again(&library, &std::env::args().nth(2).unwrap_or_default()),
        "members" => members(&library, count, seed),
        "pairs" => paired(&folder.join("trees/policies")),
        _ => rewritten(&library, count, &mut choices),
    }
}

/// Compares the pairs of the library as if all enforced, and prints a table of them.
fn paired(folder: &std::path::Path) -> ExitCode {
    let pairs = match pairs(folder) {
        Ok(pairs) => pairs,
        Err(why) => {
            println!("{why}");
            return ExitCode::FAILURE;
        }
    };
    let (mut counts, mut times) = (BTreeMap::<&str, usize>::new(), Vec::new());
    for pair in &pairs {
        let begun = Instant::now();
        let answer = compared(pair, &options());
        times.push(begun.elapsed().as_millis());
        *counts.entry(answer.grade.as_str()).or_default() += 1;
        println!("{}", row(&pair.name, &answer));
    }
    times.sort_unstable();
    println!("{counts:?}, median {:?} ms, longest {:?} ms", times.get(times.len() / 2), times.last());
    ExitCode::SUCCESS
}

/// Holds random members of the classes of the library's policies against the cases that stand for them.
fn members(library: &[tests::differences::Known], count: u64, seed: u64) -> ExitCode {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let (mut inside, mut drawn, mut against) = (0, 0, 0);
    let known: Vec<_> = library.iter().filter(|known| draw(known, 1, seed).is_some()).collect();
    let each = count.div_ceil(known.len().max(1));
    for known in known {
        let Some(members) = draw(known, each, seed) else { continue };
        inside += 1;
        drawn += members.drawn;
        if let Some((stands, member)) = &members.against {
            against += 1;
            println!(
                "{}:\n    {}\n    {}",
                known.id,
                engine::json::to_json(stands),
                engine::json::to_json(member)
            );
        }
    }
    println!(
        "policies inside the fragment {inside} of {}, members {drawn}, decided otherwise {against}",
        library.len()
    );
    if against == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn planted(library: &[tests::differences::Known], count: u64, choices: &mut Choices) -> ExitCode {
    let mut rows: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let (mut tried, mut same, mut only_written) = (0, 0, 0);
    let mut times = Vec::new();
    let options = Options { mutants: 0, ..Options::default() };
    while tried < count {
        let Some((known, mutant)) = drawn(library, choices) else { continue };
        let begun = Instant::now();
        let answer = answer(&known.policy, &mutant.policy, &options);
        if answer.grade == Grade::NotCompared {
            continue;
        }
        times.push(begun.elapsed().as_millis());
        tried += 1;
        let [all, found] = rows.entry(mutant.class.as_str()).or_default();
        *all += 1;
        match answer.grade {
            Grade::Different => *found += 1,
            grade => {
                same += usize::from(grade == Grade::Same);
                // The search has met the mistake, and what an API server fills in takes its effect away.
                let is_written = answer.counts.only_written > 0;
                only_written += usize::from(is_written);
                let said = if is_written { "only as written" } else { grade.as_str() };
                println!("{said}: {} {} {}", known.id, mutant.class.as_str(), mutant.text);
            }
        }
    }
    for (class, [all, found]) in &rows {
        println!("{class:<12}{all:>6}{found:>6}");
    }
    let found: usize = rows.values().map(|[_, found]| found).sum();
    times.sort_unstable();
    println!(
        "planted {tried}, found {found}, found as written alone {only_written}, graded same {same}, median {:?} ms, longest {:?} ms",
        times.get(times.len() / 2),
        times.last()
    );
    if same == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Tries the mutants once more that a list, as `planted` prints it, names as missed.
fn again(library: &[tests::differences::Known], list: &str) -> ExitCode {
    let lines = std::fs::read_to_string(list).unwrap_or_default();
    let options = Options { mutants: 0, ..Options::default() };
    for known in library {
        for mutant in engine_compare::mutants::mutants(&known.policy) {
            let row = format!("{} {} {}", known.id, mutant.class.as_str(), mutant.text);
            if !lines.lines().any(|line| line.split_once(": ").is_some_and(|(_, missed)| missed == row)) {
                continue;
            }
            let begun = Instant::now();
            let answer = answer(&known.policy, &mutant.policy, &options);
            let (counts, short) = (answer.counts, row.chars().take(200).collect::<String>());
            let found = answer.findings.first().map(|finding| engine::json::to_json(&finding.request.object));
            println!(
                "{}: {short}\n    requests {}, only as written {}, undecided {}, branches {} {}, {} ms {}",
                answer.grade.as_str(),
                counts.requests,
                counts.only_written,
                counts.undecided,
                counts.old_branches,
                counts.new_branches,
                begun.elapsed().as_millis(),
                found.unwrap_or_default(),
            );
        }
    }
    ExitCode::SUCCESS
}

fn rewritten(library: &[tests::differences::Known], count: u64, choices: &mut Choices) -> ExitCode {
    let mut rows: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let (mut tried, mut different) = (0, 0);
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let options = Options { mutants: 0, max_requests: 2_000, ..Options::default() };
    while tried < count {
        let Some(known) = library.get(choices.below(library.len())) else { continue };
        let all = rewrites(&known.policy);
        let Some((name, new)) = all.get(choices.below(all.len())) else { continue };
        let answer = answer(&known.policy, new, &options);
        if answer.grade == Grade::NotCompared {
            continue;
        }
        tried += 1;
        let grade = if answer.counts.cases > 0 { "same, by cases" } else { answer.grade.as_str() };
        *rows.entry((name, grade)).or_default() += 1;
        if answer.grade == Grade::NoDifference
            && let Some(why) = answer.assumptions.last().filter(|text| text.starts_with("not every case"))
        {
            *reasons.entry(why.clone()).or_default() += 1;
        }
        if answer.grade == Grade::Different {
            different += 1;
            println!("different: {} {name}", known.id);
        }
    }
    for ((name, grade), count) in &rows {
        println!("{name:<40}{grade:<24}{count:>6}");
    }
    for (why, count) in &reasons {
        println!("{count:>6} {why}");
    }
    println!("rewritten {tried}, called different {different}");
    if different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
