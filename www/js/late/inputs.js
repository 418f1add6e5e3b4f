// Types of the page's own inputs, by their label: those that are not objects of Kubernetes.
// In: nothing. Out: fields in the form of data/policies.json. Mirrors engine/src/load/settings.rs.

export const inputs = {
  Request: {
    context: ["#who", "who asks and for what"],
    flags: ["any", "`enableDeferredLoading: {enabled: true}`: context entries are loaded when they are first read"],
    variables: ["{}any", "values by the name of the variable: `request.dryRun`, `podCount`, an answer of the API"],
  },
  who: {
    username: ["string", "who asks: `jane`, or `system:serviceaccount:NAMESPACE:NAME`"],
    groups: ["[]string", "the groups of who asks"],
    roles: ["[]string", "the roles of who asks, as `NAMESPACE:NAME`"],
    clusterRoles: ["[]string", "the cluster roles of who asks"],
    operation: ["=CREATE,UPDATE,DELETE,CONNECT", "what is being done to the resources"],
    subresource: ["string", "the subresource that the request is for: `ephemeralcontainers`, `exec`, `deployments/scale`"],
    dryRun: ["boolean", "whether nothing would be kept"],
    namespaceLabels: ["{}string", "labels of every namespace that is not in Cluster"],
  },
};
