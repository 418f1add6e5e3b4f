// Many resources and many rules, as texts: what the tests and the measures of scale type into the page.

/** As many Pods; every third without the label that the rules ask for, every fifth of them with another. */
export function pods(count) {
  const pod = (n) =>
    `apiVersion: v1\nkind: Pod\nmetadata:\n  name: pod-${n}\n  namespace: team-${n % 7}\n  labels:\n    ${n % 3 ? "app" : "tier"}: a${n % 5}\nspec:\n  containers:\n    - name: main\n      image: registry.example.com/shop:${n % 4 ? "1.2" : "latest"}\n`;
  return Array.from({ length: count }, (_, n) => pod(n)).join("---\n");
}

/** A policy of as many rules. */
export function rules(count) {
  const rule = (n) =>
    `    - name: rule-${n}\n      match:\n        any:\n          - resources:\n              kinds: [Pod]\n      validate:\n        message: rule ${n} wants a label\n        pattern:\n          metadata:\n            labels:\n              app: "${n % 2 ? "?*" : `!a${n % 5}`}"\n`;
  return `apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata:\n  name: many\n  annotations:\n    pod-policies.kyverno.io/autogen-controllers: none\nspec:\n  rules:\n${Array.from({ length: count }, (_, n) => rule(n)).join("")}`;
}

/** Gives the page these texts as files. */
export async function give(page, policy, resources) {
  await page.click("#open-open");
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose files…" }).click();
  const buffer = Buffer.from(`${policy}---\n${resources}`);
  await (await chooser).setFiles([{ name: "many.yaml", mimeType: "application/yaml", buffer }]);
  // The page reads them in its worker, and once they are there it turns to *Results*: what is pressed before that is lost.
  await page.locator("#open-open[aria-expanded=false]").waitFor();
}
