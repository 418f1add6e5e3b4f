//! What was packed is looked at again: its size, what the program needs of a system, folders of this machine in it, and what it says where it runs here.
//!
//! In: an archive or the image. Out: nothing; a failure that says what is wrong. What cannot be tried here is named as skipped.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use object::read::macho::{LoadCommandVariant, MachHeader};
use object::{LittleEndian, Object as _, ObjectKind, macho};

use super::archive::{self, Kind};
use super::targets::{OLDEST_MAC, System, Target};
use crate::project::{Project, cargo_home, run_quiet};
use crate::say::{Done, Failure, at, line};

/// Bytes of a program.
const MOST: usize = 25_000_000;

/// Which programs were packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Programs {
    /// Those that are published.
    Released,
    /// Those of the tests: larger, not static, with the folders of this machine in them.
    OfTests,
}

/// Looks at an archive.
pub(crate) fn archive(project: &Project, target: Target, file: &Path, programs: Programs) -> Done {
    let wrong = |what: String| Failure::new(format!("{}: {what}", file.display()), "");
    let entries = at(file, archive::open(&at(file, fs::read(file))?))?;
    let program = entries.iter().find(|entry| entry.kind == Kind::Program);
    let program = &program.ok_or_else(|| wrong("there is no program in it".to_owned()))?.bytes;
    if programs == Programs::Released {
        let home = cargo_home().map(|home| format!("{}/registry", home.display()));
        let places = [Some(project.path("engine").display().to_string()), home];
        let text = String::from_utf8_lossy(program);
        let place = places.iter().flatten().find(|place| text.contains(place.as_str()));
        let place = place.map(|place| format!("the program names {place}"));
        if let Some(fault) = place.or_else(|| fault(target, program)) {
            return Err(wrong(fault));
        }
    }
    let folder = project.target("xtask/tried");
    crate::site::reset(&folder)?;
    for entry in &entries {
        let path = folder.join(&entry.name);
        at(&path, path.parent().map_or(Ok(()), fs::create_dir_all))?;
        at(&path, fs::write(&path, &entry.bytes))?;
    }
    let program = folder.join(format!("podsieve-{}", target.triple)).join(target.program());
    tried(target, &program)
}

/// What of a program is not as its system wants it.
fn fault(target: Target, bytes: &[u8]) -> Option<String> {
    if bytes.len() > MOST {
        return Some(format!("the program has {} bytes, {MOST} are allowed", bytes.len()));
    }
    let read = match object::File::parse(bytes) {
        Ok(read) => read,
        Err(error) => return Some(format!("the program cannot be read: {error}")),
    };
    let imports = read.imports().unwrap_or_default();
    match target.system {
        System::Linux => {
            let needs = read.kind() == ObjectKind::Dynamic && !imports.is_empty();
            needs.then(|| format!("the program is not static: it asks for {}", imports.len()))
        }
        System::Mac => of_mac(target, bytes).unwrap_or_else(|error| Some(error.to_string())),
        System::Windows => None,
    }
}

/// The oldest system, the signature that arm64 wants, and the libraries.
fn of_mac(target: Target, bytes: &[u8]) -> object::Result<Option<String>> {
    let header = macho::MachHeader64::<LittleEndian>::parse(bytes, 0)?;
    let (mut is_old_enough, mut is_signed) = (false, false);
    let mut commands = header.load_commands(LittleEndian, bytes, 0)?;
    while let Some(command) = commands.next()? {
        match command.variant()? {
            LoadCommandVariant::BuildVersion(build) => {
                let version = build.minos.get(LittleEndian);
                is_old_enough = format!("{}.{}", version >> 16, version >> 8 & 0xff) == OLDEST_MAC;
            }
            LoadCommandVariant::LinkeditData(data) => {
                is_signed |= data.cmd.get(LittleEndian) == macho::LC_CODE_SIGNATURE;
            }
            LoadCommandVariant::Dylib(library) => {
                let name =
                    String::from_utf8_lossy(command.string(LittleEndian, library.dylib.name)?).into_owned();
                if name != "/usr/lib/libSystem.B.dylib" {
                    return Ok(Some(format!("the program asks for {name}")));
                }
            }
            _ => {}
        }
    }
    let unsigned = !is_signed && target.processor == "arm64";
    Ok(match (is_old_enough, unsigned) {
        (false, _) => Some(format!("the program does not ask for macOS {OLDEST_MAC}")),
        (_, true) => Some("the program is not signed, and arm64 starts none".to_owned()),
        _ => None,
    })
}

/// Asks the program for a verdict where this machine can run it.
fn tried(target: Target, program: &Path) -> Done {
    #[cfg(unix)]
    at(program, fs::set_permissions(program, std::os::unix::fs::PermissionsExt::from_mode(0o755)))?;
    let runner = match (target.system, Target::of_this_machine()?.triple == target.triple) {
        (_, true) => None,
        (System::Linux, _) => Some("qemu-aarch64-static"),
        (System::Windows, _) => Some("wine64"),
        (System::Mac, _) => {
            line(format!("  not run here: {}", target.triple));
            return Ok(());
        }
    };
    if let Some(missing) = runner.filter(|runner| Command::new(runner).arg("--version").output().is_err()) {
        line(format!("  not run here: {}, as {missing} is not installed", target.triple));
        return Ok(());
    }
    let mut version = Command::new(runner.map_or(program.as_os_str(), OsStr::new));
    version.args(runner.map(|_| program)).arg("version");
    let begun = Instant::now();
    let said = run_quiet(&mut version, "the program does not run on the system that it is for")?;
    let seconds = begun.elapsed().as_secs_f64();
    line(format!("  {}: {} after {seconds:.2} s", target.triple, said.lines().nth(1).unwrap_or_default()));
    Ok(())
}

/// Has the tools of images read the image, and start the program in it, where they are.
pub(crate) fn image(project: &Project, file: &Path, programs: Programs) -> Done {
    let is_there = |tool: &&str| Command::new(tool).arg("--version").output().is_ok();
    if !["skopeo", "umoci", "unshare"].iter().all(is_there) {
        line("  the image is not read by other tools: apt-get install skopeo umoci");
        return Ok(());
    }
    let folder = project.target("xtask/tried-image");
    crate::site::reset(&folder)?;
    let layout = folder.join("layout").display().to_string();
    let named = format!("oci-archive:{}", file.display());
    let mut copy = Command::new("skopeo");
    copy.args(["--insecure-policy", "copy", "--all", &named, &format!("oci:{layout}:tried")]);
    run_quiet(&mut copy, "")?;
    // The copy of one image alone has a name that can be unpacked.
    let mut one = Command::new("skopeo");
    one.args(["--insecure-policy", "copy", &named, &format!("oci:{layout}:one")]);
    run_quiet(&mut one, "")?;
    let bundle = folder.join("bundle");
    let mut unpack = Command::new("umoci");
    unpack.args(["unpack", "--rootless", "--image", &format!("{layout}:one")]).arg(&bundle);
    run_quiet(&mut unpack, "")?;
    if programs == Programs::OfTests {
        return Ok(());
    }
    let mut run = Command::new("unshare");
    run.args(["--map-root-user", "--net", "chroot"])
        .arg(bundle.join("rootfs"))
        .args(["/podsieve", "version"]);
    let said = run_quiet(&mut run, "the program of the image starts in an empty root")?;
    line(format!("  in the image: {}", said.lines().nth(1).unwrap_or_default()));
    Ok(())
}
