//! Ways to values: how a field is read, whether it must be there.
//!
//! In: a value and a key. Out: `object.spec.?securityContext.?runAsUser`, and the test that it is there.

use crate::expressions::formula::{Formula, quoted};
use crate::expressions::types::Types;
use crate::named_kind::is_pod_or_controller;
use engine_compare::schema::{Schema, Shape};

/// A value that an expression reads.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "what is known of a value, each by itself")]
pub(crate) struct Access {
    /// As text, with `.?` before what need not be there.
    optional: String,
    /// As text, where all is there.
    plain: String,
    /// Whether something need not be there.
    is_optional: bool,
    /// Where it stands in objects; `None` where that is not known.
    path: Option<Vec<String>>,
    /// Whether no object has it, as it is of a field that a known kind has not.
    is_of_none: bool,
    /// The test that it is there, where all but the last step is there.
    has: Option<String>,
    /// Whether it is an object of the cluster, which has metadata.
    is_answer: bool,
    /// Whether it is an answer of the cluster, or a part of one.
    pub(crate) is_outside: bool,
    /// The keys of the text of which it is read, so that anything may stand there.
    parsed_of: Option<Vec<String>>,
    /// The test without which it is null: Kyverno gives a ConfigMap data that are null where it has none.
    pub(crate) null_unless: Option<Formula>,
    /// Whether its fields are read as `object['spec']`, which autogen leaves as it stands.
    pub(crate) is_written_apart: bool,
    /// The regular expression that its text stands for, where that has a variable.
    pub(crate) regex: Option<String>,
    /// Where an API server writes null for an empty list, what it is then.
    null_list: Option<NullList>,
    /// What is known of its form.
    pub(crate) shape: Option<Shape>,
}

/// A list for which an API server writes null where it is empty.
#[derive(Clone, Debug)]
struct NullList {
    /// That its key is there.
    has_key: Formula,
    /// That it is a list.
    there: Formula,
}

/// What is always there, below what. Of `oldObject` nothing is: for an object that is created it is null.
const ALWAYS: [(&str, &str); 5] = [
    ("object", "metadata"),
    ("object.metadata", "name"),
    ("object.spec", "containers"),
    ("oldObject.spec", "containers"),
    ("object", "kind"),
];

/// What is always there below the template of a controller.
const IN_TEMPLATES: [(&str, &str); 6] = [
    ("object.spec", "template"),
    ("object.spec.template", "spec"),
    ("object.spec.template.spec", "containers"),
    ("object.spec", "jobTemplate"),
    ("object.spec.jobTemplate", "spec"),
    ("object.spec.jobTemplate.spec", "template"),
];

impl Access {
    /// A value that is there.
    pub(crate) fn of(text: &str, shape: Option<Shape>) -> Self {
        Access {
            optional: text.into(),
            plain: text.into(),
            is_optional: false,
            has: None,
            shape,
            path: None,
            is_of_none: false,
            is_answer: false,
            is_outside: false,
            parsed_of: None,
            null_unless: None,
            is_written_apart: false,
            null_list: None,
            regex: None,
        }
    }

    /// A whole object.
    pub(crate) fn root(text: &str, shape: Option<Shape>) -> Self {
        Access { path: Some(Vec::new()), ..Access::of(text, shape) }
    }

    /// An object of the cluster, or a list of them.
    pub(crate) fn answer(text: &str, shape: Option<Shape>) -> Self {
        Access { is_answer: true, is_outside: true, ..Access::of(text, shape) }
    }

    /// A value that is read of a text.
    pub(crate) fn parsed(call: &str, text_at: Vec<String>) -> Self {
        Access { is_outside: true, parsed_of: Some(text_at), ..Access::of(call, Some(Shape::Any)) }
    }

    /// The same, of what objects may have: nothing is taken for granted of a field that no object has.
    pub(crate) fn path_of_some(&self) -> Option<&[String]> {
        self.path().filter(|_| !self.is_of_none)
    }

    /// The keys on the way from the root of the object.
    pub(crate) fn path(&self) -> Option<&[String]> {
        self.path.as_deref()
    }

    fn path_to(&self, key: &str) -> Option<Vec<String>> {
        self.path.as_ref().map(|path| path.iter().cloned().chain([key.to_owned()]).collect())
    }

    /// The shape of a field; all kinds have the same metadata.
    fn shape_of(&self, key: &str, schema: &Types<'_>) -> Option<Shape> {
        match &self.shape {
            Some(shape) => schema.field(shape, key),
            None if key == "metadata" && self.path().is_some_and(<[String]>::is_empty) => {
                Some(Schema::metadata())
            }
            None => None,
        }
    }

    /// A field of it.
    pub(crate) fn field(&self, key: &str, schema: &Types<'_>) -> Access {
        let shape = self.shape_of(key, schema);
        let path = self.path_to(key);
        let is_of_none = self.is_of_none || shape.is_none() && matches!(self.shape, Some(Shape::Object(_)));
        let is_outside = self.is_outside;
        let of_data = (self.is_config_map() && key == "data")
            .then(|| Formula::test(format!("has({}.data)", self.plain)));
        // A field of what is not a map is null.
        let of_parsed =
            self.parsed_of.is_some().then(|| Formula::equal(&format!("type({})", self.plain), "map"));
        let null_unless = match (self.null_unless.clone(), of_parsed) {
            (Some(one), Some(other)) => Some(Formula::and([one, other])),
            (one, other) => one.or(other).or(of_data),
        };
        let is_name = is_identifier(key) && !self.is_written_apart;
        let plain = if is_name {
            format!("{}.{key}", self.plain)
        } else {
            format!("{}[{}]", self.plain, quoted(key))
        };
        let is_certain = !self.is_optional && !is_of_none && self.is_certain(key);
        let optional = match (is_certain, is_name) {
            (true, _) => plain.clone(),
            (false, true) => format!("{}.?{key}", self.optional),
            (false, false) => format!("{}[?{}]", self.optional, quoted(key)),
        };
        let has = match (is_certain || self.is_optional, is_name) {
            (true, _) => None,
            (false, true) => Some(format!("has({plain})")),
            (false, false) => Some(format!("{} in {}", quoted(key), self.plain)),
        };
        Access {
            optional,
            plain,
            is_optional: !is_certain,
            has,
            shape,
            path,
            is_of_none,
            is_answer: false,
            is_outside,
            parsed_of: self.parsed_of.clone(),
            null_unless,
            is_written_apart: false,
            null_list: None,
            regex: None,
        }
    }

    fn is_certain(&self, key: &str) -> bool {
        let is_pod_like = matches!(&self.shape, Some(Shape::Object(_)));
        let is_of_container = self.is_container();
        let plain = self.plain.strip_prefix("request.").unwrap_or(&self.plain);
        (self.is_answer && key == "metadata")
            || ALWAYS.contains(&(plain, key))
            || (plain == "object" && key == "spec" && self.has_template())
            || (is_pod_like && IN_TEMPLATES.contains(&(plain, key)))
            || (is_of_container && matches!(key, "name" | "image"))
    }

    fn is_config_map(&self) -> bool {
        self.is_answer && matches!(&self.shape, Some(Shape::Object(name)) if name.ends_with("v1.ConfigMap"))
    }

    /// The name or the namespace of a Pod, read so that autogen reads it of the template, which need not have it; nothing of what else is read.
    // Kyverno: pkg/cel/autogen/replacement.go leaves `object.metadata.namespace` as it stands, and nothing else of the metadata.
    pub(crate) fn of_template(&self, key: &str, schema: &Types<'_>) -> Option<Access> {
        let is_metadata = matches!(self.plain.as_str(), "object.metadata" | "oldObject.metadata");
        match key {
            "namespace" if is_metadata => {
                Some(Access { is_written_apart: true, ..self.clone() }.field(key, schema))
            }
            "name" if is_metadata => Some(Access {
                optional: format!("{}.?{key}", self.optional),
                has: Some(format!("has({}.{key})", self.plain)),
                is_optional: true,
                ..self.field(key, schema)
            }),
            _ => None,
        }
    }

    /// Whether it is a container of a Pod.
    fn is_container(&self) -> bool {
        let Some(Shape::Object(name)) = &self.shape else { return false };
        !self.is_optional && matches!(name.rsplit('.').next(), Some("Container" | "EphemeralContainer"))
    }

    /// Whether it is a Pod or has the template of one, so that an API server asks for its `spec`.
    fn has_template(&self) -> bool {
        let name = match &self.shape {
            Some(Shape::Object(name)) => name.rsplit('.').next().unwrap_or(name),
            _ => return false,
        };
        name == "ReplicationController" || is_pod_or_controller(name)
    }

    /// The same, which may be null: `instead` says what its text becomes where that counts as an empty list.
    pub(crate) fn with_null(self, instead: &dyn Fn(&str) -> String) -> Access {
        let has_key = self.is_there();
        let is_list = |text: &str| Formula::Test(format!("{text} != null"), Some(format!("{text} == null")));
        let there = match (&self.has, self.is_optional) {
            (None, true) => is_list(&format!("{}.orValue(null)", self.optional)),
            _ => Formula::and([has_key.clone(), is_list(&self.plain)]),
        };
        let optional = instead(&format!("{} ? {} : []", there.text(), self.plain));
        Access { optional, null_list: Some(NullList { has_key, there }), is_optional: true, ..self }
    }

    /// The same, with the regular expression that its text stands for.
    pub(crate) fn with_regex(self, regex: String) -> Access {
        Access { regex: Some(regex), ..self }
    }

    /// The same, known to be of the cluster.
    pub(crate) fn outside(self) -> Access {
        Access { is_outside: true, ..self }
    }

    /// Whether null may stand for an empty list.
    pub(crate) fn may_be_null(&self) -> bool {
        self.null_list.is_some()
    }

    /// That its key is there, whatever it holds.
    pub(crate) fn has_key(&self) -> Formula {
        self.null_list.as_ref().map_or_else(|| self.is_there(), |list| list.has_key.clone())
    }

    /// That it is there.
    pub(crate) fn is_there(&self) -> Formula {
        if let Some(list) = &self.null_list {
            return list.there.clone();
        }
        match &self.has {
            _ if !self.is_optional => Formula::True,
            Some(has) => Formula::test(has.clone()),
            None => Formula::test(format!("{}.hasValue()", self.optional)),
        }
    }

    /// The keys of the text of which it is read, where anything may stand.
    pub(crate) fn parsed_of(&self) -> Option<&[String]> {
        self.parsed_of.as_deref()
    }

    /// That it is there, and not null for another reason.
    pub(crate) fn is_known(&self) -> Formula {
        Formula::and(self.null_unless.clone().into_iter().chain([self.is_there()]))
    }

    /// The text where it is known to be there.
    pub(crate) fn plain(&self) -> &str {
        &self.plain
    }

    /// The same, known to be there.
    pub(crate) fn known(&self) -> Access {
        Access {
            optional: self.plain.clone(),
            is_optional: false,
            has: None,
            null_list: None,
            ..self.clone()
        }
    }

    /// The text, with this value where it is not there.
    pub(crate) fn or(&self, absent: &str) -> String {
        if self.null_list.is_some() {
            return self.optional.clone();
        }
        if self.is_optional { format!("{}.orValue({absent})", self.optional) } else { self.plain.clone() }
    }

    /// As an element of a list that is written, which is left out where it is not there.
    pub(crate) fn entry(&self) -> String {
        if self.is_optional { format!("?{}", self.optional) } else { self.plain.clone() }
    }

    /// Whether it need not be there.
    pub(crate) fn is_optional(&self) -> bool {
        self.is_optional
    }

    /// An element of it, by its place.
    pub(crate) fn index(&self, at: i64) -> Access {
        Access {
            optional: format!("{}[?{at}]", self.optional),
            plain: format!("{}[{at}]", self.plain),
            is_optional: true,
            has: None,
            shape: self.shape.as_ref().and_then(Schema::element),
            path: self.path_to("[]"),
            is_of_none: self.is_of_none,
            is_answer: self.is_answer,
            is_outside: self.is_outside,
            parsed_of: self.parsed_of.clone(),
            null_unless: self.null_unless.clone(),
            is_written_apart: false,
            null_list: None,
            regex: None,
        }
    }

    /// An element of it, under a name.
    pub(crate) fn element(&self, name: &str) -> Access {
        let (is_answer, is_outside) = (self.is_answer, self.is_outside);
        let of = Access::of(name, self.shape.as_ref().and_then(Schema::element));
        Access { path: self.path_to("[]"), is_of_none: self.is_of_none, is_answer, is_outside, ..of }
    }

    /// A field whose key an expression gives.
    pub(crate) fn at_key(&self, key: &str) -> Access {
        let shape = match &self.shape {
            Some(Shape::Map(inner)) => Some((**inner).clone()),
            _ => None,
        };
        Access {
            optional: format!("{}[?{key}]", self.optional),
            plain: format!("{}[{key}]", self.plain),
            is_optional: true,
            has: (!self.is_optional).then(|| format!("{key} in {}", self.plain)),
            shape,
            path: None,
            is_of_none: self.is_of_none,
            is_answer: false,
            is_outside: self.is_outside,
            parsed_of: self.parsed_of.clone(),
            null_unless: self.null_unless.clone(),
            is_written_apart: false,
            null_list: None,
            regex: None,
        }
    }

    /// A name for its elements.
    pub(crate) fn element_name(&self) -> String {
        let last = self.plain.rsplit('.').next().unwrap_or("item");
        let known = match last {
            "initContainers" | "ephemeralContainers" | "allContainers" => Some("container".to_owned()),
            // Of capabilities.
            "add" | "drop" => Some("capability".to_owned()),
            _ => None,
        };
        let stem = last.strip_suffix("ies").map(|stem| format!("{stem}y"));
        let stem = stem.or_else(|| last.strip_suffix("sses").map(|stem| format!("{stem}ss")));
        let stem = stem.or_else(|| last.strip_suffix('s').map(str::to_owned));
        let name = known.or(stem.filter(|stem| is_identifier(stem))).unwrap_or_else(|| "item".to_owned());
        if !self.is_outside {
            return name;
        }
        // The object of the request has elements of the same names.
        let mut letters = name.chars();
        letters.next().map_or_else(String::new, |first| {
            format!("other{}{}", first.to_ascii_uppercase(), letters.as_str())
        })
    }
}

/// Words that are not names in CEL.
const RESERVED: [&str; 21] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// Whether a key may be written after a dot.
pub(crate) fn is_identifier(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && (!RESERVED.contains(&text) || text == "namespace")
}
