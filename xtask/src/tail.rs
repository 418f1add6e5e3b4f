//! The last lines that a program printed, so that they can be said again where its output is cut or long.
//!
//! In: a command. Out: its exit status; its output went on to ours line by line, and the end of it is kept.

use std::collections::VecDeque;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// So many lines say why a program failed.
const LINES: usize = 40;
/// How long what a program has left running may keep its output open after its own end.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often it is looked whether the program has ended.
const GLANCE: Duration = Duration::from_millis(50);

/// Runs a command whose output goes to the person. At a terminal it goes there directly, with colours and progress, and
/// nothing is kept: who sits there has just read it.
pub(crate) fn run(command: &mut Command) -> io::Result<(ExitStatus, Vec<String>)> {
    if io::stdout().is_terminal() || io::stderr().is_terminal() {
        return Ok((command.status()?, Vec::new()));
    }
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (sender, lines) = mpsc::channel();
    pass_on(child.stdout.take(), io::stdout(), sender.clone());
    pass_on(child.stderr.take(), io::stderr(), sender);
    let mut kept = VecDeque::new();
    let mut ended: Option<Instant> = None;
    loop {
        match lines.recv_timeout(GLANCE) {
            Ok(line) => {
                if kept.len() == LINES {
                    kept.pop_front();
                }
                kept.push_back(line);
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                if child.try_wait()?.is_some() && ended.get_or_insert_with(Instant::now).elapsed() > PATIENCE
                {
                    break;
                }
            }
        }
    }
    Ok((child.wait()?, kept.into()))
}

/// Copies line by line, in a thread of its own.
fn pass_on(
    from: Option<impl Read + Send + 'static>,
    mut to: impl Write + Send + 'static,
    kept: Sender<String>,
) {
    let Some(from) = from else { return };
    std::thread::spawn(move || {
        let mut from = BufReader::new(from);
        let mut line = Vec::new();
        while from.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            // Where nobody reads ours, the program still runs to its end.
            drop(to.write_all(&line).and_then(|()| to.flush()));
            if kept.send(String::from_utf8_lossy(&line).trim_end().to_owned()).is_err() {
                break;
            }
            line.clear();
        }
    });
}
