import type { Output } from "./index.js";

/**
 * `<podsieve-check policy="…" resource="…">`: the verdict of a policy on a resource. Each attribute holds YAML, or `#id` of the
 * element that shows or edits it; a field that is edited is evaluated anew. `host="playground"` evaluates as the Kyverno Playground does.
 * Importing this entry defines the element.
 */
export declare class PodsieveCheck extends HTMLElement {}

/** What the element found, as the event `podsieve-verdict` tells it. */
export type VerdictEvent = CustomEvent<Output>;

declare global {
  interface HTMLElementTagNameMap {
    "podsieve-check": PodsieveCheck;
  }
  interface HTMLElementEventMap {
    "podsieve-verdict": VerdictEvent;
  }
}
