//! Image references taken apart (Kyverno: `libs/image`).

use super::{held, one, opaque, text};
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host};
use engine_cel::value::{Equality, Opaque, Value};
use engine_values::image::registry::RegistryImage;
use std::any::Any;

/// The rows.
pub const ROWS: &[Function] = &[
    Function {
        name: "image",
        overloads: &[one("string_to_image_deprecated", "(string) -> kyverno.image", image)],
        note: "The image reference that a text is.",
        examples: &[("image('nginx').registry()", "\"index.docker.io\"")],
    },
    Function {
        name: "parseImageReference",
        overloads: &[one("string_to_image", "(string) -> kyverno.image", image)],
        note: "The image reference that a text is.",
        examples: &[("parseImageReference('ghcr.io/a/b:c').tag()", "\"c\"")],
    },
    Function {
        name: "isImage",
        overloads: &[one("is_image_string", "(string) -> bool", |_, value| {
            Ok(Value::Bool(RegistryImage::parse(text(&value)).is_ok()))
        })],
        note: "Whether a text is an image reference.",
        examples: &[("isImage('nginx')", "true"), ("isImage('A/b')", "false")],
    },
    Function {
        name: "containsDigest",
        overloads: &[one("image_contains_digest", "kyverno.image.() -> bool", |_, value| {
            Ok(Value::Bool(!read(&value)?.digest.is_empty()))
        })],
        note: "Whether the reference says a digest.",
        examples: &[("image('nginx').containsDigest()", "false")],
    },
    Function {
        name: "registry",
        overloads: &[one("image_registry", "kyverno.image.() -> string", |_, value| {
            Ok(Value::text(&read(&value)?.registry))
        })],
        note: "The registry, with its port.",
        examples: &[("image('ghcr.io/a/b').registry()", "\"ghcr.io\"")],
    },
    Function {
        name: "repository",
        overloads: &[one("image_repository", "kyverno.image.() -> string", |_, value| {
            Ok(Value::text(&read(&value)?.repository()))
        })],
        note: "The repository within the registry.",
        examples: &[("image('nginx').repository()", "\"library/nginx\"")],
    },
    Function {
        name: "identifier",
        overloads: &[one("image_identifier", "kyverno.image.() -> string", |_, value| {
            let image = read(&value)?;
            Ok(match (image.digest.as_str(), image.written_tag()) {
                ("", _) | (_, "") => Value::text(image.identifier()),
                (digest, tag) => Value::text(&format!("{tag}@{digest}")),
            })
        })],
        note: "The digest, or else the tag; both as `tag@digest` where both are written.",
        examples: &[("image('nginx').identifier()", "\"latest\"")],
    },
    Function {
        name: "identifierWithSeparator",
        overloads: &[one("image_identifier_with_separator", "kyverno.image.() -> string", |_, value| {
            let image = read(&value)?;
            let separator = if image.digest.is_empty() { ':' } else { '@' };
            Ok(Value::text(&format!("{separator}{}", image.identifier())))
        })],
        note: "The digest after `@`, or else the tag after `:`.",
        examples: &[("image('nginx:1.25').identifierWithSeparator()", "\":1.25\"")],
    },
    Function {
        name: "tag",
        overloads: &[one("image_tag", "kyverno.image.() -> string", |_, value| {
            Ok(Value::text(read(&value)?.written_tag()))
        })],
        note: "The tag; empty where a digest stands without one.",
        examples: &[("image('nginx:1.25').tag()", "\"1.25\"")],
    },
    Function {
        name: "digest",
        overloads: &[one("image_digest", "kyverno.image.() -> string", |_, value| {
            Ok(Value::text(&read(&value)?.digest))
        })],
        note: "The digest, or nothing.",
        examples: &[("image('nginx').digest()", "\"\"")],
    },
];

/// An image reference as a value.
#[derive(Debug)]
pub struct ImageValue(pub RegistryImage);

impl Opaque for ImageValue {
    fn type_name(&self) -> &'static str {
        "kyverno.image"
    }

    fn go_type(&self) -> &'static str {
        "image.Image"
    }

    // Kyverno: libs/image/impl.go; the type does not know itself.
    fn asked_type(&self) -> Result<&'static str, &'static str> {
        Err("type conversion error from 'kyverno.image' to 'type'")
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn equal(&self, other: &Value<'_>) -> Equality {
        read(other).map_or(Equality::NoOverload, |other| (self.0 == *other).into())
    }

    fn show(&self) -> String {
        self.0.original.clone()
    }
}

fn read<'a>(value: &'a Value<'_>) -> Result<&'a RegistryImage, Box<Error>> {
    held::<ImageValue>(value).map(|value| &value.0)
}

fn image<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    RegistryImage::parse(text(&value)).map(|image| opaque(ImageValue(image))).map_err(Error::text)
}
