//! What is asked: a mesh, a version, options.
//!
//! In: `istio@1.27,cni,seccomp`. Out: a [`Setup`] with the row of the data that answers for it.

use crate::data::{Data, Row};
use crate::version::Version;
use engine_json::Value;

/// A mesh as it is installed.
#[derive(Clone, Debug)]
pub struct Setup {
    /// `istio` or `linkerd`.
    pub mesh: String,
    /// The version that was asked for, or the newest release that is known.
    pub version: String,
    /// The options that were asked for.
    pub options: Vec<String>,
    /// The release that answers for the version.
    pub release: String,
    /// What is to be known about that.
    pub note: Option<String>,
    /// The tag of the images.
    pub(crate) tag: String,
    pub(crate) row: Value,
}

impl Setup {
    /// Reads `MESH[@VERSION][,OPTION…]`; the error is one line for a person.
    pub fn read(data: &Data, text: &str) -> Result<Setup, String> {
        let mut parts = text.split(',').map(str::trim);
        let first = parts.next().unwrap_or_default();
        let (mesh, version) = first.split_once('@').unwrap_or((first, ""));
        let rows = data.rows(mesh);
        let row = row_of(rows, mesh, version)?;
        let options: Vec<String> = parts.filter(|part| !part.is_empty()).map(str::to_owned).collect();
        if let Some(unknown) = options.iter().find(|option| !row.knows(option)) {
            let known: Vec<String> = data
                .releases()
                .into_iter()
                .filter(|one| one.mesh == mesh && one.version == row.text("version"))
                .flat_map(|one| one.options)
                .collect();
            return Err(format!(
                "`{unknown}` is not an option of {mesh} {}: {}",
                row.text("version"),
                known.join(", ")
            ));
        }
        let release = row.text("version");
        let (tag, note) = tag_of(row, mesh, version);
        Ok(Setup {
            mesh: mesh.to_owned(),
            version: if version.is_empty() { release } else { version }.to_owned(),
            options,
            release: release.to_owned(),
            note,
            tag,
            row: row.0.clone(),
        })
    }

    pub(crate) fn row(&self) -> Row<'_> {
        Row(&self.row)
    }
}

/// The newest row that begins by the version; the newest release where none is asked for, and no preview of the next.
fn row_of<'d>(rows: &'d [Value], mesh: &str, version: &str) -> Result<Row<'d>, String> {
    let (Some(first), Some(last)) = (rows.first().map(Row), rows.last().map(Row)) else {
        return Err(format!("`{mesh}` is not a known mesh: write `istio` or `linkerd`"));
    };
    if version.is_empty() || version == "latest" {
        return Ok(rows.iter().map(Row).rfind(|row| !row.is_preview()).unwrap_or(last));
    }
    let asked = Version::read(version).ok_or_else(|| {
        format!("`{version}` is not a version: write one as `{mesh}@{}`, or `latest`", last.text("version"))
    })?;
    let found = rows.iter().map(Row).rfind(|row| row.begins_by(&asked));
    found.ok_or_else(|| {
        format!("{mesh} {version} is older than {}, the oldest that is known", first.text("version"))
    })
}

/// The tag of the images, and what is to be known where no release of that minor was read.
fn tag_of(row: Row<'_>, mesh: &str, version: &str) -> (String, Option<String>) {
    let (release, tag) = (row.text("version"), row.text("tag"));
    let (Some(asked), Some(read)) = (Version::read(version), Version::read(release)) else {
        return (tag.to_owned(), None);
    };
    let is_whole = asked.numbers.len() > 2;
    let is_same = asked.is_same_minor(&read);
    let tag = match (is_whole, is_same, mesh) {
        // Linkerd's tags name the series.
        (true, _, "linkerd") if !version.contains('-') => format!("stable-{version}"),
        (true, ..) => version.to_owned(),
        (false, false, "istio") => format!("{version}.0"),
        _ => tag.to_owned(),
    };
    let note =
        format!("{mesh} {version} was not read: this is what {release} injects, the nearest before it");
    (tag, (!is_same).then_some(note))
}
