// The engine of all elements of a page, in a thread of its own. In: an input of `apply`. Out: { output }, or { failure };
// before, { isReady }: whether the engine is loaded.
import init, { apply } from "./index.js";

self.onmessage = ({ data }) => {
  try {
    self.postMessage({ output: apply(data) });
  } catch (error) {
    self.postMessage({ failure: String(error?.message ?? error) });
  }
};

init().then(
  () => self.postMessage({ isReady: true }),
  () => self.postMessage({ isReady: false }),
);
