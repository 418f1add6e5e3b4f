//! The pairs of the public library: a folder, and the same in CEL.
//!
//! In: the recorded folders. Out: pairs of files of the same name below `X` and `X-vpol`, `X-cel`, `X-mpol`, `X-gpol`, and a row of a table
//! for each.

use engine::json::to_json;
use engine::world::StaticWorld;
use engine_compare::{Actions, Comparison, Grade, Operation, Options, compare};
use engine_lenses::wire::Text;
use std::collections::BTreeSet;
use std::path::Path;

/// The ends of the names of folders that hold the same in CEL.
const ENDS: [&str; 4] = ["-vpol", "-cel", "-mpol", "-gpol"];

/// A pair: the name, and both texts.
pub struct LibraryPair {
    /// `best-practices-vpol/require-labels`.
    pub name: String,
    /// The classic policy.
    pub old: Text,
    /// The one in CEL.
    pub new: Text,
}

/// All pairs below a folder.
pub fn pairs(folder: &Path) -> Result<Vec<LibraryPair>, String> {
    let names = |folder: &Path| -> Result<BTreeSet<String>, String> {
        let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
    };
    let mut found = Vec::new();
    for name in names(folder)? {
        let Some(of) = ENDS.iter().find_map(|end| name.strip_suffix(end)) else { continue };
        let mut files = BTreeSet::new();
        below(&folder.join(&name), Path::new(""), 0, &mut files);
        for file in files {
            let read = |of: &str| {
                let text = std::fs::read_to_string(folder.join(of).join(&file)).ok()?;
                Some(Text { name: format!("{of}/{file}"), text })
            };
            if let (Some(old), Some(new)) = (read(of), read(&name)) {
                let short = Path::new(&file).parent().unwrap_or(Path::new("")).to_string_lossy().into_owned();
                found.push(LibraryPair { name: format!("{name}/{short}"), old, new });
            }
        }
    }
    Ok(found)
}

/// The files with policies, without hidden folders.
fn below(folder: &Path, way: &Path, depth: usize, files: &mut BTreeSet<String>) {
    let Ok(entries) = std::fs::read_dir(folder.join(way)) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = way.join(&name);
        if name.starts_with('.') || depth > 8 {
            continue;
        }
        if folder.join(&path).is_dir() {
            below(folder, &path, depth + 1, files);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            let text = std::fs::read_to_string(folder.join(&path)).unwrap_or_default();
            let is_policy = text.contains("kyverno.io/v")
                && text.lines().any(|line| line.starts_with("kind: ") && line.trim_end().ends_with("Policy"));
            if is_policy {
                files.insert(path.to_string_lossy().into_owned());
            }
        }
    }
}

/// A row of the table.
pub fn row(name: &str, answer: &Comparison) -> String {
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    let mut shown: Vec<String> = Vec::new();
    let mut directions: Vec<&str> = Vec::new();
    // The first one of each direction.
    for finding in &answer.findings {
        if directions.len() == 2 || directions.contains(&finding.direction.as_str()) {
            continue;
        }
        directions.push(finding.direction.as_str());
        let object = to_json(&finding.request.object);
        shown.push(format!("{} `{}`", finding.direction.as_str(), cell(&object)));
    }
    if let (Grade::NotCompared, Some(reason)) = (answer.grade, answer.reasons.first()) {
        let text: String = reason.text.chars().take(160).collect();
        shown.push(format!("{}: {}", reason.side, cell(&text)));
    }
    if answer.grade == Grade::NoDifference {
        let counts = &answer.counts;
        shown.push(format!(
            "{} requests, {} of {} mistakes noticed",
            counts.requests, counts.noticed, counts.mutants
        ));
    }
    format!("| {name} | {} | {} |", answer.grade.as_str(), shown.join("<br>"))
}

/// How the pairs are compared: as if all enforced, for many of the library audit; as they come, for the tests of folders are of creations.
pub fn options() -> Options {
    Options {
        actions: Actions::Enforced,
        operations: vec![Operation::Create],
        max_requests: 6_000,
        ..Options::default()
    }
}

/// What the comparison says of a pair.
pub fn compared(pair: &LibraryPair, options: &Options) -> Comparison {
    let world = StaticWorld {
        extension: Some(engine_celpolicy::WITH_STEPS),
        ..StaticWorld::at(1_700_000_000_000_000_000)
    };
    let side = std::slice::from_ref::<Text>;
    compare(side(&pair.old), side(&pair.new), options, &world, &mut |_| true)
}

/// A row as it stands on the page.
#[derive(Clone, Debug)]
pub struct Written {
    /// The pair.
    pub name: String,
    /// The grade.
    pub grade: String,
    /// The objects that show a difference, each with its direction.
    pub objects: Vec<(String, String)>,
}

/// The rows of a page.
pub fn written(page: &str) -> Vec<Written> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let rows = rows.filter(|row| row.contains('/'));
    let one = |row: &str| {
        let mut cells = row.splitn(3, " | ");
        let (name, grade) = (cells.next()?.to_owned(), cells.next()?.to_owned());
        let shown = cells.next()?;
        let object = |part: &str| {
            let (direction, rest) = part.split_once(" `")?;
            Some((direction.to_owned(), rest.strip_suffix('`')?.replace("\\|", "|")))
        };
        let objects = if grade == Grade::Different.as_str() {
            shown.split("<br>").filter_map(object).collect()
        } else {
            Vec::new()
        };
        Some(Written { name, grade, objects })
    };
    rows.filter_map(one).collect()
}

/// The page.
pub fn page(rows: &[String]) -> String {
    let count =
        |grade: Grade| rows.iter().filter(|row| row.contains(&format!(" | {} | ", grade.as_str()))).count();
    format!(
        "# The public library's pairs\n\n\
         The library of policies holds many policies twice: below `X` as ClusterPolicies, below `X-cel`, `X-vpol`, `X-mpol` and `X-gpol` the same in CEL. Here is\n\
         what [`podsieve compare`](compare.md) says of each pair, with the smallest object for each direction. Both sides are taken to enforce, for many only audit;\n\
         what is tried are creations. *Wider* lets in what the classic policy refuses, *stricter* refuses what it lets in, *otherwise* leaves or makes another object.\n\
         Controllers count: a rewrite that leaves out one of the kinds that autogen makes rules for differs.\n\n\
         {} pairs: {} different, {} without a difference found, {} the same, {} not compared.\n\n\
         | pair | grade | smallest objects |\n|---|---|---|\n{}\n",
        rows.len(),
        count(Grade::Different),
        count(Grade::NoDifference),
        count(Grade::Same),
        count(Grade::NotCompared),
        rows.join("\n"),
    )
}
