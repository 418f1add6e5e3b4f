// The names that an expression may begin with, and what stands below them.
// In: nothing. Out: `below`, from a path to its names with what each is. Mirrors engine/src/context.

const user = "user info is only there when the request says who asks";
const images = "the Pod's images, by the name of their container";
const image = {
  registry: "`ghcr.io`", path: "`shop/web`", name: "the last part of the path: `web`", tag: "`1.2`",
  digest: "`sha256:…`, where the image has one", reference: "registry, path, tag and digest together",
  referenceWithTag: "registry, path and tag", jsonPointer: "its place: `/spec/containers/0/image`",
};
const object = "every field of the resource";

export const below = {
  "": {
    request: "the admission request: the object, who asks and for what",
    element: "the item at hand, inside `foreach`; `element0`, `element1` of the outer and the inner loop",
    elementIndex: "the number of the item, from 0, inside `foreach`",
    images: "the images of the resource, taken apart, by the list they stand in",
    target: "the object that a `mutate` rule with `targets` changes",
    serviceAccountName: `the name of the service account that asks; ${user}`,
    serviceAccountNamespace: `the namespace of the service account that asks; ${user}`,
  },
  request: {
    object: "the resource as it is after the request; empty in a DELETE",
    oldObject: "the resource as it was; there in an UPDATE and a DELETE",
    operation: "CREATE, UPDATE, DELETE or CONNECT",
    namespace: "the namespace of the resource",
    name: "the name of the resource",
    userInfo: `who asks; ${user}`,
    roles: `the roles of who asks, as \`NAMESPACE:NAME\`; ${user}`,
    clusterRoles: `the cluster roles of who asks; ${user}`,
    kind: "group, version and kind",
    resource: "group, version and plural",
    subResource: "`status`, `scale`, `exec`, …",
    uid: "the name of this request",
    dryRun: "whether nothing is kept",
    options: "what the client asked for beside the object",
  },
  "request.userInfo": {
    username: "`jane`, or `system:serviceaccount:NAMESPACE:NAME`",
    groups: "a list of texts",
    uid: "the id of the user",
    extra: "what else the authenticator said",
  },
  "request.kind": { group: "empty for core kinds", version: "`v1`", kind: "`Pod`" },
  "request.resource": { group: "empty for core kinds", version: "`v1`", resource: "`pods`" },
  images: { containers: images, initContainers: images, ephemeralContainers: images },
  "images.containers.*": image,
  "images.initContainers.*": image,
  "images.ephemeralContainers.*": image,
  "request.object": { apiVersion: object, kind: object, metadata: object, spec: object },
  "request.object.metadata": { name: object, namespace: object, labels: object, annotations: object },
};
below["request.oldObject"] = below.target = below["request.object"];
below["request.oldObject.metadata"] = below["target.metadata"] = below["request.object.metadata"];

/** The names below a path, `*` standing for any one name. */
export function namesBelow(path) {
  const any = path.map((name, at) => (at === 2 && path[0] === "images" ? "*" : name));
  return below[any.join(".")] ?? {};
}
