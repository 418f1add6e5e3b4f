//! `compiled [EVERY]`: puts the recorded Pods to what the compiler makes of every level and version, and prints how many rows are the
//! same for each target. With a number, every so many Pods.
#![expect(clippy::print_stdout, reason = "a command line tool")]

use engine_convert::podsecurity::Target;
use std::process::ExitCode;
use tests::compiled::attackers::recorded_exclusions;
use tests::compiled::{FILES, tally};
use tests::recorded::Recorded;
use tests::suites::EXCLUDED;

fn main() -> ExitCode {
    let every = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1);
    let recorded = Recorded::all();
    for (name, target) in [
        ("ValidatingPolicies", Target::ValidatingPolicies),
        ("ValidatingAdmissionPolicy", Target::AdmissionPolicy),
        ("podSecurity rule", Target::Classic),
        ("classic rules in CEL", Target::ClassicCel),
    ] {
        let (mut rows, mut same, mut said, mut unmade, mut refused) = (0, 0, 0, 0, (0, 0));
        for file in FILES.into_iter().filter(|(rows, _)| recorded.is_there_or_skip(rows)) {
            let tally = match tally(&recorded, file, target, every) {
                Ok(tally) => tally,
                Err(why) => {
                    println!("{why}");
                    return ExitCode::FAILURE;
                }
            };
            rows += tally.rows;
            same += tally.same;
            said += tally.said;
            unmade += tally.unmade;
            refused = (refused.0 + tally.refused.0, refused.1 + tally.refused.1);
            tally.differing.iter().take(8).for_each(|row| println!("{name}: {row}"));
        }
        println!(
            "{name}: {rows} rows, {same} the same, {unmade} of versions that it cannot name, {said} differ where that is said, {} differ; {} refused by both, {} in the same words",
            rows - same - said - unmade,
            refused.0,
            refused.1
        );
    }
    if !recorded.is_there_or_skip(EXCLUDED) {
        return ExitCode::SUCCESS;
    }
    for target in [Target::ValidatingPolicies, Target::AdmissionPolicy] {
        let all = match recorded_exclusions(&recorded, target, every) {
            Ok(all) => all,
            Err(why) => {
                println!("{why}");
                return ExitCode::FAILURE;
            }
        };
        for (exclude, asked) in &all {
            println!(
                "{target:?} exclude {exclude}: {} rows, {} admitted, {} wider, {} stricter {:.300?} {:.600?}",
                asked.pods,
                asked.admitted,
                asked.wider.len(),
                asked.stricter.len(),
                asked.wider.first(),
                asked.stricter.first()
            );
        }
    }
    ExitCode::SUCCESS
}
