//! What `verifyImages` rules demand when a resource is validated: a digest, and that somebody has verified the image.
//!
//! In: the images of a resource. Out: the verdict in Kyverno's words.
//! Mirrors: pkg/engine/handlers/validation/validate_image.go.

use super::entries::{all_images, converted, entries, matching, references};
use super::metadata::verified_status;
use super::verify::applies;
use crate::context::JsonContext;
use crate::rules::{RuleResult, RuleType, Status, Subject, exceptions, properties};
use crate::trace::Trace;
use engine_json::Value;

/// Runs a rule that matched; nothing where none of the images is meant.
pub(crate) fn run<'a>(
    subject: &Subject<'a>,
    context: &mut JsonContext<'a>,
    trace: &mut Trace,
) -> Option<RuleResult> {
    if subject.operation == "DELETE" {
        return None;
    }
    let result = |status: Status, message: String| RuleResult::new(subject.rule, status, message);
    // Kyverno: what speaks before the images are looked at is a validation.
    let before =
        |status: Status, message: String| Some(result(status, message).with_type(RuleType::Validation));
    match matching(subject, context) {
        Err(error) => {
            let message = format!("failed to instantiate handler: {error}");
            return before(Status::Error, message);
        }
        Ok(images) if images.is_empty() => return None,
        Ok(_) => {}
    }
    if let Err((status, message)) = applies(subject, context, trace) {
        return before(status, message);
    }
    properties::over(subject.rule, context, |context| {
        if let Some(skipped) = exceptions::skip(subject, context, trace) {
            return Some(skipped.with_type(RuleType::Validation));
        }
        let (status, message) = check(subject, context).unwrap_or_else(|message| (Status::Fail, message));
        Some(result(status, message))
    })
}

fn check(subject: &Subject<'_>, context: &mut JsonContext<'_>) -> Result<(Status, String), String> {
    let images = all_images(subject, context)?;
    let (mut passed, mut skipped) = (0_usize, Vec::new());
    for entry in entries(&subject.rule.raw).iter().map(converted) {
        let flag = |key: &str| entry.get(key).and_then(Value::as_bool).unwrap_or(false);
        for image in &images {
            let text = image.reference.to_string();
            if !references(&entry, "imageReferences", &text) {
                continue;
            }
            if flag("verifyDigest") && image.reference.digest.is_empty() {
                return Err(format!("missing digest for {text}"));
            }
            if !flag("required") {
                continue;
            }
            match verified_status(subject, subject.resource, &text)?.as_str() {
                "fail" => return Err(format!("unverified image {text}")),
                "skip" => skipped.push(text),
                "pass" => passed += 1,
                _ => {}
            }
        }
    }
    Ok(match (passed, skipped.is_empty()) {
        (_, true) => (Status::Pass, "image verified".to_owned()),
        (0, false) => (Status::Skip, format!("image skipped, skipped images: {}", skipped.join(" "))),
        (_, false) => (Status::Pass, format!("image verified, skipped images: {}", skipped.join(" "))),
    })
}
