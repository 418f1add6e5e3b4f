//! `convert [NAME]`: converts the classic policies of the recorded library, compares each with its source, and prints a table of them.
//! Behind it stand the figures of the other kinds, over all files of the recorded folders. With the path of a folder, those in its files. With a name, prints the text of those whose case holds it, and the requests on which they differ.
#![expect(clippy::print_stdout, reason = "a command line tool")]

use std::collections::BTreeMap;
use std::process::ExitCode;
use tests::conversions::others::others;
use tests::conversions::{Row, rows, rows_of_folder};
use tests::recorded;

fn main() -> ExitCode {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    if std::path::Path::new(&wanted).is_dir() {
        let folder = std::path::Path::new(&wanted);
        let done = table(rows_of_folder(folder, 4_000), false);
        of_other_kinds(folder);
        return done;
    }
    let Some(folder) = recorded::folder_or_skip("convert") else { return ExitCode::SUCCESS };
    let done = table(rows(&folder, &wanted, 4_000), !wanted.is_empty());
    if wanted.is_empty() {
        of_other_kinds(&folder.join("trees"));
    }
    done
}

/// Prints what became of the other kinds: each that is refused or differs, and how many there are.
fn of_other_kinds(folder: &std::path::Path) {
    let all = others(folder, 300);
    let mut counts: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for one in &all {
        *counts.entry(one.class).or_default().entry(one.grade).or_default() += 1;
        if matches!(one.grade, "refused" | "different") {
            println!("| {}: {} | {} | {} |", one.class, one.name, one.grade, one.why);
        }
    }
    for (class, grades) in counts {
        println!("{class}: {} policies; {grades:?}", grades.values().sum::<usize>());
    }
}

/// Prints the rows, and what each is in detail.
fn table(rows: Result<Vec<Row>, String>, is_detailed: bool) -> ExitCode {
    let rows = match rows {
        Ok(rows) => rows,
        Err(why) => {
            println!("{why}");
            return ExitCode::FAILURE;
        }
    };
    for row in &rows {
        println!("{}", row.line());
        if is_detailed {
            println!("{}", row.detail());
        }
    }
    summary(&rows);
    ExitCode::SUCCESS
}

fn summary(rows: &[Row]) {
    for class in ["validate", "mutate"] {
        let of: Vec<&Row> = rows.iter().filter(|row| row.class == class).collect();
        let mut grades: BTreeMap<&str, usize> = BTreeMap::new();
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &of {
            *grades.entry(row.grade()).or_default() += 1;
            row.classes().into_iter().for_each(|class| *reasons.entry(class).or_default() += 1);
        }
        let good: usize = ["same", "no difference found"].iter().filter_map(|grade| grades.get(grade)).sum();
        println!("{class}: {} policies, {good} converted without a difference found; {grades:?}", of.len());
        println!("  reasons: {reasons:?}");
        let mut granted: BTreeMap<&str, usize> = BTreeMap::new();
        let of_good: Vec<Vec<&str>> =
            of.iter().filter(|row| row.is_good()).map(|row| row.granted()).collect();
        of_good.iter().flatten().for_each(|what| *granted.entry(what).or_default() += 1);
        let bare = of_good.iter().filter(|granted| granted.is_empty()).count();
        println!("  of these {bare} without anything taken for granted; {granted:?}");
        let rules: usize = of.iter().map(|row| row.conversion.rules).sum();
        let converted: usize = of.iter().filter(|row| row.is_good()).map(|row| row.conversion.rules).sum();
        println!("  rules: {rules}, of which {converted} in policies converted so");
    }
}
