//! `docs/mesh.md`: which level a Pod reaches after injection, for every release and option.
//!
//! In: the data of `engine/mesh`. Out: the page as Markdown.

use super::check::{Hardened, plain, reached};
use engine_lenses::injection::{Data, Outcome, Release, Setup, arrive};
use std::fmt::Write;

/// Where the page stands, below the root of the repository.
pub const PAGE: &str = "docs/mesh.md";

/// What the page says before its tables.
const HEAD: &str = include_str!("head.md");

/// The page.
pub fn page(data: &Data) -> Result<String, String> {
    let mut page = HEAD.to_owned();
    for (mesh, title) in [("istio", "Istio"), ("linkerd", "Linkerd")] {
        let releases: Vec<Release> = data.releases().into_iter().filter(|one| one.mesh == mesh).collect();
        let _ = write!(page, "\n### {title}\n\n| options |");
        for release in &releases {
            let _ = write!(
                page,
                " {} |",
                release.version.trim_start_matches("stable-").trim_start_matches("version-")
            );
        }
        let _ = write!(page, "\n|---|{}\n", "---|".repeat(releases.len()));
        for options in rows(&releases) {
            let name = options.replace("classic", "init").replace("init,cni", "cni").replace(',', " + ");
            let _ = write!(page, "| {name} |");
            for release in &releases {
                let _ = write!(page, " {} |", cell(data, release, &options)?);
            }
            page.push('\n');
        }
    }
    Ok(page)
}

/// The options of all rows: the four modes, then each option with and without CNI.
fn rows(releases: &[Release]) -> Vec<String> {
    let mut rows: Vec<String> =
        ["classic", "classic,cni", "native", "native,cni"].map(str::to_owned).to_vec();
    let modes = ["cni", "native", "classic"];
    let mut known: Vec<&str> =
        releases.iter().flat_map(|one| one.options.iter().map(String::as_str)).collect();
    known.sort_unstable();
    known.dedup();
    for option in known.into_iter().filter(|option| !modes.contains(option)) {
        if option.starts_with("template:") {
            rows.push(option.to_owned());
        } else {
            rows.extend([format!("classic,{option}"), format!("classic,cni,{option}")]);
        }
    }
    rows
}

fn cell(data: &Data, release: &Release, options: &str) -> Result<String, String> {
    let knows = |option: &str| {
        release.options.iter().any(|known| known == option) || (option == "classic" && !release.is_native)
    };
    if !options.split(',').all(knows) {
        return Ok("–".to_owned());
    }
    // Where there are no native sidecars there is no word for classic ones.
    let has_word = release.options.iter().any(|known| known == "classic");
    let asked: Vec<&str> = options.split(',').filter(|option| has_word || *option != "classic").collect();
    let setup = Setup::read(
        data,
        &[&format!("{}@{}", release.mesh, release.version), asked.join(",").as_str()].join(","),
    )?;
    let letter = |hardened| -> Result<&str, String> {
        let arrival = arrive(data, &setup, &plain(hardened), None).ok_or("no Pod")?;
        let level = reached(&arrival.pod).0;
        Ok(match (arrival.outcome, level) {
            (Outcome::Refused, _) => "refused by the injector",
            (_, "restricted") => "R",
            (_, "baseline") => "B",
            _ => "P",
        })
    };
    let (first, second) = (letter(Hardened::OnThePod)?, letter(Hardened::OnEachContainer)?);
    Ok(if first.len() > 1 { first.to_owned() } else { format!("{first}/{second}") })
}
