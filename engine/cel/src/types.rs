//! Types of expressions, as the checker infers and prints them, and as rows of functions are declared.
//!
//! ```
//! use engine_cel::types::{Signature, Type};
//! let split = Signature::parse("string.(string, int) -> list(string)").unwrap();
//! assert!(split.member);
//! assert_eq!(split.result, Type::list(Type::String));
//! assert_eq!(split.result.to_string(), "list(string)");
//! ```

use engine_json::Str;
use std::fmt::{Display, Formatter, Result as FmtResult};
use std::sync::Arc;

/// The type of an expression.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Type {
    /// Anything; found out while evaluating.
    Dyn,
    /// `google.protobuf.Any`: as `dyn`, but printed `any`.
    Any,
    /// `null`.
    Null,
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `uint`.
    Uint,
    /// `double`.
    Double,
    /// `string`.
    String,
    /// `bytes`.
    Bytes,
    /// `google.protobuf.Timestamp`.
    Timestamp,
    /// `google.protobuf.Duration`.
    Duration,
    /// `list(T)`.
    List(Arc<Type>),
    /// `map(K, V)`.
    Map(Arc<(Type, Type)>),
    /// `optional_type(T)`.
    Optional(Arc<Type>),
    /// `type(T)`, or `type` where nothing is known of it.
    Type(Option<Arc<Type>>),
    /// `wrapper(T)` of a primitive type: that type or null.
    Wrapper(Arc<Type>),
    /// A type of the environment: with fields, without, or opaque; see [`crate::env::TypeKind`].
    Named(Str),
    /// A type parameter of a declaration: `A`.
    Param(Str),
    /// A variable that inference may still bind; only while checking.
    Var(u32),
    /// What has no type because an error was reported; fits everywhere.
    Error,
}

impl Type {
    /// `list(element)`.
    pub fn list(element: Type) -> Self {
        Type::List(Arc::new(element))
    }

    /// `map(key, value)`.
    pub fn map(key: Type, value: Type) -> Self {
        Type::Map(Arc::new((key, value)))
    }

    /// `optional_type(value)`.
    pub fn optional(value: Type) -> Self {
        Type::Optional(Arc::new(value))
    }

    /// `type(of)`.
    pub fn type_of(of: Type) -> Self {
        Type::Type(Some(Arc::new(of)))
    }

    /// A type of the environment.
    pub fn named(name: &str) -> Self {
        Type::Named(Str::from(name))
    }

    /// Reads a type as it is printed; single capital letters are type parameters.
    ///
    /// # Errors
    /// The text that is not a type.
    pub fn parse(text: &str) -> Result<Type, String> {
        let mut reader = Reader { rest: text.trim() };
        let parsed = reader.one()?;
        if reader.rest.is_empty() { Ok(parsed) } else { Err(format!("`{text}` is not a type")) }
    }

    /// Whether anything may be there: `dyn` and `any`.
    pub fn is_dyn(&self) -> bool {
        matches!(self, Type::Dyn | Type::Any)
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        match self {
            Type::Dyn => f.write_str("dyn"),
            Type::Any => f.write_str("any"),
            Type::Null => f.write_str("null"),
            Type::Bool => f.write_str("bool"),
            Type::Int => f.write_str("int"),
            Type::Uint => f.write_str("uint"),
            Type::Double => f.write_str("double"),
            Type::String => f.write_str("string"),
            Type::Bytes => f.write_str("bytes"),
            Type::Timestamp => f.write_str("timestamp"),
            Type::Duration => f.write_str("duration"),
            Type::List(element) => write!(f, "list({element})"),
            Type::Map(entry) => write!(f, "map({}, {})", entry.0, entry.1),
            Type::Optional(value) => write!(f, "optional_type({value})"),
            Type::Type(Some(of)) => write!(f, "type({of})"),
            Type::Type(None) => f.write_str("type"),
            Type::Wrapper(of) => write!(f, "wrapper({of})"),
            Type::Named(name) | Type::Param(name) => f.write_str(name),
            Type::Var(number) => write!(f, "_var{number}"),
            Type::Error => f.write_str("!error!"),
        }
    }
}

/// What an overload takes and gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// Whether the first parameter is the receiver of a method.
    pub member: bool,
    /// The parameters, the receiver first.
    pub params: Vec<Type>,
    /// The result.
    pub result: Type,
}

impl Signature {
    /// Reads `(int, A) -> A` for a function and `string.(int) -> string` for a method.
    ///
    /// # Errors
    /// The text that is not a signature.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("`{text}` is not a signature: write `(int) -> string` or `string.(int) -> string`");
        let (call, result) = text.split_once("->").ok_or_else(wrong)?;
        let call = call.trim();
        let mut params = Vec::new();
        let member = !call.starts_with('(');
        let args = if member {
            let (receiver, args) = call.split_once(".(").ok_or_else(wrong)?;
            params.push(Type::parse(receiver)?);
            args
        } else {
            call.strip_prefix('(').ok_or_else(wrong)?
        };
        let args = args.strip_suffix(')').ok_or_else(wrong)?;
        let mut reader = Reader { rest: args.trim() };
        while !reader.rest.is_empty() {
            params.push(reader.one()?);
            if !reader.eat(',') && !reader.rest.is_empty() {
                return Err(wrong());
            }
        }
        Ok(Signature { member, params, result: Type::parse(result)? })
    }
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn eat(&mut self, wanted: char) -> bool {
        let Some(rest) = self.rest.strip_prefix(wanted) else { return false };
        self.rest = rest.trim_start();
        true
    }

    fn name(&mut self) -> &str {
        let end = self
            .rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.')))
            .unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest.trim_start();
        name
    }

    fn one(&mut self) -> Result<Type, String> {
        let name = Str::from(self.name());
        let mut args = Vec::new();
        if self.eat('(') {
            while !self.eat(')') {
                args.push(self.one()?);
                self.eat(',');
                if self.rest.is_empty() {
                    return Err(format!("`{name}(` is not closed"));
                }
            }
        }
        named(&name, &args).ok_or_else(|| format!("`{name}` with {} parameters is not a type", args.len()))
    }
}

fn named(name: &str, args: &[Type]) -> Option<Type> {
    Some(match (name, args) {
        ("dyn", []) => Type::Dyn,
        ("any", []) => Type::Any,
        ("null", []) => Type::Null,
        ("bool", []) => Type::Bool,
        ("int", []) => Type::Int,
        ("uint", []) => Type::Uint,
        ("double", []) => Type::Double,
        ("string", []) => Type::String,
        ("bytes", []) => Type::Bytes,
        ("timestamp", []) => Type::Timestamp,
        ("duration", []) => Type::Duration,
        ("type", []) => Type::Type(None),
        ("type", [of]) => Type::type_of(of.clone()),
        ("list", [element]) => Type::list(element.clone()),
        ("map", [key, value]) => Type::map(key.clone(), value.clone()),
        ("optional_type", [value]) => Type::optional(value.clone()),
        ("wrapper", [of]) => Type::Wrapper(Arc::new(of.clone())),
        (param, []) if param.len() == 1 && param.bytes().all(|b| b.is_ascii_uppercase()) => {
            Type::Param(Str::from(param))
        }
        (name, []) if name.contains('.') => Type::named(name),
        _ => return None,
    })
}
