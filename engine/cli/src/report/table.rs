//! `--table`: all verdicts in rows.
//!
//! In: responses. Out: a table with frames of `│` and `─`, as wide as its widest cells; nothing where there is no row.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/commands/apply/table.go and the packages tableprinter and tablewriter.

use engine::apply::{RuleResult, RuleType, Status};
use engine_lenses::report::Response;
use std::fmt::Write;

/// Cells of more bytes are broken at blanks.
const CELL_LIMIT: usize = 300;
/// With more rows the head says how many there are.
const COUNT_FROM: usize = 10;

/// The rule's name; a cleanup policy has no rules.
fn name(rule: &RuleResult) -> String {
    if rule.rule_type == RuleType::Deletion { String::new() } else { rule.rule.to_string() }
}

/// The whole table.
pub(crate) fn print(responses: &[Response<'_>], with_messages: bool, colours: bool) -> String {
    let rows = responses.iter().flat_map(|response| {
        let policy = response.policy.key();
        // Kyverno: the table puts together what a payload does not have.
        let resource = if response.resource.is_payload && response.resource_path() == "JSON payload" {
            "/".to_owned()
        } else {
            response.resource_path().trim_start_matches('/').to_owned()
        };
        response.rules.iter().map(move |rule| Cell {
            policy: policy.clone(),
            rule: if response.policy.body.is_some() { String::new() } else { name(rule) },
            resource: resource.clone(),
            status: response.described_status(rule),
            reason: String::new(),
            message: rule.message.clone(),
        })
    });
    draw(rows.collect(), with_messages, colours)
}

/// What stands in a row; its number is added.
pub(crate) struct Cell {
    pub(crate) policy: String,
    pub(crate) rule: String,
    pub(crate) resource: String,
    pub(crate) status: Status,
    pub(crate) reason: String,
    pub(crate) message: String,
}

/// A table of these rows, numbered from one.
pub(crate) fn draw(rows: Vec<Cell>, with_messages: bool, colours: bool) -> String {
    let row = |(at, row): (usize, Cell)| {
        let word = word(row.status).to_owned();
        let cells = [(at + 1).to_string(), row.policy, row.rule, row.resource, word, row.reason, row.message];
        (row.status, cells.map(|cell| limited(&cell)))
    };
    let rows: Vec<(Status, Cells)> = rows.into_iter().enumerate().map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    let count = if rows.len() > COUNT_FROM { format!("ID ({}) ", rows.len()) } else { "ID".to_owned() };
    let mut titles = vec![count.as_str(), "POLICY", "RULE", "RESOURCE", "RESULT", "REASON"];
    if with_messages {
        titles.push("MESSAGE");
    }
    frame(&titles, &rows, colours)
}

type Cells = [Vec<String>; 7];

fn frame(titles: &[&str], rows: &[(Status, Cells)], colours: bool) -> String {
    let widths: Vec<usize> = titles
        .iter()
        .enumerate()
        .map(|(at, title)| {
            let lines = rows.iter().filter_map(|(_, cells)| cells.get(at)).flatten();
            lines.map(|line| width(line)).max().unwrap_or(0).max(width(title))
        })
        .collect();
    let segments: Vec<String> = widths.iter().map(|width| "─".repeat(width + 2)).collect();
    let mut frame = format!("│{}", segments.join("│"));
    frame.push_str("│\n");
    let mut out = frame.clone();
    for (title, width) in titles.iter().zip(&widths) {
        let _ = write!(out, "│ {} ", coloured(&padded(title, *width), GREEN, colours));
    }
    out.push_str("│\n");
    out.push_str(&frame);
    for (status, cells) in rows {
        let height = cells.iter().zip(&widths).map(|(lines, _)| lines.len()).max().unwrap_or(1);
        for line in 0..height {
            for (column, (lines, width)) in cells.iter().zip(&widths).enumerate() {
                let text = padded(lines.get(line).map_or("  ", String::as_str), *width);
                let _ = write!(out, "│ {} ", coloured(&text, colour(column, *status), colours));
            }
            out.push_str("│\n");
        }
    }
    out.push_str(&frame);
    out
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Pass => "Pass",
        Status::Fail => "Fail",
        Status::Warn => "Warn",
        Status::Error => "Error",
        Status::Skip => "Skip",
    }
}

/// The lines of a cell. Only a cell that is too long is touched: it is broken at blanks if it is one line, and
/// loses the end of a line break at its end if it has several.
// Go: tableprinter, cellText; the byte before the last line break goes too.
fn limited(cell: &str) -> Vec<String> {
    let lines = |text: &str| text.split('\n').map(str::to_owned).collect();
    if cell.len() <= CELL_LIMIT {
        return lines(cell);
    }
    if cell.contains('\n') {
        let Some(text) = cell.strip_suffix('\n') else { return lines(cell) };
        let mut text = text.to_owned();
        text.pop();
        return limited(&text);
    }
    let mut words = cell.split_whitespace();
    let mut text = words.next().unwrap_or("").to_owned();
    let mut left = CELL_LIMIT.saturating_sub(text.len());
    for word in words {
        let needed = word.len() + 1;
        if needed <= left {
            text.push(' ');
            left = left.saturating_sub(needed + 1);
        } else {
            text.push('\n');
            left = CELL_LIMIT.saturating_sub(word.len());
        }
        text.push_str(word);
    }
    lines(&text)
}

fn padded(text: &str, to: usize) -> String {
    format!("{text}{}", " ".repeat(to.saturating_sub(width(text))))
}

/// How many columns of a terminal a line takes.
// Go: go-runewidth, reduced to the ranges that are two columns wide or none.
fn width(text: &str) -> usize {
    let columns = |c: char| match c {
        '\0'..='\u{1f}'
        | '\u{7f}'..='\u{9f}'
        | '\u{300}'..='\u{36f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{feff}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{303e}'
        | '\u{3041}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1f64f}'
        | '\u{1f900}'..='\u{1f9ff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    };
    text.chars().map(columns).sum()
}

const GREEN: &str = "1;32";
const RED: &str = "1;31";
const YELLOW: &str = "1;33";
const CYAN: &str = "1;36";

fn colour(column: usize, status: Status) -> &'static str {
    match (column, status) {
        (1..=3, _) | (4, Status::Skip) => CYAN,
        (4, Status::Pass) => GREEN,
        (4, Status::Warn) => YELLOW,
        (4, Status::Fail | Status::Error) => RED,
        _ => "",
    }
}

fn coloured(text: &str, colour: &str, colours: bool) -> String {
    if colours && !colour.is_empty() { format!("\u{1b}[{colour}m{text}\u{1b}[0m") } else { text.to_owned() }
}
