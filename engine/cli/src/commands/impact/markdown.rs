//! The answer as a comment on a pull request, or as the summary of a job.
//!
//! In: a [`Report`], and how many characters there is room for. Out: Markdown: a first line by which a comment is found again, counts, and the rows of each
//! policy folded. Names and messages are texts of strangers: they stand in code spans alone, cut, with nothing that a reader of Markdown obeys.

use super::report::{Report, changed, count, number, others};
use super::text::edited;
use crate::commands::compare::headline;
use engine_impact::{Class, Group};
use std::fmt::Write;

/// So much of a name is shown.
const MAX_NAME: usize = 253;
/// So much of a message is shown.
const MAX_MESSAGE: usize = 300;
/// What is kept for the line that says what is left out.
const END: usize = 200;

/// The whole text, of at most so many characters.
pub(super) fn markdown(report: &Report, room: usize) -> String {
    let mut out = Bounded { text: String::new(), left: room.saturating_sub(END), lost: 0 };
    let name: String = report
        .name
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        .take(MAX_NAME)
        .collect();
    out.put(&format!(
        "<!-- podsieve-impact {name} -->\n**{}**\n",
        report.headline(|name| code(name, MAX_NAME))
    ));
    if !report.is_complete {
        out.put("\n⚠ Not everything was read and decided: this is no answer. The log of the job says what is missing.\n");
    }
    let shown = report.shown();
    if shown.is_empty() {
        out.put("\nNo object is decided otherwise.\n");
    } else {
        table(&mut out, report);
    }
    for (pair, groups) in &shown {
        policy(&mut out, report, *pair, groups);
    }
    constructed(&mut out, report);
    out.put(&format!(
        "\n<sub>{} evaluated by both sides.</sub>\n",
        count(report.sides.evaluated(), "policy", "policies")
    ));
    let lost = out.lost + report.lost;
    if lost > 0 {
        let _ = write!(
            out.text,
            "\n{} more are left out here: the terminal and the JSON form have all.\n",
            number(lost)
        );
    }
    let end = out.text.char_indices().nth(room).map_or(out.text.len(), |(at, _)| at);
    out.text.truncate(end);
    out.text
}

/// A text with a bound; whole pieces are left out at the end.
struct Bounded {
    text: String,
    left: usize,
    lost: usize,
}

impl Bounded {
    fn put(&mut self, piece: &str) {
        match self.left.checked_sub(piece.chars().count()).filter(|_| self.lost == 0) {
            Some(left) => {
                self.text.push_str(piece);
                self.left = left;
            }
            None => self.lost += 1,
        }
    }
}

/// A table of policies and classes.
fn table(out: &mut Bounded, report: &Report) {
    let classes: Vec<Class> =
        report.counted().into_iter().flat_map(|(_, classes)| classes).map(|(class, _)| class).collect();
    let mut head = "\n| policy |".to_owned();
    for class in &classes {
        let _ = write!(head, " {} |", class.words());
    }
    let _ = write!(head, "\n|---|{}\n", "--:|".repeat(classes.len()));
    out.put(&head);
    for (pair, groups) in report.shown() {
        let mut row = format!("| {} |", code(report.name(pair), MAX_NAME));
        for class in &classes {
            let objects: usize =
                groups.iter().filter(|group| group.class == *class).map(|group| group.rows.len()).sum();
            let _ = write!(row, " {} |", if objects == 0 { String::new() } else { number(objects) });
        }
        out.put(&(row + "\n"));
    }
}

fn policy(out: &mut Bounded, report: &Report, at: usize, groups: &[&Group]) {
    let Some(pair) = report.pair(at) else { return };
    let place = report
        .policy_place(at)
        .map(|range| format!(" {}", code(&format!("{}:{}", range.name, range.line), MAX_NAME)));
    let rows: usize = groups.iter().map(|group| group.rows.len()).sum();
    // A piece is whole: what opens is closed, also where there is no room for more.
    let mut whole = format!(
        "\n<details><summary>{} ({})</summary>\n\n{}{}\n\n",
        escaped(&pair.name),
        count(rows, "change", "changes"),
        code(&changed(pair), MAX_NAME),
        place.unwrap_or_default()
    );
    let close = "\n</details>\n";
    let mut left_out = groups.len().saturating_sub(report.limit);
    for group in groups.iter().take(report.limit) {
        let piece = described(report, group);
        if whole.chars().count() + piece.chars().count() + close.len() > out.left {
            left_out += 1;
            continue;
        }
        whole.push_str(&piece);
    }
    out.put(&(whole + close));
    if left_out > 0 {
        out.put(&format!("\n{} more of {}\n", number(left_out), code(&pair.name, MAX_NAME)));
    }
}

fn described(report: &Report, group: &Group) -> String {
    let Some(first) = group.rows.first().copied() else { return String::new() };
    let Some(row) = report.rows.get(first) else { return String::new() };
    let mut out = format!("- **{}** {}", group.class.words(), code(&row.object.words(), MAX_NAME));
    let origin = row.origin.words();
    if !origin.is_empty() {
        let _ = write!(out, " from {}", code(&origin, MAX_NAME));
    }
    if let Some(range) = report.place(first) {
        let _ = write!(out, " at {}", code(&format!("{}:{}", range.name, range.line), MAX_NAME));
    }
    out.push('\n');
    let [old, new] = report.message(row);
    if let Some(message) = new.or(old).filter(|message| !message.is_empty()) {
        let _ = writeln!(out, "  - {}", code(message, MAX_MESSAGE));
    }
    if let Some(edit) = report.details.get(&first).and_then(|shown| shown.edit.as_ref()) {
        let _ = writeln!(out, "  - passes with {}", code(&edited(edit), MAX_MESSAGE));
    }
    for line in row.change.diff.lines().take(20) {
        let _ = writeln!(out, "  - {}", code(line, MAX_MESSAGE));
    }
    let others = others(group);
    if !others.is_empty() {
        let _ = writeln!(out, "  - {}", code(&others, MAX_MESSAGE));
    }
    out
}

fn constructed(out: &mut Bounded, report: &Report) {
    let found = report.constructed.iter().filter_map(|one| Some((one, one.finding.as_ref()?)));
    for (at, (one, finding)) in found.enumerate() {
        if at == 0 {
            out.put("\n**Constructed: none of your objects is like these**\n\n");
        }
        let object = engine::json::to_json(&finding.request.object);
        out.put(&format!(
            "- {}: {}\n  - {}\n",
            code(report.name(one.pair), MAX_NAME),
            code(&headline(finding), MAX_MESSAGE),
            code(&object, MAX_MESSAGE)
        ));
    }
}

/// A text of strangers in a code span: one line, cut, with more back-ticks around it than are in it.
fn code(text: &str, most: usize) -> String {
    let mut shown = String::new();
    for c in text.chars().take(most) {
        match c {
            '\n' | '\r' | '\t' => shown.push(' '),
            // A table's cell ends at it, in a code span too.
            '|' => shown.push('¦'),
            c if is_odd(c) => {
                let _ = write!(shown, "{}", c.escape_unicode());
            }
            c => shown.push(c),
        }
    }
    if text.chars().nth(most).is_some() {
        shown.push('…');
    }
    if shown.trim().is_empty() {
        return "(nothing)".to_owned();
    }
    let mut longest = 0;
    let mut run = 0;
    for c in shown.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let ticks = "`".repeat(longest + 1);
    // A blank on either side belongs to the span where one of them is a back-tick.
    if longest > 0 { format!("{ticks} {shown} {ticks}") } else { format!("{ticks}{shown}{ticks}") }
}

/// What is seen as nothing, or turns the direction of writing round.
fn is_odd(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2028}' | '\u{2029}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// A text of strangers in HTML, where Markdown is not read but mentions and references are: letters as numbers but for the plainest.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().take(MAX_NAME) {
        if c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '/' | ' ') {
            out.push(c);
        } else if is_odd(c) {
            let _ = write!(out, "{}", c.escape_unicode());
        } else {
            let _ = write!(out, "&#{};", u32::from(c));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{code, escaped};

    #[test]
    fn texts_of_strangers_stay_in_their_span() {
        assert_eq!(code("a|b\n<img src=x>", 99), "`a¦b <img src=x>`");
        assert_eq!(code("`x` ``y``", 99), "``` `x` ``y`` ```");
        assert_eq!(code("\u{202e}a", 99), "`\\u{202e}a`");
        assert_eq!(code("abc", 2), "`ab…`");
        assert_eq!(code(" ", 9), "(nothing)");
        assert_eq!(escaped("</summary>@all"), "&#60;/summary&#62;&#64;all");
    }
}
