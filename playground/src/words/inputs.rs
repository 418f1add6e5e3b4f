//! The words of the text fields, which the views that load late say as well.

/// One text field.
pub(crate) struct Input {
    /// The tab's words.
    pub(crate) title: &'static str,
    /// What it is for.
    pub(crate) about: &'static str,
    /// What an empty one shows in grey: the shape that is expected.
    pub(crate) example: &'static str,
}

pub(crate) const POLICY: Input = Input {
    title: "Policies",
    about: "Kyverno policies, one or many YAML documents",
    example: "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata:\n  name: my-policy\nspec:\n  rules: …",
};

pub(crate) const EXCEPTIONS: Input = Input {
    title: "Exceptions",
    about: "PolicyExceptions",
    example: "apiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata:\n  name: my-exception\n  namespace: default\nspec:\n  exceptions:\n    - policyName: my-policy\n      ruleNames: [my-rule]\n  match:\n    any:\n      - resources:\n          kinds: [Pod]\n          names: [my-pod]",
};

pub(crate) const CONTEXT: Input = Input {
    title: "Request",
    about: "Who asks and for what: user, groups, roles, operation, subresource; variables that stand in for API calls",
    example: "context:\n  username: jane\n  groups: [developers]\n  roles: []\n  clusterRoles: []\n  operation: CREATE\n  subresource: ''\n  namespaceLabels:\n    team: shop\nvariables:\n  podCount: 3",
};

pub(crate) const CONFIG: Input = Input {
    title: "Kyverno config",
    about: "Kyverno's own ConfigMap: resource filters, excluded groups",
    example: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kyverno\n  namespace: kyverno\ndata:\n  resourceFilters: '[*/*,kube-system,*]'",
};

pub(crate) const DEFINITIONS: Input = Input {
    title: "CRDs",
    about: "CustomResourceDefinitions; never required",
    example: "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: things.example.com\nspec: …",
};

pub(crate) const NEW_POLICY: Input = Input {
    title: "New policies",
    about: "Policies that are to take the place of those in Policies: Compare looks for an object that they decide differently",
    example: "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata:\n  name: my-policy\nspec:\n  validations: …",
};

pub(crate) const RESOURCE: Input = Input {
    title: "Resources",
    about: "The resources that are evaluated, one or many YAML documents",
    example: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: my-pod\nspec:\n  containers: …",
};

pub(crate) const OLD_RESOURCE: Input = Input {
    title: "Old resources",
    about: "The resources as they were before an update",
    example: "# The same names as in Resources, as they were before the update.\n# Set operation: UPDATE in Request.",
};

pub(crate) const CLUSTER: Input = Input {
    title: "Cluster",
    about: "What is in the cluster already: Namespaces with labels, ConfigMaps, objects to clone",
    example: "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n  labels:\n    team: storefront",
};

pub(crate) const IMAGE_DATA: Input = Input {
    title: "Image data",
    about: "What registries would say of images, by reference: nothing is fetched",
    example: "ghcr.io/shop/web:1.2:\n  registry: ghcr.io\n  repository: shop/web\n  identifier: '1.2'\n  resolvedImage: ghcr.io/shop/web@sha256:…\n  manifest: {}\n  configData:\n    config:\n      User: '1000'",
};
