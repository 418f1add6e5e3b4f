//! `podsieve ask`: the front's questions for programs in any language.
//!
//! In: JSON on standard input, one input or a question a line. Out: JSON on standard output, one answer or an answer a line, each written
//! before the next question is read.

use super::lines::{self, Line, MAX_LINE};
use crate::args::Ask;
use crate::exit::Failure;
use crate::files;
use crate::terminal;
use engine::json::{Map, Value, to_json};
use podsieve::{Asking, QUESTIONS, Session, Within, ask};

/// Runs the command.
pub(crate) fn run(arguments: &Ask) -> Result<u8, Failure> {
    if arguments.list {
        terminal::print(&list());
        return Ok(0);
    }
    let mut session = Session::default();
    match &arguments.question {
        Some(name) => {
            let question = podsieve::question(name);
            // Before standard input, for which somebody at a terminal would wait.
            question.ok_or_else(|| {
                Failure(format!("there is no question `{name}`: see `podsieve ask --list`"))
            })?;
            let input = files::read("-").map_err(|unreadable| Failure(unreadable.original))?;
            terminal::document(&(answer(name, &input.text, &mut session).map_err(Failure)? + "\n"));
            Ok(0)
        }
        None => converse(&mut session),
    }
}

fn list() -> String {
    let width = QUESTIONS.iter().map(|question| question.name.len()).max().unwrap_or_default();
    let row = |question: &podsieve::Question| {
        let podsieve::Question { name, about, input, output, .. } = question;
        format!("{name:<width$}  {about} ({input} → {output})\n")
    };
    QUESTIONS.iter().map(row).collect()
}

fn answer(name: &str, input: &str, session: &mut Session) -> Result<String, String> {
    let world = crate::world::as_written();
    ask(name, input, &mut Asking { world: &world, session, search: &mut Within::default() })
}

/// A question in a line: its id as JSON, and what is asked.
struct Asked {
    id: Option<Value>,
    question: Result<(String, Value), String>,
}

const FIELDS: [&str; 3] = ["id", "question", "input"];

/// What a line asks.
fn asked(line: &str) -> Asked {
    let fields = match engine::json::parse(line) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) => return Asked { id: None, question: Err("the line is no object".to_owned()) },
        Err(error) => return Asked { id: None, question: Err(format!("the line is not JSON: {error}")) },
    };
    let unknown = fields.keys().find(|key| !FIELDS.contains(&key.as_str()));
    let question = match (unknown, fields.get("question").and_then(Value::as_str)) {
        (Some(unknown), _) => {
            Err(format!("unknown field `{unknown}`, expected one of {}", FIELDS.join(", ")))
        }
        (None, None) => Err("the field `question` is missing, or no string".to_owned()),
        (None, Some(name)) => {
            Ok((name.to_owned(), fields.get("input").cloned().unwrap_or_else(|| Value::object(Map::new()))))
        }
    };
    Asked { id: fields.get("id").cloned(), question }
}

/// Answers line after line until the input ends; the exit code says whether each could be read.
fn converse(session: &mut Session) -> Result<u8, Failure> {
    let mut input = std::io::stdin().lock();
    let mut code = 0;
    while let Some(line) = lines::next(&mut input, MAX_LINE).map_err(|error| Failure(error.to_string()))? {
        let Asked { id, question } = match line {
            Line::Unusable(why) => Asked { id: None, question: Err(why) },
            Line::Text(line) => asked(&line),
        };
        let said = question.and_then(|(name, input)| answer(&name, &to_json(&input), session));
        let id = id.map_or_else(String::new, |id| format!("\"id\":{},", to_json(&id)));
        let said = match said {
            Ok(answer) => format!("\"answer\":{answer}"),
            Err(why) => {
                code = 1;
                format!("\"error\":{}", to_json(&Value::from(why)))
            }
        };
        terminal::document(&format!("{{{id}{said}}}\n"));
    }
    Ok(code)
}
