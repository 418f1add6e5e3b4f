//! `generator.apply` (Kyverno: `libs/generator`).

use super::many;
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host};
use engine_cel::value::Value;

/// The rows for policies of the whole cluster.
pub const ROWS: &[Function] = &[
    Function {
        name: "Apply",
        overloads: &[many(
            "generator_apply_string_list_pascal",
            "generator.Context.(string, list(map(string, any))) -> bool",
            |host, args| ask(host, "generator.apply", args),
        )],
        note: NOTE,
        examples: &[],
    },
    Function {
        name: "apply",
        overloads: &[many(
            "generator_apply_string_list_camel",
            "generator.Context.(string, list(map(string, any))) -> bool",
            |host, args| ask(host, "generator.apply", args),
        )],
        note: NOTE,
        examples: &[],
    },
];

/// The rows for policies of one namespace.
pub const NAMESPACED: &[Function] = &[
    Function {
        name: "Apply",
        overloads: &[many(
            "generator_apply_list_pascal",
            "generator.Context.(list(map(string, any))) -> bool",
            |host, args| ask(host, "generator.applyHere", args),
        )],
        note: NOTE_HERE,
        examples: &[],
    },
    Function {
        name: "apply",
        overloads: &[many(
            "generator_apply_list_camel",
            "generator.Context.(list(map(string, any))) -> bool",
            |host, args| ask(host, "generator.applyHere", args),
        )],
        note: NOTE_HERE,
        examples: &[],
    },
];

const NOTE: &str = "Generates objects in a namespace.";
const NOTE_HERE: &str = "Generates objects in the policy's namespace.";

fn ask<'v>(host: &mut Host<'_>, question: &str, args: &[Value<'v>]) -> Outcome<'v> {
    let nobody = || Error::text(format!("{question}: not decided, nothing is generated here"));
    let outside = host.outside.ok_or_else(nobody)?;
    outside.ask(question, args.get(1..).unwrap_or_default())
}
