//! The output of `podsieve test` with its rows in one order and without their numbers.
//!
//! In: a text with a table, JSON, markdown or JUnit in it. Out: the same, fit for comparison: the original walks over
//! maps, so that rows come in another order in each run.

/// The text with each run of rows sorted.
pub fn sorted(text: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut rows: Vec<String> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let row = match end_of(line) {
            Some(end) => {
                let mut row = vec![line.trim_end_matches(',').to_owned()];
                for inner in lines.by_ref() {
                    row.push(inner.trim_end_matches(',').to_owned());
                    if inner.trim_end_matches(',') == end {
                        break;
                    }
                }
                row.retain(|inner| !inner.trim_start().starts_with("\"ID\": "));
                Some(row.join("\n"))
            }
            None => without_number(line),
        };
        if let Some(row) = row {
            rows.push(row);
        } else {
            flush(&mut rows, &mut out);
            out.push(line.to_owned());
        }
    }
    flush(&mut rows, &mut out);
    out.join("\n")
}

fn flush(rows: &mut Vec<String>, out: &mut Vec<String>) {
    rows.sort();
    out.append(rows);
}

/// How a row of several lines ends, by how it begins.
fn end_of(line: &str) -> Option<&'static str> {
    match line {
        "  {" => Some("  }"),
        _ if line.starts_with("  <testcase ") => Some("  </testcase>"),
        _ => None,
    }
}

/// A row of a table without its first cell, where that is a number.
fn without_number(line: &str) -> Option<String> {
    let mark = ["│ ", "| "].into_iter().find(|mark| line.starts_with(mark))?;
    let rest = line.strip_prefix(mark)?;
    let (number, cells) = rest.split_once(mark.trim_end())?;
    let number = number.trim();
    (!number.is_empty() && number.chars().all(|c| c.is_ascii_digit())).then(|| cells.to_owned())
}
