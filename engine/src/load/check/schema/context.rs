//! Tables of context entries.

use super::{Also, Field, Kind, Struct, any, field, flag, plain, pointer, text, texts};

static CONFIG_MAP: Struct = plain(&[text("name").required(), text("namespace")]);

static REQUEST_DATA: Struct = plain(&[text("key").required(), any("value").required()]);

static HEADER: Struct = plain(&[text("key").required(), text("value").required()]);

static SERVICE: Struct =
    plain(&[text("url").required(), field("headers", Kind::Structs(&HEADER)), text("caBundle").always()]);

/// `ContextAPICall`.
static API_CALL: Struct = plain(&[
    text("urlPath").always(),
    field("method", Kind::OneOf(&["GET", "POST"])).or("GET"),
    field("data", Kind::Structs(&REQUEST_DATA)),
    pointer("service", &SERVICE),
    any("default"),
    text("jmesPath"),
]);

/// `ImageRegistryCredentials`.
pub(super) static CREDENTIALS: Struct = plain(&[
    flag("allowInsecureRegistry"),
    field("providers", Kind::List(&Kind::OneOf(&["default", "amazon", "azure", "google", "github"]))),
    texts("secrets"),
]);

static IMAGE_REGISTRY: Struct = plain(&[
    text("reference").required(),
    text("jmesPath"),
    pointer("imageRegistryCredentials", &CREDENTIALS),
]);

static VARIABLE: Struct = plain(&[any("value"), text("jmesPath"), any("default")]);

static GLOBAL_REFERENCE: Struct = plain(&[text("name").required(), text("jmesPath")]);

/// `ContextEntry`.
static ENTRY: Struct = Struct {
    fields: &[
        text("name").required(),
        pointer("configMap", &CONFIG_MAP),
        pointer("apiCall", &API_CALL),
        pointer("imageRegistry", &IMAGE_REGISTRY),
        pointer("variable", &VARIABLE),
        pointer("globalReference", &GLOBAL_REFERENCE),
    ],
    also: Also::ExactlyOne(&["configMap", "apiCall", "imageRegistry", "variable", "globalReference"]),
};

/// `context`.
pub(super) const CONTEXT: Field = field("context", Kind::Structs(&ENTRY));
