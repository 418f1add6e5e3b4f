//! `sieve [COUNT]`: attacks so many generated exemptions, runs every claim again, and prints soundness and recall.
#![expect(clippy::print_stdout, reason = "a command line tool")]

use std::collections::BTreeMap;
use std::process::ExitCode;
use tests::exemptions::{Tally, check, generate::generate, sieve};
use tests::random::Choices;

fn main() -> ExitCode {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(200_u64);
    let (mut tally, mut faults) = (Tally::default(), Vec::new());
    let mut rows: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut missed: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..count {
        let made = generate(&mut Choices::new(seed));
        let output = sieve(&made.texts, "check");
        let [cases, planted_here, found] = rows.entry(made.kind).or_default();
        *cases += 1;
        *planted_here += made.planted.len();
        for exemption in &output.exemptions {
            faults.extend(
                check(&made.texts, exemption, &mut tally).into_iter().map(|f| format!("{seed}: {f}")),
            );
        }
        for planted in &made.planted {
            let is_found = output
                .exemptions
                .iter()
                .flat_map(|exemption| &exemption.attacks)
                .any(|attack| attack.family == *planted);
            if is_found {
                *found += 1;
            } else {
                *missed.entry(format!("{}: {planted}", made.kind)).or_default() += 1;
            }
        }
    }
    println!("{:<26}{:>10}{:>10}{:>10}", "kind", "cases", "planted", "found");
    for (kind, [cases, planted, found]) in &rows {
        println!("{kind:<26}{cases:>10}{planted:>10}{found:>10}");
    }
    let planted: usize = rows.values().map(|[_, planted, _]| planted).sum();
    let found: usize = rows.values().map(|[_, _, found]| found).sum();
    println!("recall: {found} of {planted} planted weaknesses");
    for (what, times) in &missed {
        println!("  missed {times} times: {what}");
    }
    println!(
        "soundness: {} attackers and {} tightenings run again, {} faults",
        tally.attacks,
        tally.tightenings,
        faults.len()
    );
    for fault in faults.iter().take(20) {
        println!("  {fault}");
    }
    ExitCode::from(u8::from(!faults.is_empty()))
}
