//! Streams read as texts, where policies have to see all objects at once.
//!
//! In: the arguments. Out: a text for each object, named by its stream and number, and what is not one.

use super::{Apply, Input, Unreadable, streams};
use crate::commands::running::{Batches, objects};
use crate::files::Text;
use crate::terminal::{self, one_line};
use engine::json::to_json;
use engine::load::Role;
use engine_cluster::Form;

/// So much is held at once.
const MAX_HELD: usize = 1 << 30;

/// Reads the resources.
pub(in super::super) fn collect(arguments: &Apply) -> (Vec<Input>, Vec<Unreadable>) {
    let (streams, mut lost) = streams(&arguments.resource);
    let (mut inputs, mut held) = (Vec::new(), 0);
    for batch in Batches::new(&streams) {
        let name = streams.get(batch.stream).map_or("", |stream| stream.name.as_str());
        for item in batch.items {
            let mut fail = |line: usize, why: String| {
                lost.push(Unreadable { path: name.to_owned(), original: format!("line {line}: {why}") });
            };
            let item = match item {
                Ok(item) => item,
                Err(fault) => {
                    fail(fault.line, fault.message);
                    continue;
                }
            };
            held += item.text.len();
            if held > MAX_HELD {
                fail(
                    item.line,
                    format!(
                        "these policies look at more than one object, so that all are held at once, and what comes from here on is more than \
                         {} MiB: give fewer objects, or policies that look at one",
                        MAX_HELD >> 20
                    ),
                );
                break;
            }
            match objects(&item) {
                Err(why) => fail(item.line, why),
                Ok(values) => inputs.extend(values.iter().map(|value| {
                    let is_own = item.form == Form::Json && item.list.is_none() && values.len() == 1;
                    let text = if is_own {
                        String::from_utf8_lossy(&item.text).into_owned()
                    } else {
                        to_json(value)
                    };
                    let name = format!("{name} (object {}, line {})", item.number, item.line);
                    Input { role: Role::Opened, text: Text { name, text } }
                })),
            }
        }
    }
    for Unreadable { path, original } in &lost {
        terminal::say(&format!("error: {}\n", one_line(&format!("`{path}` cannot be read: {original}"))));
    }
    (inputs, lost)
}
