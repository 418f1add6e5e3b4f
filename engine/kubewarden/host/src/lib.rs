//! A host for modules that speak waPC, as `policy-server` and `kwctl` are.
//!
//! In: the bytes of a module; calls by name. Out: its answers, in bounded time and memory; and the module as it is after some calls, with
//! its memory as data ([`Instance::kept`]). What the module asks of Kubernetes is answered by a function.

mod rewrite;

use std::sync::Arc;
use wasmi::{Caller, Config, Engine, Extern, Instance as Running, Linker, Memory, Module as Compiled, Store};
use wasmi::{StoreLimits, StoreLimitsBuilder, TypedFunc};

/// So much work a call may take: some seconds.
pub const MAX_FUEL: u64 = 20_000_000_000;
/// So many bytes of memory an instance may have.
pub const MAX_MEMORY: usize = 1 << 30;
/// So many bytes a text may have that a module hands over.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// What Kubernetes answers to an operation and a question.
pub type Kubernetes = Arc<dyn Fn(&str, &str) -> Result<String, String> + Send + Sync>;

/// A module, ready to be instantiated.
pub struct Module {
    engine: Engine,
    compiled: Compiled,
}

/// What a call exchanges with the module.
struct State {
    operation: Vec<u8>,
    request: Vec<u8>,
    response: Option<Vec<u8>>,
    error: Option<Vec<u8>>,
    answered: Result<Vec<u8>, Vec<u8>>,
    kubernetes: Kubernetes,
    now: i64,
    log: Vec<String>,
    limits: StoreLimits,
}

/// A module with a memory.
pub struct Instance {
    store: Store<State>,
    running: Running,
    call: TypedFunc<(i32, i32), i32>,
}

impl Module {
    /// Reads a module.
    pub fn new(bytes: &[u8]) -> Result<Self, String> {
        let mut config = Config::default();
        config.consume_fuel(true);
        let engine = Engine::new(&config);
        let compiled =
            Compiled::new(&engine, bytes).map_err(|_| "this is not a module of WebAssembly".to_owned())?;
        Ok(Module { engine, compiled })
    }

    /// A new instance, at a time in nanoseconds since 1970.
    pub fn instance(&self, now: i64, kubernetes: Kubernetes) -> Result<Instance, String> {
        let state = State {
            operation: Vec::new(),
            request: Vec::new(),
            response: None,
            error: None,
            answered: Ok(Vec::new()),
            kubernetes,
            now,
            log: Vec::new(),
            limits: StoreLimitsBuilder::new().memory_size(MAX_MEMORY).build(),
        };
        let mut store = Store::new(&self.engine, state);
        store.limiter(|state| &mut state.limits);
        store.set_fuel(MAX_FUEL).map_err(|error| error.to_string())?;
        let mut linker = Linker::new(&self.engine);
        link(&mut linker).map_err(|error| error.to_string())?;
        let running = linker
            .instantiate_and_start(&mut store, &self.compiled)
            .map_err(|error| format!("the module cannot be started: {error}"))?;
        let call = running.get_typed_func(&store, "__guest_call").map_err(|error| error.to_string())?;
        if let Ok(init) = running.get_typed_func::<(), ()>(&store, "wapc_init") {
            init.call(&mut store, ()).map_err(|error| error.to_string())?;
        }
        Ok(Instance { store, running, call })
    }
}

impl Instance {
    /// Calls the module; its answer, or why there is none.
    pub fn call(&mut self, operation: &str, request: &[u8]) -> Result<Vec<u8>, String> {
        let state = self.store.data_mut();
        (state.operation, state.request) = (operation.as_bytes().to_vec(), request.to_vec());
        (state.response, state.error) = (None, None);
        let length = |bytes: usize| i32::try_from(bytes).map_err(|_| "the request is too long".to_owned());
        let lengths = (length(operation.len())?, length(request.len())?);
        self.store.set_fuel(MAX_FUEL).map_err(|error| error.to_string())?;
        let returned = self.call.call(&mut self.store, lengths).map_err(|error| error.to_string())?;
        let state = self.store.data_mut();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        match (returned, state.response.take(), state.error.take()) {
            (1, Some(response), _) => Ok(response),
            (_, _, Some(error)) => Err(text(error)),
            _ => Err("the module gives no answer".to_owned()),
        }
    }

    /// What the module has said to the log since somebody looked.
    pub fn take_log(&mut self) -> Vec<String> {
        std::mem::take(&mut self.store.data_mut().log)
    }

    /// So many bytes of memory the instance has.
    pub fn memory(&self) -> usize {
        self.running.get_memory(&self.store, "memory").map_or(0, |memory| memory.data_size(&self.store))
    }

    /// The module, of which this is an instance, with the memory as it is now.
    pub fn kept(&self, module: &[u8]) -> Result<Vec<u8>, String> {
        let memory = self.running.get_memory(&self.store, "memory").ok_or("the module has no memory")?;
        rewrite::with_memory(module, memory.data(&self.store))
    }
}

fn memory_of(caller: &Caller<'_, State>) -> Result<Memory, wasmi::Error> {
    let found = caller.get_export("memory").and_then(Extern::into_memory);
    found.ok_or_else(|| wasmi::Error::new("the module has no memory"))
}

fn read(caller: &Caller<'_, State>, at: u32, length: u32) -> Result<Vec<u8>, wasmi::Error> {
    let length = length as usize;
    if length > MAX_BYTES {
        return Err(wasmi::Error::new("the module hands over too much"));
    }
    let mut bytes = vec![0; length];
    let memory = memory_of(caller)?;
    memory.read(caller, at as usize, &mut bytes).map_err(|error| wasmi::Error::new(error.to_string()))?;
    Ok(bytes)
}

fn write(caller: &mut Caller<'_, State>, at: u32, bytes: &[u8]) -> Result<(), wasmi::Error> {
    let memory = memory_of(caller)?;
    memory.write(caller, at as usize, bytes).map_err(|error| wasmi::Error::new(error.to_string()))
}

/// The functions that waPC gives a module, and the clock of WASI.
fn link(linker: &mut Linker<State>) -> Result<(), wasmi::Error> {
    const WAPC: &str = "wapc";
    linker.func_wrap(
        WAPC,
        "__guest_request",
        |mut caller: Caller<'_, State>, operation: u32, request: u32| {
            let (name, payload) = (caller.data().operation.clone(), caller.data().request.clone());
            write(&mut caller, operation, &name)?;
            write(&mut caller, request, &payload)
        },
    )?;
    linker.func_wrap(WAPC, "__guest_response", |mut caller: Caller<'_, State>, at: u32, length: u32| {
        let bytes = read(&caller, at, length)?;
        caller.data_mut().response = Some(bytes);
        Ok::<(), wasmi::Error>(())
    })?;
    linker.func_wrap(WAPC, "__guest_error", |mut caller: Caller<'_, State>, at: u32, length: u32| {
        let bytes = read(&caller, at, length)?;
        caller.data_mut().error = Some(bytes);
        Ok::<(), wasmi::Error>(())
    })?;
    linker.func_wrap(WAPC, "__console_log", |mut caller: Caller<'_, State>, at: u32, length: u32| {
        let line = String::from_utf8_lossy(&read(&caller, at, length)?).into_owned();
        caller.data_mut().log.push(line);
        Ok::<(), wasmi::Error>(())
    })?;
    link_host(linker)?;
    linker.func_wrap(
        "wasi_snapshot_preview1",
        "clock_time_get",
        |mut caller: Caller<'_, State>, _clock: u32, _precision: i64, at: u32| {
            let now = caller.data().now.to_le_bytes();
            write(&mut caller, at, &now)?;
            Ok::<u32, wasmi::Error>(0)
        },
    )?;
    Ok(())
}

/// The calls of a module to its host.
fn link_host(linker: &mut Linker<State>) -> Result<(), wasmi::Error> {
    const WAPC: &str = "wapc";
    linker.func_wrap(
        WAPC,
        "__host_call",
        |mut caller: Caller<'_, State>,
         binding: u32,
         binding_length: u32,
         namespace: u32,
         namespace_length: u32,
         operation: u32,
         operation_length: u32,
         at: u32,
         length: u32| {
            let text = |caller: &Caller<'_, State>, at: u32, length: u32| {
                Ok::<_, wasmi::Error>(String::from_utf8_lossy(&read(caller, at, length)?).into_owned())
            };
            let binding = text(&caller, binding, binding_length)?;
            let namespace = text(&caller, namespace, namespace_length)?;
            let operation = text(&caller, operation, operation_length)?;
            let question = text(&caller, at, length)?;
            let answer = match (binding.as_str(), namespace.as_str()) {
                ("kubewarden", "kubernetes") => (caller.data().kubernetes)(&operation, &question),
                _ => Err(format!("there is no answer to {binding}/{namespace}/{operation}")),
            };
            let is_answered = answer.is_ok();
            caller.data_mut().answered = answer.map(String::into_bytes).map_err(String::into_bytes);
            Ok::<u32, wasmi::Error>(u32::from(is_answered))
        },
    )?;
    let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap_or(0);
    linker.func_wrap(WAPC, "__host_response_len", move |caller: Caller<'_, State>| {
        caller.data().answered.as_ref().map_or(0, |bytes| length(bytes))
    })?;
    linker.func_wrap(WAPC, "__host_error_len", move |caller: Caller<'_, State>| {
        caller.data().answered.as_ref().map_or_else(|bytes| length(bytes), |_| 0)
    })?;
    let taken = |caller: &Caller<'_, State>| match &caller.data().answered {
        Ok(bytes) | Err(bytes) => bytes.clone(),
    };
    linker.func_wrap(WAPC, "__host_response", move |mut caller: Caller<'_, State>, at: u32| {
        let bytes = taken(&caller);
        write(&mut caller, at, &bytes)
    })?;
    linker.func_wrap(WAPC, "__host_error", move |mut caller: Caller<'_, State>, at: u32| {
        let bytes = taken(&caller);
        write(&mut caller, at, &bytes)
    })?;
    Ok(())
}
