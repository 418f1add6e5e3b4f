//! What the Playground knows beside a resource: its Namespace among the objects of the cluster, and the resource as it was.
//!
//! In: a resource as its policies see it. Out: the same with both, where they are given.

use super::cluster::whole_namespace;
use super::labels::of as labels_of;
use super::subject::Subject;
use engine::body::Asked;
use engine::load::Host;
use engine::resource::{Gvk, is_cluster_scoped};

impl Subject {
    /// The same with what is given beside the resource, for a host that has inputs for it.
    // The Playground: Namespaces come from its cluster resources, and an update has the old resource.
    #[must_use]
    pub fn beside(mut self, asked: &Asked<'_>) -> Self {
        if asked.host != Host::Playground {
            return self;
        }
        let resource = asked.resource;
        let name = resource.namespace();
        let namespace = asked.objects.find_in_cluster(&Gvk::new("v1", "Namespace"), "", name);
        if let Some(namespace) =
            namespace.filter(|_| !is_cluster_scoped(resource.api_version(), resource.kind()))
        {
            let labels = labels_of(&namespace.value);
            self.namespace = whole_namespace(Some(&namespace.typed), name, &labels);
            self.namespace_labels = labels;
        }
        let old = asked.old_objects.first(&resource.gvk, name, resource.name());
        if let Some(old) = old.filter(|_| self.operation == "UPDATE") {
            self.old_object = old.typed.clone();
            if let Some(request) = self.request.object_mut() {
                request.insert("oldObject", old.typed.clone());
            }
        }
        self
    }
}
