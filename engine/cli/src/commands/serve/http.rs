//! HTTP/1.1 as far as tools on this machine speak it.
//!
//! In: bytes of a connection. Out: requests with their bodies; an answer for what is none, and for what is too much. Only `Content-Length` says how long a
//! body is: where two could be read out of a request, none is.

use super::contract;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// How long one request may take to arrive, and an answer to be taken.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes of the first line and the headers.
const MAX_HEAD: u64 = 32 << 10;
const MAX_HEADERS: usize = 100;
/// Bytes of a body: an API server takes objects of 3 MiB.
const MAX_BODY: u64 = (3 << 20) + (64 << 10);
/// What a refused client may still send before the connection is closed.
const MAX_DRAIN: u64 = 1 << 20;

/// A request.
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) host: String,
    /// Of a page: where it came from.
    pub(super) origin: Option<String>,
    /// Of a browser: how the page and this server are related.
    pub(super) site: Option<String>,
    pub(super) body: String,
    pub(super) keeps_open: bool,
}

/// An answer.
pub(super) struct Answer {
    status: u16,
    kind: &'static str,
    body: String,
}

impl Answer {
    pub(super) fn json(body: String) -> Self {
        Answer { status: 200, kind: "application/json", body }
    }

    pub(super) fn text(status: u16, body: &str) -> Self {
        Answer { status, kind: "text/plain; charset=utf-8", body: format!("{body}\n") }
    }

    pub(super) fn error(status: u16, why: &str) -> Self {
        let body = serde_json::json!({ "error": why }).to_string();
        Answer { status, kind: "application/json", body }
    }

    pub(super) fn write(&self, to: &mut impl Write, keeps_open: bool) -> std::io::Result<()> {
        let Answer { status, kind, body } = self;
        let (name, value) = contract::HEADER;
        let connection = if keeps_open { "keep-alive" } else { "close" };
        let head = format!(
            "HTTP/1.1 {status} {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: {connection}\r\n\
             X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n{name}: {value}\r\n\r\n",
            words(*status),
            body.len()
        );
        to.write_all(&[head.as_bytes(), body.as_bytes()].concat())?;
        to.flush()
    }
}

fn words(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        411 => "Length Required",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        _ => "Unprocessable Content",
    }
}

/// Bytes of a connection until a moment: a client that sends a byte now and then holds it no longer than one that sends none.
struct Until<'a> {
    stream: &'a TcpStream,
    end: Instant,
}

impl Read for Until<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(std::io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        (&mut &*self.stream).read(bytes)
    }
}

/// Reads the requests of a connection.
pub(super) struct Reader<'a> {
    from: BufReader<Until<'a>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(stream: &'a TcpStream) -> Self {
        Reader { from: BufReader::new(Until { stream, end: Instant::now() }) }
    }

    /// The next request; none where the connection ends or stays silent between two.
    pub(super) fn next(&mut self) -> Result<Option<Request>, Answer> {
        self.from.get_mut().end = Instant::now().checked_add(PATIENCE).unwrap_or_else(Instant::now);
        let mut left = MAX_HEAD;
        let Some(first) = self.line(&mut left, true)? else { return Ok(None) };
        let mut words = first.split(' ');
        let (Some(method), Some(path), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(Answer::error(400, "the first line is no request of HTTP/1.1"));
        };
        let is_old = match version {
            "HTTP/1.1" => false,
            "HTTP/1.0" => true,
            _ => return Err(Answer::error(400, "only HTTP/1.1 is spoken here")),
        };
        let headers = self.headers(&mut left)?;
        let one = |name: &str| {
            let mut all = headers
                .iter()
                .filter(|(known, _)| known.eq_ignore_ascii_case(name))
                .map(|(_, value)| value.clone());
            let first = all.next();
            if all.next().is_some() {
                Err(Answer::error(400, &format!("there are two headers {name}")))
            } else {
                Ok(first)
            }
        };
        if one("transfer-encoding")?.is_some() {
            return Err(Answer::error(501, "a body comes with Content-Length, not in chunks"));
        }
        let length = match one("content-length")? {
            None if method == "POST" => return Err(Answer::error(411, "a POST has Content-Length")),
            None => 0,
            Some(text) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                text.parse().unwrap_or(u64::MAX)
            }
            Some(_) => return Err(Answer::error(400, "Content-Length is no number")),
        };
        let (host, origin, site) = (one("host")?, one("origin")?, one("sec-fetch-site")?);
        let connection = one("connection")?.unwrap_or_default().to_ascii_lowercase();
        if one("expect")?.is_some() && length <= MAX_BODY {
            // curl waits for it before it sends a long body.
            let _ = (&mut &*self.from.get_ref().stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n");
        }
        Ok(Some(Request {
            method: method.to_owned(),
            path: path.to_owned(),
            host: host.unwrap_or_default(),
            origin,
            site,
            body: self.body(length)?,
            keeps_open: !is_old && connection != "close",
        }))
    }

    fn headers(&mut self, left: &mut u64) -> Result<Vec<(String, String)>, Answer> {
        let mut headers = Vec::new();
        loop {
            let Some(line) = self.line(left, false)? else { return Err(cut()) };
            if line.is_empty() {
                return Ok(headers);
            }
            let Some((name, value)) = line.split_once(':').filter(|(name, _)| is_name(name)) else {
                return Err(Answer::error(400, "a header is `Name: value`"));
            };
            if headers.len() == MAX_HEADERS {
                return Err(Answer::error(431, "there are more than 100 headers"));
            }
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
    }

    /// One line without its end; none at the end of the connection.
    fn line(&mut self, left: &mut u64, is_first: bool) -> Result<Option<String>, Answer> {
        let mut bytes = Vec::new();
        let read = self.from.by_ref().take(*left).read_until(b'\n', &mut bytes);
        match read {
            Ok(0) if *left > 0 => return Ok(None),
            // Nobody asks for anything more.
            Err(_) if is_first && bytes.is_empty() => return Ok(None),
            Err(error) => return Err(late(&error)),
            Ok(_) => {}
        }
        *left = left.saturating_sub(bytes.len() as u64);
        if !bytes.ends_with(b"\n") {
            return Err(if *left == 0 {
                Answer::error(431, "the headers have more than 32 kB")
            } else {
                cut()
            });
        }
        bytes.pop();
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        if bytes.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t') {
            return Err(Answer::error(400, "a header holds a control character"));
        }
        String::from_utf8(bytes).map(Some).map_err(|_| Answer::error(400, "a header is not UTF-8"))
    }

    fn body(&mut self, length: u64) -> Result<String, Answer> {
        if length > MAX_BODY {
            return Err(Answer::error(413, &format!("a body has at most {MAX_BODY} bytes")));
        }
        let mut bytes = Vec::new();
        let read = self.from.by_ref().take(length).read_to_end(&mut bytes).map_err(|error| late(&error))?;
        if (read as u64) < length {
            return Err(cut());
        }
        String::from_utf8(bytes).map_err(|_| Answer::error(400, "the body is not UTF-8"))
    }

    /// Takes what a refused client still sends, so that it reads the answer before the end of the connection.
    pub(super) fn drain(&mut self) {
        let stream = self.from.get_ref().stream;
        let _ = stream.shutdown(std::net::Shutdown::Write);
        self.from.get_mut().end =
            Instant::now().checked_add(Duration::from_secs(2)).unwrap_or_else(Instant::now);
        let _ = std::io::copy(&mut self.from.by_ref().take(MAX_DRAIN), &mut std::io::sink());
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

fn cut() -> Answer {
    Answer::error(400, "the request ends too early")
}

fn late(error: &std::io::Error) -> Answer {
    match error.kind() {
        std::io::ErrorKind::TimedOut | std::io::ErrorKind::WouldBlock => {
            Answer::error(408, "the request took longer than 30 s to arrive")
        }
        _ => Answer::error(400, &error.to_string()),
    }
}
