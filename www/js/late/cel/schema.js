// What a field of the object is, as Kubernetes' kinds have it that a policy is for.
// In: a way from the object, in which `[]` is an element, and the resources that the policy matches. Out: its fields.
import { fieldsOf, kinds, matchedType, walk } from "../fields.js";
import { placeAt } from "../place.js";

/** So many kinds are looked at. */
const MOST = 6;

/** `NetworkPolicy` as resources are named: `networkpolicies`. */
function plural(kind) {
  const name = kind.toLowerCase();
  if (/(s|x|ch|sh)$/.test(name) && name !== "endpoints") return `${name}es`;
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : name === "endpoints" ? name : `${name}s`;
}

/** The types that a policy is for; @param {[string, string, string][]} matched group, version and plural of each */
export async function typesOf(doc, pos, matched) {
  if (!matched?.length) {
    const steps = placeAt(doc, pos)?.steps;
    const type = steps ? await matchedType(doc, steps) : null;
    return type ? [type] : [];
  }
  const all = [...(await kinds())].filter(([name]) => !name.includes("kyverno.io/"));
  const fits = (wanted, found) => wanted === found || wanted === "*";
  const found = matched.flatMap(([group, version, resource]) => {
    const is = ([name]) => {
      const [head, kind] = name.split(" ");
      const [known, number] = head.includes("/") ? head.split("/") : ["", head];
      return fits(group, known) && fits(version, number) && plural(kind) === resource.split("/")[0];
    };
    return all.filter(is).map(([, type]) => type);
  });
  return [...new Set(found)].slice(0, MOST);
}

/** The fields below a way: `{name: [holds, doc]}` of all types together; null where nobody knows. */
export async function fieldsBelow(doc, pos, { path, kinds: matched }) {
  const found = await Promise.all((await typesOf(doc, pos, matched)).map((type) => walk(type, path)));
  // One that is not known may have any field.
  if (found.length === 0 || found.some((holds) => !holds || !/^!?#/.test(holds))) return null;
  const fields = await Promise.all(found.map((holds) => fieldsOf(holds.replace("!", ""))));
  return fields.some((each) => !each) ? null : Object.assign({}, ...fields.reverse());
}

/** What a field is: `[holds, doc]`. */
export async function fieldAt(doc, pos, { path, kinds: matched }) {
  if (!path?.length || path.at(-1) === "[]") return null;
  return (await fieldsBelow(doc, pos, { path: path.slice(0, -1), kinds: matched }))?.[path.at(-1)] ?? null;
}
