//! What a comparison takes for granted, in lines below its grade.
//!
//! In: what both sides are compared by. Out: the lines.

use crate::compare::Options;
use crate::objects::kinds::Target;
use crate::objects::schema::Schema;
use crate::objects::subresources::Subresource;
use crate::plain_values::PlainValue;
use crate::reads::Reads;
use crate::search::cluster::Asked;
use crate::sides::side::{Actions, Side};
use engine_json::Value;
use std::collections::BTreeSet;

/// What a comparison is made by.
pub(crate) struct About<'c, 'w> {
    /// Both sides.
    pub(crate) sides: &'c [Side<'w>; 2],
    /// With the operations that are tried.
    pub(crate) options: &'c Options,
    /// The fields of kinds.
    pub(crate) schema: &'c Schema,
    /// What both sides read.
    pub(crate) reads: &'c Reads,
    /// The kinds that are tried.
    pub(crate) kinds: &'c [Target],
    /// Subresources that are tried.
    pub(crate) named: &'c [&'static Subresource],
    /// What is not tried.
    pub(crate) left_out: &'c BTreeSet<String>,
    /// Objects that are given, as parameters or otherwise.
    pub(crate) parameters: &'c [Value],
}

impl About<'_, '_> {
    /// What is taken for granted.
    pub(crate) fn assumptions(&self) -> Vec<String> {
        let About { options, reads, .. } = self;
        let list = |items: Vec<String>| items.join(", ");
        let operations =
            list(options.operations.iter().map(|operation| operation.as_str().to_owned()).collect());
        let kinds = list(self.kinds.iter().map(|kind| format!("{} {}", kind.version, kind.kind)).collect());
        let mut all = vec![
            format!("operations: {operations}"),
            "fields: those of Kubernetes 1.32, never null but empty lists that an API server writes so; a difference counts only if it exists both as written and with an API server's defaults"
                .to_owned(),
            "users: one without roles, and each user, group and role that a policy names; the cluster holds the Namespace, and objects that policies ask for".to_owned(),
        ];
        if !self.kinds.is_empty() {
            let has_pods = self.kinds.iter().any(|target| target.kind == "Pod");
            let controllers = if has_pods { ", and controllers where Pods are among them" } else { "" };
            all.insert(1, format!("kinds: {kinds}{controllers}"));
        }
        if !self.named.is_empty() {
            let of = |of: &&Subresource| format!("{} ({} {})", of.path(), of.operation.as_str(), of.object.1);
            all.push(format!("subresources: {}", list(self.named.iter().map(of).collect())));
        }
        all.extend(reads.parameters.iter().filter_map(|step| self.parameter(step)));
        if options.actions == Actions::Enforced {
            all.push("every policy is compared as if it enforced (--enforced)".to_owned());
        }
        all.extend(
            options
                .field_types
                .iter()
                .map(|one| format!("of kinds without a known schema: {}", one.describe())),
        );
        all.extend(options.ignored_gaps.iter().map(|gap| format!("not counted: {}", gap.explanation())));
        if options.has_readable_images {
            all.push("images: those that can be pulled, by no digest of SHA-512".to_owned());
        }
        all.extend(options.plain_values.iter().map(PlainValue::describe));
        all.extend(self.sides.iter().flat_map(Side::expressions_in_error));
        all.extend(self.sides.iter().flat_map(|side| side.added.iter().cloned()));
        all.extend(reads.fixed.iter().map(|what| format!("not varied: {what}")));
        all.extend(reads.outside.iter().map(|what| format!("not varied: {what}")));
        all.extend(self.left_out.iter().map(|what| format!("left out: {what}")));
        all
    }

    /// Which parameters are taken where policies ask for these.
    fn parameter(&self, step: &str) -> Option<String> {
        let asked = Asked::of_step(step)?;
        let what = asked.describe(self.schema, self.reads);
        let target = asked.target(self.schema, self.reads);
        let is_given = self.parameters.iter().any(|object| target.is_of(object));
        Some(if is_given {
            format!("parameters: {what}, as given")
        } else {
            format!("parameters: {what}, made with values around what policies read of it, and none")
        })
    }
}
