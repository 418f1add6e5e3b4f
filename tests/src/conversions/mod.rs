//! The classic policies of the recorded library, converted and compared with what they were.
//!
//! In: the recorded cases. Out: a row for each policy: what became of it, with what grade.

pub mod others;

use crate::recorded;
use engine::json::{Value, to_json};
use engine::world::StaticWorld;
use engine_compare::{Comparison, Grade, Options, PlainValue, Taken};
use engine_convert::{Conversion, convert, grade};
use engine_lenses::wire::Text;
use std::fmt::Write as _;
use std::path::Path;

/// What became of a policy.
#[derive(Debug)]
pub struct Row {
    /// The case.
    pub id: String,
    /// What its policies hold.
    pub class: String,
    /// The conversion.
    pub conversion: Conversion,
    /// How it compares, where it is whole.
    pub comparison: Option<Comparison>,
}

impl Row {
    /// The grade, or that it is refused.
    pub fn grade(&self) -> &'static str {
        self.comparison.as_ref().map_or("refused", |comparison| comparison.grade.as_str())
    }

    /// Whether it is converted and no difference was found.
    pub fn is_good(&self) -> bool {
        self.comparison
            .as_ref()
            .is_some_and(|comparison| matches!(comparison.grade, Grade::Same | Grade::NoDifference))
    }

    /// The classes of the reasons.
    pub fn classes(&self) -> Vec<&'static str> {
        let mut all: Vec<&str> =
            self.conversion.refused.iter().map(|refused| refused.class.as_str()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// What is taken for granted where no difference was found: outside of it the policies may differ.
    pub fn granted(&self) -> Vec<&'static str> {
        let conversion = &self.conversion;
        let is_other = |one: &PlainValue| matches!(one.taken, Taken::OtherThan(_));
        let all = [
            (conversion.has_readable_images, "images that can be pulled"),
            (conversion.plain_values.iter().any(|one| !is_other(one)), "strings without wildcards"),
            (conversion.plain_values.iter().any(is_other), "no value that is the text of its pattern"),
            (!conversion.field_types.is_empty(), "types of custom kinds"),
            (conversion.leaves_deletions, "no deletions"),
            (conversion.keeps_order, "order of containers"),
        ];
        all.into_iter().filter(|(is_granted, _)| *is_granted).map(|(_, what)| what).collect()
    }

    /// A row of a table.
    pub fn line(&self) -> String {
        let mut said: Vec<String> = Vec::new();
        for refused in &self.conversion.refused {
            let line = refused.range.as_ref().map_or(0, |range| range.line);
            said.push(format!("{line}: {}: {}", refused.class.as_str(), refused.text));
        }
        if let Some(comparison) = &self.comparison {
            said.extend(comparison.findings.iter().map(|finding| {
                format!("{} `{}`", finding.direction.as_str(), to_json(&finding.request.object))
            }));
            said.extend(comparison.reasons.iter().map(|reason| format!("{}: {}", reason.side, reason.text)));
        }
        let said = said.join("<br>").replace('\n', " ");
        let said: String = said.chars().take(600).collect();
        format!("| {} | {} | {said} |", self.id, self.grade())
    }

    /// The text, and what differs.
    pub fn detail(&self) -> String {
        let mut out = self.conversion.text();
        for note in &self.conversion.notes {
            let _ = writeln!(out, "# {note}");
        }
        for finding in self.comparison.iter().flat_map(|comparison| &comparison.findings) {
            let _ = writeln!(out, "--- {} {:?}", finding.direction.as_str(), finding.effects);
            let _ = writeln!(
                out,
                "{} {}",
                finding.request.attributes.operation.as_str(),
                to_json(&finding.request.object)
            );
            let attributes = &finding.request.attributes;
            let _ = writeln!(out, "  by {} {:?}", attributes.user.username, attributes.user.cluster_roles);
            for object in attributes.cluster.iter().flat_map(|objects| objects.iter()) {
                let _ = writeln!(out, "  in a cluster with {}", to_json(object));
            }
            for verdict in finding.verdicts.iter().flatten() {
                let _ = writeln!(
                    out,
                    "  {} {} {}: {}",
                    verdict.policy, verdict.rule, verdict.status, verdict.message
                );
            }
        }
        out
    }
}

/// The rows of the policies in the files of a folder.
pub fn rows_of_folder(folder: &Path, max_requests: usize) -> Result<Vec<Row>, String> {
    let world = StaticWorld {
        extension: Some(engine_celpolicy::WITH_STEPS),
        ..StaticWorld::at(1_700_000_000_000_000_000)
    };
    let options = Options { max_requests, mutants: 0, ..Options::default() };
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .map_err(|error| error.to_string())?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    files.sort();
    let mut rows = Vec::new();
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        for conversion in convert(&Text { name: name.clone(), text }) {
            let comparison =
                conversion.is_whole().then(|| grade(&conversion, &options, &world, &mut |_| true));
            let rules = conversion.source.find(&["spec", "rules"]).and_then(Value::as_array);
            let mutates = rules.is_some_and(|rules| rules.iter().any(|rule| rule.get("mutate").is_some()));
            let class = if mutates { "mutate" } else { "validate" }.to_owned();
            rows.push(Row { id: name.clone(), class, conversion, comparison });
        }
    }
    Ok(rows)
}

/// The rows of all cases whose id holds a text.
pub fn rows(folder: &Path, wanted: &str, max_requests: usize) -> Result<Vec<Row>, String> {
    let world = StaticWorld {
        extension: Some(engine_celpolicy::WITH_STEPS),
        ..StaticWorld::at(1_700_000_000_000_000_000)
    };
    let options = Options { max_requests, mutants: 0, ..Options::default() };
    let mut rows = Vec::new();
    for case in recorded::rows(&folder.join("library/in.jsonl.gz"))? {
        let (id, class) = (case.find_str(&["id"]), case.find_str(&["class"]));
        if !matches!(class, "validate" | "mutate") || !id.contains(wanted) {
            continue;
        }
        let texts = case.get("policies").and_then(Value::as_array).unwrap_or_default();
        for text in texts.iter().filter_map(Value::as_str) {
            for conversion in convert(&Text { name: format!("{id}.yaml"), text: text.to_owned() }) {
                let comparison =
                    conversion.is_whole().then(|| grade(&conversion, &options, &world, &mut |_| true));
                rows.push(Row { id: id.to_owned(), class: class.to_owned(), conversion, comparison });
            }
        }
    }
    Ok(rows)
}
