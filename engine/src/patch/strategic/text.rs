//! Nodes in messages: YAML in flow style, as go-yaml v3 writes what was read from JSON.
//!
//! In: a node. Out: `{"name": "a", "ports": [80, 81]}`, and the error for a node of the wrong kind.
//! Mirrors: InvalidNodeKindError of sigs.k8s.io/kustomize/kyaml/yaml/fns.go.

use super::tree::{Id, Kind, Node, Tree};

impl Tree {
    /// An error unless the node is of this kind, or nothing, or `null`.
    // Go: ErrorIfInvalid.
    pub(super) fn expect(&self, id: Option<Id>, expected: Kind) -> Result<(), String> {
        let Some((id, found)) = id.and_then(|id| Some((id, self.kind(id)?))) else { return Ok(()) };
        if found == expected {
            return Ok(());
        }
        let (expected, found) = (expected.name(), found.name());
        let mut text = format!("wrong node kind: expected {expected} but got {found}: node contents:\n");
        self.write(&mut text, id);
        text.push('\n');
        Err(text)
    }

    /// Writes a node in flow style.
    fn write(&self, out: &mut String, id: Id) {
        match self.node(id) {
            Node::Null { .. } => out.push_str("null"),
            Node::Scalar { value, text, quoted } if *quoted || value.as_str().is_some() => {
                write_quoted(out, text);
            }
            Node::Scalar { text, .. } => out.push_str(text),
            Node::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { ", " });
                    self.write(out, *item);
                }
                out.push(']');
            }
            Node::Map(entries) => {
                out.push('{');
                for (at, entry) in entries.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { ", " });
                    write_quoted(out, &entry.key);
                    out.push_str(": ");
                    self.write(out, entry.value);
                }
                out.push('}');
            }
        }
    }
}

// Go: yaml_emitter_write_double_quoted.
fn write_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\0' => out.push_str("\\0"),
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\x0b' => out.push_str("\\v"),
            '\x0c' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\x1b' => out.push_str("\\e"),
            '\u{85}' => out.push_str("\\N"),
            '\u{a0}' => out.push_str("\\_"),
            '\u{2028}' => out.push_str("\\L"),
            '\u{2029}' => out.push_str("\\P"),
            '\u{feff}' => out.push_str("\\uFEFF"),
            c if (c as u32) < 0x20 || (0x7f..0xa0).contains(&(c as u32)) => {
                out.extend(["\\x".to_owned(), format!("{:02X}", c as u32)]);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
