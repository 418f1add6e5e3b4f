//! GET requests over HTTP/1.1, to a socket of this machine.
//!
//! In: an address and a path. Out: a status and a body that is read piece by piece; a body that ends before its length is an error,
//! and so is one whose length nobody says. Nothing but GET can be asked.

use std::io::{BufRead as _, BufReader, Error, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long nothing may come before a request is given up.
const SILENCE: Duration = Duration::from_mins(1);
/// How long an answer may take as a whole.
const LONGEST: Duration = Duration::from_mins(10);
/// How many bytes of headers are read.
const MAX_HEAD: u64 = 64 << 10;
/// How long the line in front of a chunk may be.
const MAX_CHUNK_LINE: u64 = 1 << 10;
/// How many connections wait for the next request.
const MAX_IDLE: usize = 16;

/// Where an API server, or a proxy to one, listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A socket in a folder.
    Unix(PathBuf),
    /// A port of this machine.
    Loopback(u16),
}

impl Address {
    /// Reads `unix:PATH` or `http://127.0.0.1:PORT`; no other host is taken, as no credential is sent.
    ///
    /// # Errors
    /// What to write instead.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("unix:").filter(|path| !path.is_empty()) {
            return Ok(Address::Unix(PathBuf::from(path)));
        }
        let port =
            ["http://127.0.0.1:", "http://localhost:"].iter().find_map(|start| text.strip_prefix(start));
        let port = port.and_then(|port| port.trim_end_matches('/').parse().ok());
        port.map(Address::Loopback).ok_or_else(|| {
            "write `unix:PATH` or `http://127.0.0.1:PORT`, where `kubectl proxy` listens".to_owned()
        })
    }

    fn connect(&self) -> std::io::Result<Box<dyn Wire>> {
        match self {
            #[cfg(unix)]
            Address::Unix(path) => {
                let stream = std::os::unix::net::UnixStream::connect(path)?;
                stream.set_read_timeout(Some(SILENCE))?;
                stream.set_write_timeout(Some(SILENCE))?;
                Ok(Box::new(stream))
            }
            #[cfg(not(unix))]
            Address::Unix(_) => {
                Err(Error::other("this system has no such sockets: give http://127.0.0.1:PORT"))
            }
            Address::Loopback(port) => {
                let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, *port))?;
                stream.set_read_timeout(Some(SILENCE))?;
                stream.set_write_timeout(Some(SILENCE))?;
                Ok(Box::new(stream))
            }
        }
    }
}

trait Wire: Read + Write + Send {}

impl<T: Read + Write + Send> Wire for T {}

type Connection = BufReader<Box<dyn Wire>>;

/// Asks one server; connections are kept for the next request.
#[derive(Clone)]
pub(crate) struct Client {
    address: Address,
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl Client {
    pub(crate) fn new(address: Address) -> Self {
        Client { address, idle: Arc::default() }
    }

    /// Whether something listens.
    #[cfg(unix)]
    pub(crate) fn is_there(&self) -> bool {
        self.address.connect().is_ok()
    }

    /// The answer to a GET of this path, of which the body is not read yet.
    pub(crate) fn get(&self, path: &str, accept: &str) -> std::io::Result<Answer> {
        let kept = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        if let Some(connection) = kept
            && let Ok(answer) = self.ask(connection, path, accept)
        {
            return Ok(answer);
        }
        self.ask(BufReader::new(self.address.connect()?), path, accept)
    }

    fn ask(&self, mut connection: Connection, path: &str, accept: &str) -> std::io::Result<Answer> {
        if path.bytes().any(|byte| byte <= b' ' || byte == 0x7f) || !path.starts_with('/') {
            return Err(Error::new(ErrorKind::InvalidInput, "this is not a path"));
        }
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\nUser-Agent: podsieve\r\n\r\n"
        );
        connection.get_mut().write_all(request.as_bytes())?;
        let Head { status, retry_after, length, keeps } = Head::read(&mut connection)?;
        let home = keeps.then(|| Arc::clone(&self.idle));
        let until = Instant::now() + LONGEST;
        let body = Body { connection: Some(connection), length, home, until };
        Ok(Answer { status, retry_after, body })
    }
}

/// An answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// For how many seconds the server wants not to be asked.
    pub(crate) retry_after: Option<u64>,
    pub(crate) body: Body,
}

/// How much of a body is to come.
#[derive(Clone, Copy)]
enum Length {
    Bytes(u64),
    /// So much of a chunk, and then further chunks.
    Chunk(u64),
    /// In front of the first chunk.
    Chunks,
}

struct Head {
    status: u16,
    retry_after: Option<u64>,
    length: Length,
    keeps: bool,
}

impl Head {
    fn read(connection: &mut Connection) -> std::io::Result<Self> {
        let mut limited = connection.take(MAX_HEAD);
        let mut line = || -> std::io::Result<String> {
            let mut bytes = Vec::new();
            limited.read_until(b'\n', &mut bytes)?;
            if bytes.pop() != Some(b'\n') {
                return Err(wrong("the answer ends inside its headers, or they are too long"));
            }
            Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned())
        };
        let first = line()?;
        let status = first.strip_prefix("HTTP/1.").and_then(|rest| rest.get(2..5)?.parse().ok());
        let status = status.ok_or_else(|| wrong("this is not an answer of HTTP/1.1"))?;
        let (mut length, mut retry_after, mut keeps) = (None, None, first.starts_with("HTTP/1.1"));
        loop {
            let line = line()?;
            let Some((name, value)) = line.split_once(':') else {
                if line.is_empty() {
                    break;
                }
                return Err(wrong("a header without a value"));
            };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => {
                    let bytes = value.parse().map_err(|_| wrong("a length that is no number"))?;
                    length = Some(Length::Bytes(bytes));
                }
                "transfer-encoding" if value.eq_ignore_ascii_case("chunked") => length = Some(Length::Chunks),
                "content-encoding" if !value.eq_ignore_ascii_case("identity") => {
                    return Err(wrong("a body that is compressed, which nobody asked for"));
                }
                "retry-after" => retry_after = value.parse().ok(),
                "connection" => keeps &= !value.eq_ignore_ascii_case("close"),
                _ => {}
            }
        }
        let length = length.ok_or_else(|| wrong("a body of which nobody says how long it is"))?;
        Ok(Head { status, retry_after, length, keeps })
    }
}

fn wrong(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

/// A body that is read piece by piece.
pub(crate) struct Body {
    connection: Option<Connection>,
    length: Length,
    /// Where the connection goes when all is read.
    home: Option<Arc<Mutex<Vec<Connection>>>>,
    until: Instant,
}

impl Body {
    /// The connection waits for the next request.
    fn end(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        if let Some(Ok(mut idle)) = self.home.as_ref().map(|home| home.lock())
            && idle.len() < MAX_IDLE
        {
            idle.push(connection);
        }
    }
}

/// The number in front of a chunk.
fn chunk(connection: &mut Connection, is_first: bool) -> std::io::Result<u64> {
    let mut line = || -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        connection.take(MAX_CHUNK_LINE).read_until(b'\n', &mut bytes)?;
        if bytes.last() == Some(&b'\n') { Ok(bytes) } else { Err(cut_off()) }
    };
    if !is_first {
        line()?;
    }
    let bytes = line()?;
    let text = String::from_utf8_lossy(&bytes);
    let digits = text.split(';').next().unwrap_or_default().trim();
    let count = u64::from_str_radix(digits, 16).map_err(|_| wrong("a chunk whose length is no number"))?;
    if count == 0 {
        // What may follow the last chunk is not looked at, but passed.
        while line()?.len() > 2 {}
    }
    Ok(count)
}

fn cut_off() -> Error {
    Error::new(ErrorKind::UnexpectedEof, "the answer was cut off")
}

impl Read for Body {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let Some(connection) = &mut self.connection else { return Ok(0) };
        if Instant::now() > self.until {
            return Err(Error::new(ErrorKind::TimedOut, "the answer took longer than ten minutes"));
        }
        let left = match self.length {
            Length::Bytes(left) => left,
            Length::Chunk(left) if left > 0 => left,
            Length::Chunk(_) | Length::Chunks => {
                let count = chunk(connection, matches!(self.length, Length::Chunks))?;
                self.length = Length::Chunk(count);
                count
            }
        };
        if left == 0 {
            self.end();
            return Ok(0);
        }
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(out.len());
        let count =
            connection.read(out.get_mut(..most).unwrap_or_default()).map_err(|error| match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                    Error::new(ErrorKind::TimedOut, "nothing came for a minute")
                }
                _ => error,
            })?;
        if count == 0 && most > 0 {
            return Err(cut_off());
        }
        let left = left - count as u64;
        self.length =
            if matches!(self.length, Length::Bytes(_)) { Length::Bytes(left) } else { Length::Chunk(left) };
        Ok(count)
    }
}
