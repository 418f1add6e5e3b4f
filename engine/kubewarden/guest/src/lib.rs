//! The waPC guest: what a host calls by name, handed to [`engine_kubewarden::Guest`].
//!
//! In: the calls `validate`, `validate_settings` and `protocol_version` of a host that speaks waPC, and `bundle` of whoever makes a
//! module with its policies. Out: their answers. The host's
//! calls go the other way, to the binding `kubewarden`; the time is that of WASI, which `policy-server` and `kwctl` give to each
//! module.

use engine_kubewarden::{Guest, Host};
use std::cell::Cell;
use wapc_guest::{CallResult, console_log, host_call, register_function};

thread_local! {
    /// What the last call has prepared, for the next one; nothing during a call, and after one that has not come back.
    static GUEST: Cell<Option<Box<Guest>>> = const { Cell::new(None) };
    /// What came with the module. It is a pointer, written once: a host may end a call at any instruction, and finds it whole.
    static BUNDLED: Cell<Option<&'static Guest>> = const { Cell::new(None) };
}

/// What a host calls once, before anything else.
#[expect(unsafe_code, reason = "the host finds the function by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn wapc_init() {
    register_function("validate", |payload| call("validate", payload));
    register_function("validate_settings", |payload| call("validate_settings", payload));
    register_function("protocol_version", |payload| call("protocol_version", payload));
    register_function("bundle", |payload| call("bundle", payload));
}

fn call(operation: &str, payload: &[u8]) -> CallResult {
    // Taken out, not borrowed: after a fault the next call begins anew, with what came with the module.
    let anew = || Box::new(BUNDLED.get().map_or_else(Guest::default, Guest::anew));
    let mut guest = GUEST.take().unwrap_or_else(anew);
    let answer = guest.call(operation, payload, &Outside);
    if operation == "bundle" {
        BUNDLED.set(Some(Box::leak(Box::new(guest.anew()))));
    }
    GUEST.set(Some(guest));
    Ok(answer?)
}

/// The host of this module.
struct Outside;

impl Host for Outside {
    fn kubernetes(&self, operation: &str, question: &str) -> Result<String, String> {
        let answer = host_call("kubewarden", "kubernetes", operation, question.as_bytes());
        // waPC puts words of its own before those of the host.
        let words = |error: String| error.strip_prefix("Host error: ").unwrap_or(&error).to_owned();
        let bytes = answer.map_err(|error| words(error.to_string()))?;
        String::from_utf8(bytes).map_err(|error| error.to_string())
    }

    fn now(&self) -> i64 {
        clock::now()
    }

    fn log(&self, line: &str) {
        console_log(line);
    }
}

/// The host's clock.
mod clock {
    #[cfg(target_arch = "wasm32")]
    #[link(wasm_import_module = "wasi_snapshot_preview1")]
    #[expect(
        unsafe_code,
        reason = "the import is declared, and trusted to write one number at the given place"
    )]
    unsafe extern "C" {
        fn clock_time_get(clock: i32, precision: i64, time: *mut u64) -> i32;
    }

    /// Nanoseconds since 1970; 0 where the host does not say.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn now() -> i64 {
        const REALTIME: i32 = 0;
        let mut time = 0;
        #[expect(unsafe_code, reason = "`time` lives until the call is over")]
        let failed = unsafe { clock_time_get(REALTIME, 1, &raw mut time) };
        if failed == 0 { i64::try_from(time).unwrap_or(i64::MAX) } else { 0 }
    }

    /// There is no host where this is checked as a part of the workspace.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn now() -> i64 {
        0
    }
}
