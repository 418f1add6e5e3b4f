//! The types that have a name: what can be selected from them.

pub use crate::functions::native::VARIABLES;
use engine_cel::env::{Env, Identifier, TypeKind};
use engine_cel::types::Type;
use engine_json::Str;
use engine_json::ordered::OrderedMap;

/// The type of `request`.
pub const REQUEST: &str = "kubernetes.AdmissionRequest";

/// The same where Kubernetes' own compiler makes it.
pub const ADMISSION_VARIABLES: &str = "kubernetes.variables";

/// Types from which nothing can be selected.
const OPAQUE: &[&str] = &[
    "resource.Context",
    "http.Context",
    "globalcontext.Context",
    "imagedata.Context",
    "json.Json",
    "yaml.Yaml",
    "kyverno.image",
    "schema.GroupVersionResource",
    "net.IP",
    "net.CIDR",
];

/// Types that cel-go takes for objects whose fields nobody declares.
const UNDECLARED: &[&str] = &[
    "kubernetes.URL",
    "kubernetes.Quantity",
    "kubernetes.Semver",
    "kubernetes.NamedFormat",
    "kubernetes.authorization.Authorizer",
    "kubernetes.authorization.PathCheck",
    "kubernetes.authorization.GroupCheck",
    "kubernetes.authorization.ResourceCheck",
    "kubernetes.authorization.Decision",
];

/// Types with fields, each `name: type`.
// Kyverno: pkg/cel/compiler/types.go; the fields of the namespace are those of Go's structure where no JSON name is asked.
const STRUCTS: &[(&str, &[(&str, &str)])] = &[
    (
        REQUEST,
        &[
            ("kind", "kubernetes.GroupVersionKind"),
            ("requestKind", "kubernetes.GroupVersionKind"),
            ("resource", "kubernetes.GroupVersionResource"),
            ("requestResource", "kubernetes.GroupVersionResource"),
            ("subResource", "string"),
            ("requestSubResource", "string"),
            ("name", "string"),
            ("namespace", "string"),
            ("operation", "string"),
            ("userInfo", "kubernetes.UserInfo"),
            ("dryRun", "bool"),
            ("options", "dyn"),
            ("object", "dyn"),
            ("oldObject", "dyn"),
        ],
    ),
    ("kubernetes.GroupVersionKind", &[("group", "string"), ("version", "string"), ("kind", "string")]),
    (
        "kubernetes.GroupVersionResource",
        &[("group", "string"), ("version", "string"), ("resource", "string")],
    ),
    (
        "kubernetes.UserInfo",
        &[
            ("username", "string"),
            ("uid", "string"),
            ("groups", "list(string)"),
            ("extra", "map(string, list(string))"),
        ],
    ),
    (
        "kubernetes.Namespace",
        &[
            ("metadata", "kubernetes.NamespaceMetadata"),
            ("spec", "kubernetes.NamespaceSpec"),
            ("status", "kubernetes.NamespaceStatus"),
        ],
    ),
    (
        "kubernetes.NamespaceMetadata",
        &[
            ("name", "string"),
            ("generateName", "string"),
            ("namespace", "string"),
            ("labels", "map(string, string)"),
            ("annotations", "map(string, string)"),
            ("UID", "string"),
            ("creationTimestamp", "timestamp"),
            ("deletionGracePeriodSeconds", "int"),
            ("deletionTimestamp", "timestamp"),
            ("generation", "int"),
            ("resourceVersion", "string"),
            ("finalizers", "list(string)"),
        ],
    ),
    ("kubernetes.NamespaceSpec", &[("finalizers", "list(string)")]),
    (
        "kubernetes.NamespaceStatus",
        &[("conditions", "list(kubernetes.NamespaceCondition)"), ("phase", "string")],
    ),
    (
        "kubernetes.NamespaceCondition",
        &[
            ("status", "string"),
            ("type", "string"),
            ("lastTransitionTime", "timestamp"),
            ("message", "string"),
            ("reason", "string"),
        ],
    ),
    (VARIABLES, &[]),
    (ADMISSION_VARIABLES, &[]),
    ("libs.Exception", &[("allowedImages", "list(string)"), ("allowedValues", "list(string)")]),
    ("user.ServiceAccount", &[("Name", "string"), ("Namespace", "string")]),
];

/// Types that stand for themselves as values.
const VALUES: &[&str] = &["net.IP", "net.CIDR"];

/// The environment with all types.
pub(super) fn declare(mut env: Env) -> Result<Env, String> {
    for name in OPAQUE {
        env = env.with_type(name, TypeKind::Opaque);
    }
    for name in UNDECLARED {
        env = env.with_type(name, TypeKind::Undeclared);
    }
    for (name, fields) in STRUCTS {
        let fields = fields.iter().map(|(field, of)| Ok((Str::from(*field), Type::parse(of)?)));
        let fields = fields.collect::<Result<OrderedMap<_, _>, String>>()?;
        env = env.with_type(name, TypeKind::Struct(fields));
    }
    for name in VALUES {
        env = env.with_identifier(name, Identifier::Type(Type::named(name)));
    }
    Ok(env)
}

/// The environment in which requests do not hold the objects.
// Kubernetes: BuildRequestType leaves them out.
pub(super) fn without_objects(env: Env) -> Env {
    let Some(TypeKind::Struct(fields)) = env.type_kind(REQUEST) else { return env };
    let mut fields = fields.clone();
    fields.remove("object");
    fields.remove("oldObject");
    env.with_type(REQUEST, TypeKind::Struct(fields))
}

/// The type under which Kubernetes keeps a variable: what it has no declaration for may be anything.
// Kubernetes: apiserver/pkg/admission/plugin/cel/composition.go convertCelTypeToDeclType.
pub(super) fn declared(of: Type) -> Type {
    match of {
        Type::Any
        | Type::Bool
        | Type::Bytes
        | Type::Double
        | Type::Duration
        | Type::Int
        | Type::Null
        | Type::String
        | Type::Timestamp
        | Type::Uint => of,
        Type::List(element) => Type::list(declared((*element).clone())),
        Type::Map(entry) => Type::map(declared(entry.0.clone()), declared(entry.1.clone())),
        _ => Type::Dyn,
    }
}

/// The environment with a further field of a type that has fields.
pub(super) fn with_field(env: Env, of: &str, field: &str, is: Type) -> Env {
    let mut fields = match env.type_kind(of) {
        Some(TypeKind::Struct(fields)) => fields.clone(),
        _ => OrderedMap::new(),
    };
    fields.insert(Str::from(field), is);
    env.with_type(of, TypeKind::Struct(fields))
}
