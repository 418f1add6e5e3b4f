//! Bindings of policies with a body.
//!
//! In: all that was read. Out: policies that know their bindings; in a cluster a warning for each that has none, and for each binding of
//! a policy that is not there.

use super::{Host, Loader};
use crate::diag::{Code, Severity};
use crate::policy::PolicyKind;
use engine_json::{Path, Value};

impl Loader {
    /// Tells policies with a body of the bindings of their group, once all are there.
    pub(super) fn settle_bindings(&mut self) {
        let given: Vec<&Value> = self.bundle.bindings.iter().map(|(_, value)| value).collect();
        for policy in self.bundle.policies.iter_mut().filter(|_| !given.is_empty()) {
            if let Some(bound) = policy.body.as_ref().and_then(|body| body.with_bindings(&given)) {
                policy.body = Some(bound);
            }
        }
        if self.host == Host::Cluster {
            self.name_unbound();
        }
    }

    /// Names policies and bindings that lack each other: in a cluster neither decides anything alone.
    fn name_unbound(&mut self) {
        let binding_of = |kind: &str| format!("{kind}Binding");
        let is_pair = |kind: &str, name: &str, binding: &Value| {
            binding.find_str(&["kind"]) == binding_of(kind)
                && binding.find_str(&["spec", "policyName"]) == name
        };
        let mut said = Vec::new();
        for policy in &self.bundle.policies {
            let PolicyKind::Extension(kind) = policy.kind else { continue };
            let is_bound = self.extension.kinds.iter().any(|row| row.kind == binding_of(kind));
            if !is_bound
                || self.bundle.bindings.iter().any(|(_, binding)| is_pair(kind, &policy.name, binding))
            {
                continue;
            }
            let message = format!(
                "no {kind}Binding of policy `{}` is given: without one it decides nothing",
                policy.name
            );
            said.push((policy.document, message));
        }
        for (document, binding) in &self.bundle.bindings {
            let policies = &self.bundle.policies;
            let name = binding.find_str(&["spec", "policyName"]);
            if !policies.iter().any(|policy| is_pair(policy.kind.as_str(), &policy.name, binding)) {
                let message = format!("no policy `{name}` is given: without it the binding decides nothing");
                said.push((*document, message));
            }
        }
        for (document, message) in said {
            self.say(document, &Path::root(), Code::Suspicious, Severity::Warning, message);
            if let Some(said) = self.diagnostics.last_mut() {
                said.hints.push("give it among the policies".to_owned());
            }
        }
    }
}
