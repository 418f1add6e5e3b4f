// The official clients of TypeScript, of both eras, against `podsieve mcp`: every tool is listed and called.
// In: PODSIEVE, the program. The clients hold each answer against the schema that its tool gives. Run by `cargo xtask test mcp`.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as modern from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const policy = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: no-host-network}
spec:
  rules:
  - name: no-host-network
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate:
      message: The network of the host is not for Pods.
      pattern: {spec: {=(hostNetwork): false}}
`;
const pod = { name: "pod.yaml", text: "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {hostNetwork: true, containers: [{name: a, image: b}]}}" };
const tests = `apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: {name: network}
policies: [policy.yaml]
resources: [pod.yaml]
results: [{policy: no-host-network, rule: no-host-network, resources: [web], kind: Pod, result: fail}]
`;
/** Each tool with arguments, and what its answer says. */
const CALLS = {
  evaluate: [{ policies: ["policy.yaml"], resources: [pod] }, (answer) => answer.counts.fail === 1 && answer.complete],
  explain: [{ policies: ["policy.yaml"], resources: [pod] }, (answer) => answer.explanations[0].edits[0].path === "spec.hostNetwork"],
  check: [{ policies: [{ text: "kind: ClusterPolicy" }] }, (answer) => !answer.complete && answer.diagnostics[0].code === "no-kind"],
  test: [{ paths: ["."] }, (answer) => answer.complete && answer.counts.pass === 1],
  compare: [{ old: ["policy.yaml"], new: [{ text: policy.replace("false", '"*"') }], seconds: 5 }, (answer) => answer.grade === "different"],
  convert: [{ policies: ["policy.yaml"] }, (answer) => answer.policies[0].converted],
  narrow: [{ policies: ["policy.yaml"], resources: [pod] }, (answer) => answer.narrowest.length > 0],
  advise: [{ resources: [pod] }, (answer) => answer.objects[0].reaches === "privileged"],
  functions: [{ word: "base64" }, (answer) => answer.functions.some(({ name }) => name === "base64_decode")],
};

let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "podsieve-mcp-"));
  writeFileSync(join(folder, "policy.yaml"), policy);
  writeFileSync(join(folder, "pod.yaml"), pod.text);
  writeFileSync(join(folder, "kyverno-test.yaml"), tests);
});
after(() => rmSync(folder, { recursive: true }));

const about = { name: "podsieve-tests", version: "1" };
const auto = { versionNegotiation: { mode: "auto" } };
const pinned = { versionNegotiation: { mode: { pin: "2026-07-28" } } };
const CLIENTS = [
  ["sdk of the handshake", () => new OldClient(about), OldTransport],
  ["client as it comes", () => new modern.Client(about), ModernTransport],
  ["client that asks for the newest", () => new modern.Client(about, auto), ModernTransport],
  ["client of 2026-07-28 alone", () => new modern.Client(about, pinned), ModernTransport],
];

for (const [name, make, Transport] of CLIENTS) {
  test(`${name}: every tool answers`, async () => {
    const client = make();
    await client.connect(new Transport({ command: process.env.PODSIEVE, args: ["mcp"], cwd: folder }));
    try {
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map((tool) => tool.name).sort(), Object.keys(CALLS).sort());
      for (const [tool, [args, holds]] of Object.entries(CALLS)) {
        const { isError, structuredContent } = await client.callTool({ name: tool, arguments: args });
        assert.ok(!isError && holds(structuredContent), `${tool}: ${JSON.stringify(structuredContent)}`);
      }
      const outside = await client.callTool({ name: "check", arguments: { policies: ["../policy.yaml"] } });
      assert.ok(outside.isError);
      await assert.rejects(client.callTool({ name: "nothing", arguments: {} }), /Unknown tool: nothing/);
    } finally {
      await client.close();
    }
  });
}
