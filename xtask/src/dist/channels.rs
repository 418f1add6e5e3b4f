//! What package managers want to know of a release, made of one description: krew, Homebrew, aqua. cargo-binstall reads it in engine/cli/Cargo.toml.
//!
//! In: the version, the address of the sources, the archives with their checksums. Out: a file for each in `target/dist/channels`. An archive that is not
//! there is in no channel.

use std::fs;
use std::path::Path;

use super::sums::sha256;
use super::targets::{self, System, Target};
use crate::project::Project;
use crate::say::{Done, Failure, at, step};

/// One sentence; krew takes 50 characters.
const SHORT: &str = "Evaluate Kyverno policies without a cluster";

/// A release as a channel sees it.
struct Release {
    version: String,
    address: String,
    archives: Vec<Archive>,
}

struct Archive {
    target: Target,
    name: String,
    sum: String,
}

impl Release {
    fn url(&self, archive: &Archive) -> String {
        format!("{}/releases/download/v{}/{}", self.address, self.version, archive.name)
    }

    fn find(&self, triple: &str) -> Done<&Archive> {
        let missing =
            || Failure::new(format!("there is no archive for {triple}"), "run `cargo xtask dist --all`");
        self.archives.iter().find(|archive| archive.target.triple == triple).ok_or_else(missing)
    }
}

/// Writes the files of all channels, once the archives of all machines are there.
pub(crate) fn write(project: &Project, folder: &Path) -> Done {
    let mut archives = Vec::new();
    for target in targets::ALL {
        let name = format!("podsieve-{}.tar.gz", target.triple);
        let path = folder.join(&name);
        let bytes = at(&path, fs::read(&path))?;
        archives.push(Archive { target, name, sum: sha256(&bytes) });
    }
    let release = Release { version: project.version()?, address: project.address()?, archives };
    let to = folder.join("channels");
    let texts =
        [("krew.yaml", krew(&release)), ("podsieve.rb", homebrew(&release)?), ("aqua.yaml", aqua(&release)?)];
    step("write the channels", || {
        at(&to, fs::create_dir_all(&to))?;
        texts.iter().try_for_each(|(name, text)| at(&to, fs::write(to.join(name), text)))
    })
}

/// A plugin of kubectl: `kubectl podsieve`.
fn krew(release: &Release) -> String {
    let platform = |archive: &Archive| {
        let system = match archive.target.system {
            System::Linux => "linux",
            System::Mac => "darwin",
            System::Windows => "windows",
        };
        let (folder, program) = (format!("podsieve-{}", archive.target.triple), archive.target.program());
        format!(
            "  - selector: {{matchLabels: {{os: {system}, arch: {}}}}}\n    uri: {}\n    sha256: {}\n    files:\n    - {{from: {folder}/{program}, to: .}}\n    - {{from: {folder}/LICENSE, to: .}}\n    bin: {program}\n",
            archive.target.processor,
            release.url(archive),
            archive.sum,
        )
    };
    let platforms: String = release.archives.iter().map(platform).collect();
    format!(
        "apiVersion: krew.googlecontainertools.github.com/v1alpha2\nkind: Plugin\nmetadata:\n  name: podsieve\nspec:\n  version: v{}\n  homepage: {}\n  \
         shortDescription: {SHORT}\n  description: |\n    Reads policies and manifests, and gives the verdicts and messages of Kyverno with the lines that decided.\n  platforms:\n{platforms}",
        release.version, release.address,
    )
}

/// A formula of a tap.
fn homebrew(release: &Release) -> Done<String> {
    let block = |processor: &str, triple: &str| {
        let archive = release.find(triple)?;
        let (url, sum) = (release.url(archive), &archive.sum);
        Ok(format!("    on_{processor} do\n      url \"{url}\"\n      sha256 \"{sum}\"\n    end\n"))
    };
    let (mac, linux) = ("apple-darwin", "unknown-linux-musl");
    let system = |name: &str, triple: &str| {
        let (arm, intel) =
            (block("arm", &format!("aarch64-{triple}"))?, block("intel", &format!("x86_64-{triple}"))?);
        Ok(format!("  on_{name} do\n{arm}{intel}  end\n"))
    };
    let blocks = system("macos", mac)? + &system("linux", linux)?;
    Ok(format!(
        "class Podsieve < Formula\n  desc \"{SHORT}\"\n  homepage \"{}\"\n  version \"{}\"\n  license \"Apache-2.0\"\n\n{blocks}\n  def install\n    bin.install \"podsieve\"\n    \
         bash_completion.install \"completions/podsieve.bash\" => \"podsieve\"\n    zsh_completion.install \"completions/_podsieve\"\n    \
         fish_completion.install \"completions/podsieve.fish\"\n    man1.install Dir[\"man/man1/*.1\"]\n  end\n\n  test do\n    assert_match version.to_s, shell_output(\"#{{bin}}/podsieve version\")\n  end\nend\n",
        release.address, release.version,
    ))
}

/// A package of aqua's registry, which mise reads too.
fn aqua(release: &Release) -> Done<String> {
    let mut path = release.address.rsplit('/');
    let missing =
        || Failure::new("the address of the sources names no owner", "give one in Cargo.toml, repository");
    let (name, owner) = path.next().zip(path.next()).ok_or_else(missing)?;
    Ok(format!(
        "packages:\n- type: github_release\n  repo_owner: {owner}\n  repo_name: {name}\n  description: {SHORT}\n  asset: \"podsieve-{{{{.Arch}}}}-{{{{.OS}}}}.tar.gz\"\n  \
         format: tar.gz\n  files:\n  - {{name: podsieve, src: \"podsieve-{{{{.Arch}}}}-{{{{.OS}}}}/podsieve\"}}\n  replacements: {{amd64: x86_64, arm64: aarch64, \
         darwin: apple-darwin, linux: unknown-linux-musl, windows: pc-windows-gnu}}\n  checksum: {{type: github_release, asset: SHA256SUMS, algorithm: sha256}}\n  \
         supported_envs: [darwin, linux, amd64]\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release() -> Release {
        let archive = |target: Target| Archive {
            target,
            name: format!("podsieve-{}.tar.gz", target.triple),
            sum: sha256(target.triple.as_bytes()),
        };
        let archives = targets::ALL.into_iter().map(archive).collect();
        Release { version: "1.2.3".into(), address: "https://example.com/owner/podsieve".into(), archives }
    }

    #[test]
    fn each_channel_names_each_archive_with_its_checksum() {
        let release = release();
        let (krew, homebrew) = (krew(&release), homebrew(&release).unwrap());
        for archive in &release.archives {
            let url = format!("https://example.com/owner/podsieve/releases/download/v1.2.3/{}", archive.name);
            assert!(krew.contains(&url) && krew.contains(&archive.sum), "{krew}");
            let is_in_formula = homebrew.contains(&url) && homebrew.contains(&archive.sum);
            assert_eq!(is_in_formula, archive.target.system != System::Windows, "{homebrew}");
        }
        assert!(krew.contains("version: v1.2.3") && homebrew.contains("version \"1.2.3\""));
        assert!(SHORT.len() <= 50);
        let aqua = aqua(&release).unwrap();
        assert!(
            aqua.contains("repo_owner: owner")
                && aqua.contains("src: \"podsieve-{{.Arch}}-{{.OS}}/podsieve\"")
        );
    }
    #[test]
    fn binstall_finds_the_archives_by_their_names() {
        let manifest = include_str!("../../../engine/cli/Cargo.toml");
        let release = release();
        let archive = release.find("aarch64-apple-darwin").unwrap();
        let filled = manifest
            .replace("{ repo }", &release.address)
            .replace("{ version }", &release.version)
            .replace("{ target }", archive.target.triple)
            .replace("{ bin }{ binary-ext }", archive.target.program());
        assert!(filled.contains(&format!("pkg-url = \"{}\"", release.url(archive))), "{filled}");
        assert!(filled.contains("bin-dir = \"podsieve-aarch64-apple-darwin/podsieve\""), "{filled}");
        let windows = release.find("x86_64-pc-windows-gnu").unwrap();
        assert!(filled.contains(&format!("pkg-url = \"{}\"", release.url(windows))), "{filled}");
    }
}
