//! An expression compiled as the originals do: read, checked, its literals looked at, its type asked for, made a program.
//!
//! In: the text, the environment, what is wanted of it. Out: a [`Compiled`], or what is wrong, in cel-go's words and with
//! the places.

use crate::environment::Environment;
use crate::hosts::{Depends, depends};
use engine_cel::check::{Checked, check, homogeneous_literals};
use engine_cel::issue::Issue;
use engine_cel::program::{Options, Program};
use engine_cel::report::{render, sorted};
use engine_cel::syntax;
use engine_cel::types::Type;
use engine_cel::validators::{argument_literals, format_literals};

/// What the value of an expression has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Anything.
    Any,
    /// A truth value.
    Bool,
    /// A text.
    Text,
    /// A text or null.
    TextOrNull,
    /// A list of steps of a JSON patch.
    JsonPatches,
    /// A configuration that is applied to an object.
    Configuration,
    /// A map of anything by texts.
    Entries,
    /// A list of texts, or what may be one.
    Texts,
}

/// An expression that can be evaluated.
#[derive(Debug)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// The type of its value.
    pub of: Type,
    /// On what the value can depend.
    pub depends: Depends,
}

/// What is wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// cel-go's words, with a picture of the line for each problem that has a place.
    pub text: String,
    /// The problems: where in bytes, and what. One without a place is about the whole.
    pub problems: Vec<(Option<u32>, String)>,
    /// The type that the value has and should not have, where that is all.
    pub of: Option<Box<Type>>,
}

impl Fault {
    fn of_issues(source: &str, issues: &[Issue]) -> Self {
        let problems = sorted(source, issues).into_iter().map(|(_, issue)| (issue.at, issue.message.clone()));
        Fault { text: render(source, issues), problems: problems.collect(), of: None }
    }

    /// A problem of the whole expression.
    pub(crate) fn whole(text: String) -> Self {
        Fault { problems: vec![(None, text.clone())], text, of: None }
    }

    /// Whether it is found when a program is made, of which Kubernetes holds itself to be the cause.
    pub(crate) fn is_internal(&self) -> bool {
        self.of.is_none() && self.problems.iter().all(|(place, _)| place.is_none())
    }

    /// Kubernetes' words for it.
    // Kubernetes: apiserver/pkg/admission/plugin/cel/compile.go CompileCELExpression.
    pub fn in_admission(&self, wanted: Wanted) -> String {
        let Some(of) = self.of.as_deref() else {
            let what = if self.is_internal() { "program instantiation" } else { "compilation" };
            return format!("{what} failed: {}", self.text);
        };
        // cel-go: Type.String, where messages of its checker have another name.
        let of = if *of == Type::Null { "null_type".to_owned() } else { of.to_string() };
        let wanted = match wanted {
            Wanted::TextOrNull => "one of [string null_type]",
            Wanted::Text => "string",
            Wanted::JsonPatches => "list(JSONPatch)",
            Wanted::Configuration => "Object",
            Wanted::Any | Wanted::Bool | Wanted::Entries | Wanted::Texts => "bool",
        };
        format!("must evaluate to {wanted} but got {of}")
    }
}

/// Compiles an expression.
///
/// # Errors
/// What is wrong with it: all problems of the first step that finds some.
pub fn compile(source: &str, environment: &Environment, wanted: Wanted) -> Result<Compiled, Fault> {
    let options = syntax::Options { macros: environment.macros, optional_syntax: true };
    let ast = syntax::parse(source, &options).map_err(|issues| Fault::of_issues(source, &issues))?;
    let checked: Checked = check(&ast, &environment.env);
    let mut issues = checked.issues.clone();
    if issues.is_empty() {
        if !environment.mixed_literals {
            issues = homogeneous_literals(&ast, &checked);
        }
        if environment.is_of_kubernetes {
            argument_literals(&ast, &environment.env, &mut issues);
        }
        if environment.looks_at_formats {
            format_literals(&ast, &checked, &mut issues);
        }
    }
    if !issues.is_empty() {
        return Err(Fault::of_issues(source, &issues));
    }
    let of = checked.type_of(ast.root()).clone();
    // cel-go: Type.IsExactType takes a wrapped type for the type.
    let unwrapped = if let Type::Wrapper(inner) = &of { inner } else { &of };
    let (is_wanted, name) = match wanted {
        Wanted::Any => (true, ""),
        Wanted::Bool => (*unwrapped == Type::Bool, "output is expected to be of type bool"),
        Wanted::Text => (*unwrapped == Type::String, "output is expected to be of type string"),
        Wanted::TextOrNull => (
            matches!(unwrapped, Type::String | Type::Null),
            "output is expected to be either of type string or null_type",
        ),
        Wanted::JsonPatches => {
            (*unwrapped == Type::list(Type::named("JSONPatch")), "output is expected to be of type list")
        }
        Wanted::Configuration => {
            (*unwrapped == Type::named("Object"), "output is expected to be of type Object")
        }
        Wanted::Entries => (*unwrapped == Type::map(Type::String, Type::Any), "output type must be a map"),
        Wanted::Texts => {
            let is_list = [Type::list(Type::String), Type::list(Type::Dyn), Type::Dyn].contains(unwrapped);
            (is_list, "output is expected to be of type list")
        }
    };
    if !is_wanted {
        return Err(Fault { of: Some(Box::new(of)), ..Fault::whole(name.to_owned()) });
    }
    let options = Options { variables: &environment.variables, fold: environment.is_of_kubernetes };
    let program = Program::new(&ast, Some(&checked), &environment.env, &options);
    let program = program.map_err(|error| Fault::whole(error.to_string()))?;
    Ok(Compiled { program, of, depends: depends(&ast, &checked) })
}
