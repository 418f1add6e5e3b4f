//! `podsieve mesh`: Pods as they arrive after injection by Istio or Linkerd.
//!
//! In: files and a mesh. Out: the Pods on standard output; on standard error why each is injected or not, and where the
//! controller passes a level that its Pods will not. Other commands take Pods as they arrive by [`arriving`].

mod arrive;
mod inject;
mod list;

use crate::args::{Mesh, MeshCommand};
use crate::exit::Failure;
use engine_lenses::injection::{Data, RECORDED, Setup};

pub(crate) use arrive::{Arriving, Pair, arriving};

/// Runs the command.
pub(crate) fn run(mesh: &Mesh) -> Result<u8, Failure> {
    match &mesh.command {
        MeshCommand::Inject(arguments) => inject::run(arguments),
        MeshCommand::List(arguments) => list::run(arguments.format),
    }
}

/// What is known of all meshes.
fn data() -> Result<Data, Failure> {
    Data::read(RECORDED).map_err(|error| Failure(error.to_string()))
}

/// The mesh that is asked for.
fn setup(data: &Data, asked: &str) -> Result<Setup, Failure> {
    Setup::read(data, asked).map_err(|why| Failure(format!("--mesh {asked}: {why}")))
}
