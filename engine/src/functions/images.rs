//! `image_normalize`: an image reference with registry and tag.
//!
//! Example: `image_normalize('nginx')` is `docker.io/nginx:latest`.

use super::arguments::{failed, text};
use crate::value::image::{ImageRef, ImageSettings};
use engine_jmespath::{Arg, Argument, Call, EvalError, Function, Kind};
use engine_json::Value;

pub(super) const FUNCTIONS: &[Function] = &[Function {
    name: "image_normalize",
    args: &[Arg::STRING],
    returns: &[Kind::String],
    note: "the image with the registry and the tag that it has by default",
    examples: &[
        ("image_normalize('nginx')", "\"docker.io/nginx:latest\""),
        ("image_normalize('ghcr.io/org/app:v1')", "\"ghcr.io/org/app:v1\""),
    ],
    run: image_normalize,
}];

fn image_normalize(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let image = text("image_normalize", arguments, 0)?;
    call.charge(image.len() / 4)?;
    let image = ImageRef::parse(image, &ImageSettings::default());
    image.map(|image| Value::from(image.to_string())).map_err(|error| failed("image_normalize", error))
}
