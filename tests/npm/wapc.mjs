// A host of waPC, as policy-server is one: it calls a module by names, and answers what the module asks.
// In: the bytes of a module. Out: instances with `call(operation, payload)`, where payload and answer are JSON.

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Compiles a module; each instance has a memory of its own. */
export const compile = (bytes) => new WebAssembly.Module(bytes);

/** An instance; `kubernetes(operation, question)` answers what the module asks of Kubernetes, or throws. */
export function instantiate(module, kubernetes = () => { throw new Error("no cluster is within reach"); }, now = 0n) {
  const state = { operation: new Uint8Array(), request: new Uint8Array(), response: null, error: null, host: new Uint8Array() };
  let memory;
  const read = (at, length) => new Uint8Array(memory.buffer, at, length).slice();
  const write = (at, bytes) => new Uint8Array(memory.buffer).set(bytes, at);
  const text = (at, length) => decoder.decode(read(at, length));
  const wapc = {
    __guest_request: (operation, request) => (write(operation, state.operation), write(request, state.request)),
    __guest_response: (at, length) => { state.response = read(at, length); },
    __guest_error: (at, length) => { state.error = read(at, length); },
    __console_log: () => {},
    __host_call: (...places) => {
      const [binding, namespace, operation, question] = [0, 2, 4, 6].map((at) => text(places[at], places[at + 1]));
      try {
        if (`${binding}/${namespace}` !== "kubewarden/kubernetes") throw new Error(`nobody answers ${binding}/${namespace}`);
        state.host = encoder.encode(JSON.stringify(kubernetes(operation, JSON.parse(question))));
        return 1;
      } catch (error) {
        state.host = encoder.encode(error.message);
        return 0;
      }
    },
    __host_response_len: () => state.host.length,
    __host_error_len: () => state.host.length,
    __host_response: (at) => write(at, state.host),
    __host_error: (at) => write(at, state.host),
  };
  const clock_time_get = (_clock, _precision, at) => (new DataView(memory.buffer).setBigUint64(at, now, true), 0);
  const instance = new WebAssembly.Instance(module, { wapc, wasi_snapshot_preview1: { clock_time_get } });
  ({ memory } = instance.exports);
  instance.exports.wapc_init();
  const call = (operation, payload) => {
    state.operation = encoder.encode(operation);
    state.request = typeof payload === "string" ? encoder.encode(payload) : payload;
    state.response = state.error = null;
    const done = instance.exports.__guest_call(state.operation.length, state.request.length);
    if (done !== 1 || state.response === null) throw new Error(decoder.decode(state.error ?? new Uint8Array()));
    return decoder.decode(state.response);
  };
  // A memory has at most 65,536 pages; this many are left.
  const fill = (left) => memory.grow(65_536 - memory.buffer.byteLength / 65_536 - left);
  return { call, fill, bytes: () => memory.buffer.byteLength };
}
