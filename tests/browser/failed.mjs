// A reporter for `node --test` that names the files in which a test failed, a line each: `cargo xtask test browser` runs them again.
// In: what the runner tells. Out: paths.
export default async function* (events) {
  const named = new Set();
  for await (const { type, data } of events) {
    if (type !== "test:fail" || !data.file?.endsWith(".test.mjs") || named.has(data.file)) continue;
    named.add(data.file);
    yield `${data.file}\n`;
  }
}
