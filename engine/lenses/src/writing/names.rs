//! What names of the environment stand for, in words; and the macros, which are not functions.
//!
//! In: a name. Out: a sentence; of a macro also how it is called and examples, which tests evaluate.

/// What a variable of the environment is.
pub(super) fn variable(name: &str) -> &'static str {
    match name {
        "object" => "the object as it is after the request; in a DELETE it is null",
        "oldObject" => "the object as it was; null in a CREATE",
        "request" => "the admission request: who asks for what",
        "namespaceObject" => "the Namespace of the object; null for objects of the whole cluster",
        "variables" => "the variables of the policy, each by its name",
        "params" => "the parameters that the binding of the policy names",
        "authorizer" => "checks whether a user may do something",
        "authorizer.requestResource" => {
            "asks whether who made the request may do something with its resource"
        }
        "exceptions" => "what the exceptions that match let through: `allowedImages`, `allowedValues`",
        "resource" => "asks the cluster for other objects",
        "http" => "asks a server",
        "globalContext" => "asks for an entry of the global context",
        "image" => "asks a registry about an image",
        "images" => "the images of the object, by the list that they stand in",
        "json" => "reads JSON",
        "yaml" => "reads YAML",
        "generator" => "makes objects",
        _ => "",
    }
}

/// A macro.
#[derive(Clone, Copy, Debug)]
pub struct Macro {
    /// Its name.
    pub name: &'static str,
    /// How it is called.
    pub signature: &'static str,
    /// On what it is called: `list`, `map`, `optional`; empty for one that is called by itself.
    pub of: &'static [&'static str],
    /// What it does.
    pub note: &'static str,
    /// Expressions and their values.
    pub examples: &'static [(&'static str, &'static str)],
}

/// What the name is that a macro gives.
pub(super) const ELEMENT: &str = "each element in turn";

const LISTS: &[&str] = &["list", "map"];

/// The macros that policies of each kind may write.
pub const MACROS: &[Macro] = &[
    Macro {
        name: "has",
        signature: "has(object.field) -> bool",
        of: &[],
        note: "whether a field is there",
        examples: &[("has({'a': 1}.a)", "true"), ("has({'a': 1}.b)", "false")],
    },
    Macro {
        name: "all",
        signature: "list.all(x, condition) -> bool",
        of: LISTS,
        note: "whether the condition holds for each element, or for each key of a map; true of an empty list",
        examples: &[("[1, 2].all(x, x > 0)", "true")],
    },
    Macro {
        name: "exists",
        signature: "list.exists(x, condition) -> bool",
        of: LISTS,
        note: "whether the condition holds for an element, or for a key of a map",
        examples: &[("[1, 2].exists(x, x > 1)", "true")],
    },
    Macro {
        name: "exists_one",
        signature: "list.exists_one(x, condition) -> bool",
        of: LISTS,
        note: "whether the condition holds for just one element",
        examples: &[("[1, 2, 2].exists_one(x, x == 2)", "false")],
    },
    Macro {
        name: "filter",
        signature: "list.filter(x, condition) -> list",
        of: LISTS,
        note: "the elements for which the condition holds",
        examples: &[("[1, 2, 3].filter(x, x > 1)", "[2,3]")],
    },
    Macro {
        name: "map",
        signature: "list.map(x, [condition,] value) -> list",
        of: LISTS,
        note: "what is made of each element, or of those for which the condition holds",
        examples: &[("[1, 2].map(x, x * 2)", "[2,4]"), ("[1, 2].map(x, x > 1, x * 2)", "[4]")],
    },
    Macro {
        name: "optMap",
        signature: "optional.optMap(x, value) -> optional",
        of: &["optional"],
        note: "what is made of the value, if there is one",
        examples: &[("optional.of(2).optMap(x, x * 2).orValue(0)", "4")],
    },
    Macro {
        name: "optFlatMap",
        signature: "optional.optFlatMap(x, optional) -> optional",
        of: &["optional"],
        note: "as `optMap`, where what is made may be without a value too",
        examples: &[("optional.of({'a': 1}).optFlatMap(x, x.?a).orValue(0)", "1")],
    },
    Macro {
        name: "cel.bind",
        signature: "cel.bind(x, value, expression)",
        of: &[],
        note: "the expression, in which the name stands for the value",
        examples: &[("cel.bind(x, 2, x * x)", "4")],
    },
    Macro {
        name: "sortBy",
        signature: "list.sortBy(x, key) -> list",
        of: &["list"],
        note: "the elements in the order of what is made of each",
        examples: &[("[2, 1].sortBy(x, x)", "[1,2]")],
    },
];

/// The macro of this name.
pub(super) fn named(name: &str) -> Option<&'static Macro> {
    MACROS.iter().find(|row| row.name == name)
}
