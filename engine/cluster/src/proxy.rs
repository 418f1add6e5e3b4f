//! `kubectl proxy`, which knows every way to log in, on a socket that nobody else can reach.
//!
//! In: the flags of kubectl that choose a cluster. Out: an address. The proxy passes GET alone on, listens in a folder of mode 0700, and
//! ends with this program, however that ends: a shell waits for the pipe between the two to break.

use crate::http::{Address, Client};
use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long the proxy may take to listen.
const START: Duration = Duration::from_secs(30);
/// How much of what kubectl says is kept.
const MAX_WORDS: u64 = 4 << 10;

/// Waits until nobody holds the other end of standard input, then ends the proxy and takes its folder away.
const WAITER: &str = "trap '' INT HUP; folder=$1; shift; \"$@\" >/dev/null & child=$!; exec 2>/dev/null; cat >/dev/null; \
                      kill -9 \"$child\"; rm -rf -- \"$folder\"";

/// A proxy that runs.
pub struct Proxy {
    waiter: Child,
    address: Address,
}

impl Proxy {
    /// Starts a proxy to the cluster that these flags of kubectl choose.
    ///
    /// # Errors
    /// Why there is none, with what kubectl says.
    pub fn start(flags: &[String]) -> Result<Self, String> {
        let folder = private_folder()?;
        let socket = folder.join("api");
        let mut command = Command::new("/bin/sh");
        command.args(["-c", WAITER, "podsieve"]).arg(&folder).args(["kubectl", "proxy"]);
        command.arg(format!("--unix-socket={}", socket.display()));
        command.arg("--reject-methods=^(POST|PUT|PATCH|DELETE|CONNECT|OPTIONS|TRACE|HEAD)$").args(flags);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut waiter = command.spawn().map_err(|error| format!("`/bin/sh` cannot be started: {error}"))?;
        let words = waiter.stderr.take();
        let proxy = Proxy { waiter, address: Address::Unix(socket) };
        // kubectl is gone when nobody writes to its standard error any more.
        let heard = std::thread::spawn(move || {
            let mut text = Vec::new();
            let Some(mut words) = words else { return text };
            let _ = words.by_ref().take(MAX_WORDS).read_to_end(&mut text);
            let _ = std::io::copy(&mut words, &mut std::io::sink());
            text
        });
        let (client, begin) = (Client::new(proxy.address.clone()), Instant::now());
        while !client.is_there() {
            if heard.is_finished() {
                let text = heard.join().unwrap_or_default();
                let text = String::from_utf8_lossy(&text);
                return Err(format!("`kubectl proxy` ended: {}", text.trim().replace('\n', " ")));
            }
            if begin.elapsed() > START {
                return Err("`kubectl proxy` does not listen after 30 seconds".to_owned());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(proxy)
    }

    /// Where it listens.
    pub fn address(&self) -> Address {
        self.address.clone()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        drop(self.waiter.stdin.take());
        let _ = self.waiter.wait();
    }
}

/// A new folder that only this user can look into.
fn private_folder() -> Result<PathBuf, String> {
    use std::hash::{BuildHasher as _, RandomState};
    use std::os::unix::fs::DirBuilderExt as _;
    let mut why = String::new();
    for attempt in 0..8_u32 {
        let number = RandomState::new().hash_one((std::process::id(), attempt));
        let folder = std::env::temp_dir().join(format!("podsieve-{number:016x}"));
        match std::fs::DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) => {
                why = format!("a folder for the socket cannot be made: {}: {error}", folder.display());
            }
        }
    }
    Err(why)
}
