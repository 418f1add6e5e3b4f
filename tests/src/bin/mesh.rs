//! `mesh [FOLDER]`: writes `engine/mesh/data/mesh.json` anew from the recorded answers.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tests::mesh;
use tests::recorded::Recorded;

fn main() -> ExitCode {
    match write(std::env::args().nth(1).map(PathBuf::from)) {
        Ok(described) => {
            println!("{described}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn write(folder: Option<PathBuf>) -> Result<String, String> {
    let recorded = folder.map_or_else(Recorded::all, |folder| Recorded::of(&folder));
    let text = mesh::generate::text_of(&mesh::records(&recorded)?)?;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(mesh::DATA);
    std::fs::write(&path, &text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(format!("{}: {} bytes", mesh::DATA, text.len()))
}
