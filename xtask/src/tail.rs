//! The last lines that a program printed, so that they can be said again where its output is cut or long; and how many tests it counted.
//!
//! In: a command. Out: its exit status; its output went on to ours line by line, the end of it is kept, and the lines in which cargo and
//! Node sum up their tests are added.

use std::collections::VecDeque;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// So many lines say why a program failed.
const LINES: usize = 40;
/// How long what a program has left running may keep its output open after its own end.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often it is looked whether the program has ended.
const GLANCE: Duration = Duration::from_millis(50);

/// Tests that passed and that failed, of all programs so far.
static PASSED: AtomicUsize = AtomicUsize::new(0);
static FAILED: AtomicUsize = AtomicUsize::new(0);

/// How many tests passed and failed so far; none where the output goes to a terminal.
pub(crate) fn counted() -> (usize, usize) {
    (PASSED.load(Ordering::Relaxed), FAILED.load(Ordering::Relaxed))
}

/// Takes failures back, of tests that passed when they were run again.
pub(crate) fn forgive(failed_before: usize) {
    FAILED.store(failed_before, Ordering::Relaxed);
}

/// Adds what a line sums up.
fn count(line: &str) {
    let (passed, failed) = sums(line);
    PASSED.fetch_add(passed, Ordering::Relaxed);
    FAILED.fetch_add(failed, Ordering::Relaxed);
}

/// The numbers of `test result: ok. 3 passed; 1 failed; …` as cargo has it, of `# pass 3` and `# fail 1` as Node.
fn sums(line: &str) -> (usize, usize) {
    let number = |text: Option<&str>| text.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    if let Some(result) = line.strip_prefix("test result: ") {
        let before = |word| number(result.split_once(word).and_then(|(text, _)| text.split(' ').next_back()));
        return (before(" passed;"), before(" failed;"));
    }
    let of_node = line.strip_prefix(['#', '\u{2139}']).unwrap_or_default().trim_start();
    (number(of_node.strip_prefix("pass ")), number(of_node.strip_prefix("fail ")))
}

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
                count(&line);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_sum_up_tests_are_read() {
        let of_cargo = "test result: FAILED. 12 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.0s";
        assert_eq!(sums(of_cargo), (12, 3));
        assert_eq!(sums("# pass 7"), (7, 0));
        assert_eq!(sums("\u{2139} fail 2"), (0, 2));
        assert_eq!(sums("pass 7"), (0, 0));
        assert_eq!(sums("# passed 7"), (0, 0));
    }
}
