//! `podsieve serve`: verdicts over HTTP for tools on this machine.
//!
//! In: files of policies, requests on a loopback address. Out: answers until the process ends; on standard error what was loaded. A connection is a
//! thread, an evaluation one of a few places, so that a slow client holds nothing but its own connection.

mod contract;
mod http;
mod routes;
mod set;

use crate::args::Serve;
use crate::exit::Failure;
use crate::terminal;
use http::{Answer, Reader};
use routes::Server;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Connections at once; one more is told to come again.
const MAX_CONNECTIONS: usize = 256;
/// How often files are looked at.
const LOOK: Duration = Duration::from_secs(2);

/// Runs the command; it ends only where it cannot begin.
pub(crate) fn run(arguments: &Serve) -> Result<u8, Failure> {
    if cfg!(target_os = "wasi") {
        return Err(Failure("serve needs a network, which this module has not: use the program of an archive, or `podsieve ask --lines`".to_owned()));
    }
    let address = arguments.address;
    if !address.ip().is_loopback() {
        return Err(Failure(format!(
            "--address {address} is not of this machine alone: give 127.0.0.1 or [::1]"
        )));
    }
    let set = set::read(&arguments.policies, &arguments.by).map_err(Failure)?;
    let listener =
        TcpListener::bind(address).map_err(|error| Failure(format!("--address {address}: {error}")))?;
    let address = listener.local_addr().map_err(|error| Failure(error.to_string()))?;
    terminal::say(&format!("{} from {}\n", set.said(), arguments.policies.join(", ")));
    // The one line for programs: where to ask.
    terminal::print(&format!("http://{address}\n"));
    let server = Arc::new(Server::new(set));
    reload(arguments, &server)?;
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        // A connection that ended before it was taken is none.
        let Ok(stream) = stream else { continue };
        if open.fetch_add(1, Ordering::SeqCst) >= MAX_CONNECTIONS {
            let busy = Answer::error(503, "too many connections: close one, and ask again");
            let _ = stream.set_write_timeout(Some(http::PATIENCE));
            let _ = busy.write(&mut &stream, false);
            open.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        let (server, here) = (Arc::clone(&server), Arc::clone(&open));
        let serves = move || {
            let _ = serve(&stream, &server);
            here.fetch_sub(1, Ordering::SeqCst);
        };
        if std::thread::Builder::new().spawn(serves).is_err() {
            open.fetch_sub(1, Ordering::SeqCst);
        }
    }
    Ok(0)
}

/// Answers the requests of a connection, one after the other.
fn serve(stream: &TcpStream, server: &Server) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(http::PATIENCE))?;
    let mut reader = Reader::new(stream);
    loop {
        let (answer, goes_on) = match reader.next() {
            Ok(None) => return Ok(()),
            Ok(Some(request)) => (server.answer(&request), request.keeps_open),
            // Where the next request begins is not known any more.
            Err(refused) => (refused, false),
        };
        answer.write(&mut &*stream, goes_on)?;
        if !goes_on {
            reader.drain();
            return Ok(());
        }
    }
}

/// Reads the policies anew where their files change, and on SIGHUP.
fn reload(arguments: &Serve, server: &Arc<Server>) -> Result<(), Failure> {
    let asked = on_hangup()?;
    let (paths, by, server) = (arguments.policies.clone(), arguments.by.clone(), Arc::clone(server));
    let mut seen = set::stamp(&paths);
    let watch = move || {
        loop {
            std::thread::sleep(LOOK);
            let now = set::stamp(&paths);
            if asked.swap(false, Ordering::SeqCst) || now != seen {
                seen = now;
                terminal::say(&server.replace(set::read(&paths, &by)));
            }
        }
    };
    std::thread::Builder::new().spawn(watch).map_err(|error| Failure(error.to_string()))?;
    Ok(())
}

/// What says that somebody asked for the policies to be read anew.
fn on_hangup() -> Result<Arc<std::sync::atomic::AtomicBool>, Failure> {
    let asked = Arc::default();
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGHUP, Arc::clone(&asked))
        .map_err(|error| Failure(error.to_string()))?;
    Ok(asked)
}
