//! What the terminal client asks of a system, each once: the same source is a program for this machine and a module of WASI.
//!
//! In: arguments, standard input, the folder that it runs in. Out: what it found, a line each; the exit code 7.

use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal, Read, Write};

fn main() {
    #[cfg(target_os = "wasi")]
    std::env::set_current_dir(std::env::var_os("PWD").unwrap()).unwrap();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    say("arguments", arguments.clone());
    say("variable", std::env::var("PROBE"));
    for path in &arguments {
        say(path, fs::metadata(path).map(|about| (about.is_file(), about.is_dir(), about.len())).map_err(kind));
        say("  itself", fs::symlink_metadata(path).map(|about| (about.is_file(), about.is_symlink())).map_err(kind));
        say("  true path", fs::canonicalize(path).map_err(kind));
        say("  bytes", fs::read(path).map(|bytes| (bytes.len(), bytes.last().copied())).map_err(kind));
        say("  entries", entries(path).map_err(kind));
    }
    say("new folder", fs::create_dir_all("made/deep").map_err(kind));
    say("again", fs::create_dir("made").map_err(kind));
    say("new file", fs::write("made/deep/file", "one\n").map_err(kind));
    say("over a folder", fs::write("made", "").map_err(kind));
    say("below a file", fs::write("made/deep/file/x", "").map_err(kind));
    let end = OpenOptions::new().create(true).append(true).open("made/deep/file");
    say("at the end", end.and_then(|mut file| file.write_all("two ü\n".as_bytes())).map_err(kind));
    say("only if new", OpenOptions::new().write(true).create_new(true).open("made/deep/file").map(drop).map_err(kind));
    say("text", fs::read_to_string("made/deep/file").map_err(kind));
    say("over it", File::create("made/deep/file").and_then(|mut file| file.write_all(b"three")).map_err(kind));
    say("then", fs::read_to_string("made/deep/file").map_err(kind));
    let mut input = Vec::new();
    say("input", io::stdin().lock().read_to_end(&mut input).map_err(kind));
    say("ends", input.last());
    say("terminals", [io::stdin().is_terminal(), io::stdout().is_terminal(), io::stderr().is_terminal()]);
    let (day, now) = (std::time::SystemTime::now(), std::time::Instant::now());
    let since_1970 = day.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    say("clocks", since_1970 > 1_700_000_000 && since_1970 < 10_000_000_000 && now.elapsed().as_secs() < 100);
    eprint!("on standard error");
    // More than a pipe holds.
    io::stdout().write_all(&vec![b'x'; 3 << 20]).unwrap();
    std::process::exit(7)
}

fn say(what: &str, found: impl std::fmt::Debug) {
    println!("{what}: {found:?}");
}

fn kind(error: io::Error) -> io::ErrorKind {
    error.kind()
}

/// The names in a folder, and what each is.
fn entries(path: &str) -> io::Result<Vec<(String, bool, bool)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        found.push((entry.file_name().into_string().unwrap(), kind.is_dir(), kind.is_symlink()));
    }
    found.sort();
    Ok(found)
}
