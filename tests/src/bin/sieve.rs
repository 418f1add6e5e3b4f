//! `sieve [COUNT]`: attacks so many generated exemptions of classic policies, as many in CEL, and as many in rules
//! `validate.cel` and policies of images; runs every claim again, and
//! prints soundness and recall.
#![expect(clippy::print_stdout, reason = "a command line tool")]

use std::collections::BTreeMap;
use std::process::ExitCode;
use tests::exemptions::generate::{Generated, generate};
use tests::exemptions::{Tally, Texts, cel, check_beside, sieve};
use tests::random::Choices;

fn main() -> ExitCode {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(200_u64);
    let classic = (0..count).map(|seed| (generate(&mut Choices::new(seed)), None));
    let faults = measured("exemptions of classic policies", classic);
    println!();
    let in_cel = (0..count).map(|seed| {
        let found = cel::generate(&mut Choices::new(seed));
        (found.made, Some(found.without))
    });
    let faults = faults + measured("exemptions in CEL", in_cel);
    println!();
    let elsewhere = (0..count).map(|seed| {
        let found = cel::generate_elsewhere(&mut Choices::new(seed));
        (found.made, Some(found.without))
    });
    let faults = faults + measured("exemptions in rules validate.cel and in policies of images", elsewhere);
    ExitCode::from(u8::from(faults > 0))
}

/// Attacks exemptions and prints what came of it; how many claims do not hold.
fn measured(title: &str, all: impl Iterator<Item = (Generated, Option<Texts>)>) -> usize {
    let (mut tally, mut faults) = (Tally::default(), Vec::new());
    let mut rows: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut missed: BTreeMap<String, usize> = BTreeMap::new();
    for (seed, (made, without)) in all.enumerate() {
        let output = sieve(&made.texts, "check");
        let [cases, planted_here, found] = rows.entry(made.kind).or_default();
        *cases += 1;
        *planted_here += made.planted.len();
        for exemption in &output.exemptions {
            let wrong = check_beside(&made.texts, without.as_ref(), exemption, &mut tally);
            faults.extend(wrong.into_iter().map(|fault| format!("{seed}: {fault}")));
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
                *missed.entry(format!("{}: {planted} ({seed})", made.kind)).or_default() += 1;
            }
        }
    }
    println!("{title}");
    println!("{:<30}{:>10}{:>10}{:>10}", "kind", "cases", "planted", "found");
    for (kind, [cases, planted, found]) in &rows {
        println!("{kind:<30}{cases:>10}{planted:>10}{found:>10}");
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
    faults.len()
}
