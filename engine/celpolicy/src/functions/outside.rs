//! What functions ask of a cluster, a registry or a server (Kyverno: `libs/resource`, `http`, `globalcontext`, `imagedata`).
//!
//! In: a call, its first argument one of the variables `resource`, `http`, `globalContext`, `image`. Out: what whoever
//! evaluates answers; where there is no answer an error that says so, so that nothing passes for want of one.

use super::{held, many};
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host, Outside};
use engine_cel::value::{Equality, Opaque, Value};
use std::any::Any;

/// An overload that asks.
macro_rules! asked {
    ($id:literal, $signature:literal, $question:literal) => {
        many($id, $signature, |host, args| ask(host.outside, $question, args.get(1..).unwrap_or_default()))
    };
}

/// The same functions, written with a capital letter and without.
macro_rules! both {
    ($pascal:literal, $camel:literal, $overloads_pascal:expr, $overloads_camel:expr, $note:literal) => {
        [
            Function { name: $pascal, overloads: $overloads_pascal, note: $note, examples: &[] },
            Function { name: $camel, overloads: $overloads_camel, note: $note, examples: &[] },
        ]
    };
}

/// `resource.get`, `list`, `post`, `toGVR`, for policies of the whole cluster.
pub const RESOURCE: [&[Function]; 4] = [
    &both!(
        "Get",
        "get",
        &[
            asked!(
                "resource_get_string_string_string_string_pascal",
                "resource.Context.(string, string, string, string) -> map(string, any)",
                "resource.get"
            ),
            asked!(
                "resource_get_gvr_string_string_pascal",
                "resource.Context.(schema.GroupVersionResource, string, string) -> map(string, any)",
                "resource.get"
            ),
        ],
        &[
            asked!(
                "resource_get_string_string_string_string_camel",
                "resource.Context.(string, string, string, string) -> map(string, any)",
                "resource.get"
            ),
            asked!(
                "resource_get_gvr_string_string_camel",
                "resource.Context.(schema.GroupVersionResource, string, string) -> map(string, any)",
                "resource.get"
            ),
        ],
        "An object of the cluster: by API version, resource, namespace and name."
    ),
    &both!(
        "List",
        "list",
        &[
            asked!(
                "resource_list_string_string_string_pascal",
                "resource.Context.(string, string, string) -> map(string, any)",
                "resource.list"
            ),
            asked!(
                "resource_list_string_string_string_map_pascal",
                "resource.Context.(string, string, string, map(string, string)) -> map(string, any)",
                "resource.list"
            ),
            asked!(
                "list_resources_gvr_string_pascal",
                "resource.Context.(schema.GroupVersionResource, string) -> map(string, any)",
                "resource.list"
            ),
            asked!(
                "list_resources_gvr_string_map_pascal",
                "resource.Context.(schema.GroupVersionResource, string, map(string, string)) -> map(string, any)",
                "resource.list"
            ),
        ],
        &[
            asked!(
                "resource_list_string_string_string_camel",
                "resource.Context.(string, string, string) -> map(string, any)",
                "resource.list"
            ),
            asked!(
                "resource_list_string_string_string_map_camel",
                "resource.Context.(string, string, string, map(string, string)) -> map(string, any)",
                "resource.list"
            ),
            asked!(
                "list_resources_gvr_string_camel",
                "resource.Context.(schema.GroupVersionResource, string) -> map(string, any)",
                "resource.list"
            ),
            asked!(
                "list_resources_gvr_string_map_camel",
                "resource.Context.(schema.GroupVersionResource, string, map(string, string)) -> map(string, any)",
                "resource.list"
            ),
        ],
        "Objects of the cluster: by API version, resource and namespace, and labels."
    ),
    &both!(
        "Post",
        "post",
        &[
            asked!(
                "resource_post_string_string_string_map_pascal",
                "resource.Context.(string, string, string, map(string, any)) -> map(string, any)",
                "resource.post"
            ),
            asked!(
                "resource_post_string_string_map_pascal",
                "resource.Context.(string, string, map(string, any)) -> map(string, any)",
                "resource.post"
            ),
        ],
        &[
            asked!(
                "resource_post_string_string_string_map_camel",
                "resource.Context.(string, string, string, map(string, any)) -> map(string, any)",
                "resource.post"
            ),
            asked!(
                "resource_post_string_string_map_camel",
                "resource.Context.(string, string, map(string, any)) -> map(string, any)",
                "resource.post"
            ),
        ],
        "What the cluster answers to an object that is sent to it, which it does not keep."
    ),
    &both!(
        "ToGVR",
        "toGVR",
        &[asked!(
            "convert_to_gvr_string_string_pascal",
            "resource.Context.(string, string) -> schema.GroupVersionResource",
            "resource.toGVR"
        )],
        &[asked!(
            "convert_to_gvr_string_string_camel",
            "resource.Context.(string, string) -> schema.GroupVersionResource",
            "resource.toGVR"
        )],
        "The resource of an API version and a kind."
    ),
];

/// The same for policies of one namespace, which ask about no other.
pub const NAMESPACED_RESOURCE: [&[Function]; 4] = [
    &both!(
        "Get",
        "get",
        &[
            asked!(
                "resource_get_string_string_string_pascal",
                "resource.Context.(string, string, string) -> map(string, any)",
                "resource.getHere"
            ),
            asked!(
                "resource_get_gvr_string_pascal",
                "resource.Context.(schema.GroupVersionResource, string) -> map(string, any)",
                "resource.getHere"
            ),
        ],
        &[
            asked!(
                "resource_get_string_string_string_camel",
                "resource.Context.(string, string, string) -> map(string, any)",
                "resource.getHere"
            ),
            asked!(
                "resource_get_gvr_string_camel",
                "resource.Context.(schema.GroupVersionResource, string) -> map(string, any)",
                "resource.getHere"
            ),
        ],
        "An object of the policy's namespace: by API version, resource and name."
    ),
    &both!(
        "List",
        "list",
        &[
            asked!(
                "resource_list_string_string_pascal",
                "resource.Context.(string, string) -> map(string, any)",
                "resource.listHere"
            ),
            asked!(
                "resource_list_string_string_map_pascal",
                "resource.Context.(string, string, map(string, string)) -> map(string, any)",
                "resource.listHere"
            ),
            asked!(
                "list_resources_gvr_pascal",
                "resource.Context.(schema.GroupVersionResource) -> map(string, any)",
                "resource.listHere"
            ),
            asked!(
                "list_resources_gvr_map_pascal",
                "resource.Context.(schema.GroupVersionResource, map(string, string)) -> map(string, any)",
                "resource.listHere"
            ),
        ],
        &[
            asked!(
                "resource_list_string_string_camel",
                "resource.Context.(string, string) -> map(string, any)",
                "resource.listHere"
            ),
            asked!(
                "resource_list_string_string_map_camel",
                "resource.Context.(string, string, map(string, string)) -> map(string, any)",
                "resource.listHere"
            ),
            asked!(
                "list_resources_gvr_camel",
                "resource.Context.(schema.GroupVersionResource) -> map(string, any)",
                "resource.listHere"
            ),
            asked!(
                "list_resources_gvr_map_camel",
                "resource.Context.(schema.GroupVersionResource, map(string, string)) -> map(string, any)",
                "resource.listHere"
            ),
        ],
        "Objects of the policy's namespace: by API version and resource, and labels."
    ),
    &both!(
        "Post",
        "post",
        &[asked!(
            "resource_post_string_string_map_pascal",
            "resource.Context.(string, string, map(string, any)) -> map(string, any)",
            "resource.post"
        )],
        &[asked!(
            "resource_post_string_string_map_camel",
            "resource.Context.(string, string, map(string, any)) -> map(string, any)",
            "resource.post"
        )],
        "What the cluster answers to an object that is sent to it, which it does not keep."
    ),
    &both!(
        "ToGVR",
        "toGVR",
        &[asked!(
            "convert_to_gvr_string_string_pascal",
            "resource.Context.(string, string) -> schema.GroupVersionResource",
            "resource.toGVR"
        )],
        &[asked!(
            "convert_to_gvr_string_string_camel",
            "resource.Context.(string, string) -> schema.GroupVersionResource",
            "resource.toGVR"
        )],
        "The resource of an API version and a kind."
    ),
];

/// `globalContext.get`.
pub const GLOBAL_CONTEXT: &[Function] = &both!(
    "Get",
    "get",
    &[
        asked!(
            "globalcontext_get_string_pascal",
            "globalcontext.Context.(string) -> dyn",
            "globalContext.get"
        ),
        asked!(
            "globalcontext_get_string_string_pascal",
            "globalcontext.Context.(string, string) -> dyn",
            "globalContext.get"
        ),
    ],
    &[
        asked!(
            "globalcontext_get_string_camel",
            "globalcontext.Context.(string) -> dyn",
            "globalContext.get"
        ),
        asked!(
            "globalcontext_get_string_string_camel",
            "globalcontext.Context.(string, string) -> dyn",
            "globalContext.get"
        ),
    ],
    "What a GlobalContextEntry holds, or one of its projections."
);

/// `image.getMetadata`.
pub const IMAGE_DATA: &[Function] = &both!(
    "GetMetadata",
    "getMetadata",
    &[asked!("imagedata_get_string_pascal", "imagedata.Context.(string) -> dyn", "image.getMetadata")],
    &[asked!("imagedata_get_string_camel", "imagedata.Context.(string) -> dyn", "image.getMetadata")],
    "What a registry knows of an image."
);

/// `http.get`, `post`, `client`.
pub const HTTP: [&[Function]; 3] = [
    &both!(
        "Get",
        "get",
        &[
            asked!("http_get_string_pascal", "http.Context.(string) -> any", "http.get"),
            asked!(
                "http_get_string_headers_pascal",
                "http.Context.(string, map(string, string)) -> any",
                "http.get"
            ),
        ],
        &[
            asked!("http_get_string_camel", "http.Context.(string) -> any", "http.get"),
            asked!(
                "http_get_string_headers_camel",
                "http.Context.(string, map(string, string)) -> any",
                "http.get"
            ),
        ],
        "What a server answers at a URL."
    ),
    &both!(
        "Post",
        "post",
        &[
            asked!("http_post_string_any_pascal", "http.Context.(string, any) -> any", "http.post"),
            asked!(
                "http_post_string_any_headers_pascal",
                "http.Context.(string, any, map(string, string)) -> any",
                "http.post"
            ),
        ],
        &[
            asked!("http_post_string_any_camel", "http.Context.(string, any) -> any", "http.post"),
            asked!(
                "http_post_string_any_headers_camel",
                "http.Context.(string, any, map(string, string)) -> any",
                "http.post"
            ),
        ],
        "What a server answers to a body that is sent to it."
    ),
    &both!(
        "Client",
        "client",
        &[asked!("http_client_string_pascal", "http.Context.(string) -> http.Context", "http.client")],
        &[asked!("http_client_string_camel", "http.Context.(string) -> http.Context", "http.client")],
        "`http` with an authority of its own, given as PEM."
    ),
];

/// The answer to a question; without anybody to ask, an error that says so.
pub(super) fn ask(outside: Option<&dyn Outside>, question: &str, args: &[Value<'_>]) -> Outcome<'static> {
    match outside {
        Some(outside) => outside.ask(question, args),
        None => Err(Error::text(format!("{question}: not decided, the answer is not known here"))),
    }
}

/// A variable that only its functions know what to do with: `json`, `resource`.
#[derive(Debug)]
pub struct Handle {
    /// The name of its type: `resource.Context`.
    pub type_name: &'static str,
}

impl Opaque for Handle {
    fn type_name(&self) -> &'static str {
        self.type_name
    }

    fn go_type(&self) -> &'static str {
        "*ext.nativeObj"
    }

    fn is_struct(&self) -> bool {
        true
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn equal(&self, other: &Value<'_>) -> Equality {
        held::<Handle>(other).is_ok_and(|other| self.type_name == other.type_name).into()
    }
}

/// Now.
pub(super) fn now(host: &Host<'_>) -> Outcome<'static> {
    ask(host.outside, "time.now", &[])
}
