//! Everything of a release in `target/dist`: archives, the npm package, the image, checksums, the list of parts; looked at once it is there.
//!
//! In: the names of parts, or none for all; `--all` for all machines instead of this one. Out: files, and a line for each with its size. The same
//! checkout gives the same bytes.

mod archive;
mod channels;
mod check;
mod image;
pub(crate) mod npm;
mod sums;
mod targets;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::project::{Project, run_quiet};
use crate::say::{Done, Failure, at, line, step};
use crate::{day, licenses, site};
use archive::{Entry, Kind};
use check::Programs;
use targets::{System, Target};

/// What can be made by itself.
const PARTS: [&str; 3] = ["npm", "archives", "image"];

/// The shells that complete commands, and the file of each.
const SHELLS: [(&str, &str); 3] =
    [("bash", "podsieve.bash"), ("zsh", "_podsieve"), ("fish", "podsieve.fish")];

/// Makes a release.
pub(crate) fn run(project: &Project, arguments: &[String]) -> Done {
    let (options, parts): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|word| word.starts_with("--"));
    let unknown = options.iter().find(|option| option.as_str() != "--all");
    let unknown = unknown.or_else(|| parts.iter().find(|part| !PARTS.contains(&part.as_str())));
    if let Some(unknown) = unknown {
        return Err(Failure::new(
            format!("`{unknown}` is no part of a release"),
            format!("choose of {}", PARTS.join(", ")),
        ));
    }
    let is_wanted = |part: &str| parts.is_empty() || parts.iter().any(|wanted| *wanted == part);
    let folder = project.target("dist");
    if parts.is_empty() {
        site::reset(&folder)?;
    }
    at(&folder, fs::create_dir_all(&folder))?;
    let here = Target::of_this_machine()?;
    if is_wanted("archives") {
        // First the one that runs here: it says what shells complete.
        let others =
            targets::ALL.into_iter().filter(|target| target.triple != here.triple && !options.is_empty());
        let all: Vec<Target> = std::iter::once(here).chain(others).collect();
        let programs = all.iter().map(|target| Ok((*target, targets::build(project, *target)?)));
        let programs = programs.collect::<Done<Vec<_>>>()?;
        archives(project, &folder, &programs, Programs::Released)?;
    }
    if is_wanted("image") {
        write_image(project, &folder, Programs::Released)?;
    }
    if is_wanted("npm") {
        npm::build(project, &folder)?;
    }
    sums::write(&folder)?;
    if parts.is_empty() && !options.is_empty() {
        channels::write(project, &folder)?;
    }
    show(&folder)
}

/// Packs the program of the tests twice, to try what packs: nothing of it is published.
pub(crate) fn rehearse(project: &Project) -> Done {
    let folder = project.target("xtask/rehearsal");
    let programs = [(Target::of_this_machine()?, project.program("podsieve"))];
    let mut sums = Vec::new();
    for _ in 0..2 {
        site::reset(&folder)?;
        archives(project, &folder, &programs, Programs::OfTests)?;
        write_image(project, &folder, Programs::OfTests)?;
        sums::write(&folder)?;
        sums.push(at(&folder, fs::read(folder.join(sums::SUMS)))?);
    }
    sums.dedup();
    if sums.len() == 1 {
        return Ok(());
    }
    Err(Failure::new(
        "the same program was packed twice, with other bytes",
        "compare what is in the archives",
    ))
}

/// The archive of each program, and the list of what is in it.
fn archives(project: &Project, folder: &Path, programs: &[(Target, PathBuf)], which: Programs) -> Done {
    let Some((_, here)) = programs.first() else { return Ok(()) };
    let (beside, time) = (beside(project, here)?, released(project)?);
    let mut all = Vec::new();
    for (target, program) in programs {
        let works = licenses::works_of_client(project, target.triple)?;
        let file = folder.join(format!("podsieve-{}.tar.gz", target.triple));
        step(format!("pack {}", target.triple), || {
            let bytes = at(program, fs::read(program))?;
            let mut entries = vec![Entry::new(target.program(), Kind::Program, bytes)];
            entries.push(Entry::new(licenses::FILE, Kind::Text, licenses::text(project, &works)?));
            entries.extend(beside.iter().cloned());
            for entry in &mut entries {
                entry.name = format!("podsieve-{}/{}", target.triple, entry.name);
            }
            let packed = archive::tar(entries, time).and_then(|tar| archive::gzip(&tar));
            at(&file, fs::write(&file, at(&file, packed)?))
        })?;
        check::archive(project, *target, &file, which)?;
        all.extend(works);
    }
    let parts = folder.join(sums::PARTS);
    at(&parts, fs::write(&parts, sums::parts(&project.version()?, &all)))
}

/// What lies beside the program, the same on all machines.
fn beside(project: &Project, program: &Path) -> Done<Vec<Entry>> {
    let mut entries = Vec::new();
    for name in ["LICENSE", "README.md"] {
        let path = project.path(name);
        entries.push(Entry::new(name, Kind::Text, at(&path, fs::read(&path))?));
    }
    let said = |words: &[&str]| run_quiet(Command::new(program).args(words), "does the program run here?");
    for (shell, name) in SHELLS {
        entries.push(Entry::new(format!("completions/{name}"), Kind::Text, said(&["completion", shell])?));
    }
    for page in pages(&said(&["completion", "man"])?) {
        entries.push(Entry::new(format!("man/man1/{}.1", page.0), Kind::Text, page.1));
    }
    Ok(entries)
}

/// The manual pages of a text that holds them one after the other, each with its name.
fn pages(text: &str) -> Vec<(String, String)> {
    /// What each begins with.
    const START: &str = ".ie \\n(.g ";
    let pages = text.split(START).skip(1).filter_map(|page| {
        let name = page.lines().find_map(|line| line.strip_prefix(".TH ")?.split(' ').next())?;
        Some((name.to_owned(), format!("{START}{page}")))
    });
    pages.collect()
}

/// The image, of the archives of Linux that are there.
fn write_image(project: &Project, folder: &Path, programs: Programs) -> Done {
    let mut archives = Vec::new();
    for target in targets::ALL.into_iter().filter(|target| target.system == System::Linux) {
        let file = folder.join(format!("podsieve-{}.tar.gz", target.triple));
        if file.is_file() {
            archives.push((target, at(&file, fs::read(&file))?));
        }
    }
    if archives.is_empty() {
        return Err(Failure::new(
            "there is no archive of Linux to make an image of",
            "run `cargo xtask dist archives`",
        ));
    }
    let file = folder.join(image::FILE);
    step("write the image", || {
        let (version, revision) = (project.version()?, project.revision());
        let about = image::About {
            version: &version,
            revision: &revision,
            source: &project.address()?,
            time: released(project)?,
        };
        let bytes = image::of(&archives, &about)?;
        let faults = at(&file, image::faults(&bytes))?;
        if let Some(fault) = faults.first() {
            return Err(Failure::new(format!("the image: {fault}"), ""));
        }
        at(&file, fs::write(&file, bytes))
    })?;
    check::image(project, &file, programs)
}

/// When the version was released, by its heading in CHANGELOG.md; 1970 until it is.
fn released(project: &Project) -> Done<u64> {
    let path = project.path("CHANGELOG.md");
    let text = at(&path, fs::read_to_string(&path))?;
    let version = project.version()?;
    let date = text.lines().find_map(|line| line.strip_prefix(&format!("## {version}, ")));
    Ok(date.and_then(day::seconds).unwrap_or_default())
}

/// A line for each file.
fn show(folder: &Path) -> Done {
    let mut files = Vec::new();
    for entry in at(folder, fs::read_dir(folder))? {
        let entry = at(folder, entry)?;
        files.push((entry.file_name().to_string_lossy().into_owned(), at(folder, entry.metadata())?.len()));
    }
    files.sort();
    for (name, size) in &files {
        line(format!("{name:<48}{size:>12}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manual_pages_are_told_apart() {
        let page = |name: &str| {
            format!(".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n.TH {name} 1 \"{name}\" \n.SH NAME\n")
        };
        let (one, two) = (page("podsieve"), page("podsieve-apply"));
        assert_eq!(
            pages(&format!("{one}{two}")),
            [("podsieve".to_owned(), one), ("podsieve-apply".to_owned(), two)]
        );
    }
}
