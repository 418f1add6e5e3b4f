//! The arguments of `podsieve mesh`, and the flag `--mesh` of other commands.
//!
//! In: `mesh inject -f deployment.yaml --mesh istio@1.27,cni`. Out: a [`Mesh`].

use clap::{Args, Subcommand, ValueEnum};

/// Show Pods as they arrive after injection by Istio or Linkerd
#[derive(Args)]
pub(crate) struct Mesh {
    #[command(subcommand)]
    pub(crate) command: MeshCommand,
}

/// What to ask.
#[derive(Subcommand)]
pub(crate) enum MeshCommand {
    /// Print each Pod, and the Pod of each controller, as it arrives
    #[command(after_help = INJECT_EXAMPLES, disable_version_flag = true)]
    Inject(MeshInject),
    /// List the known releases, and the options of each
    #[command(after_help = LIST_EXAMPLES, disable_version_flag = true)]
    List(MeshList),
}

const INJECT_EXAMPLES: &str = "\
Examples:
  podsieve mesh inject -f deployment.yaml --mesh istio@1.27,cni
  podsieve mesh inject -f deployment.yaml --mesh linkerd --mesh-version 2.14 --cni --mark
  podsieve mesh inject -f app/ -f namespace.yaml --mesh istio | podsieve apply policies/ -r -
  podsieve mesh inject -f app/ --mesh istio@1.24 --format json

Namespaces among the files switch injection on and off by their labels and annotations, as Pods do by theirs; a \
namespace that is not among the files is assumed to ask for injection. Why a Pod is injected or not goes to standard error.

Exit codes: 1 if a file cannot be read, or if the injector itself would refuse a Pod; otherwise 0.";

const LIST_EXAMPLES: &str = "\
Examples:
  podsieve mesh list
  podsieve mesh list --format json";

/// A mesh as it is installed.
#[derive(Args)]
pub(crate) struct Installed {
    /// The mesh, optionally with its version and options: `istio`, `istio@1.27`, `linkerd@2.14,cni`
    #[arg(long, value_name = "MESH[@VERSION][,OPTION…]", default_value = "istio")]
    pub(crate) mesh: String,
    /// The version; by default the newest release that `podsieve mesh list` shows
    #[arg(long, value_name = "VERSION")]
    pub(crate) mesh_version: Option<String>,
    /// With the mesh's CNI plugin, so that no init container sets up the network
    #[arg(long)]
    pub(crate) cni: bool,
    /// Whether the proxy is a native sidecar; by default what the version does on Kubernetes 1.33 and newer
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) native_sidecars: Option<bool>,
    /// Another option of the installation, as `podsieve mesh list` names it; may be given several times
    #[arg(long = "option", value_name = "OPTION", value_delimiter = ',')]
    pub(crate) options: Vec<String>,
}

impl Installed {
    /// The same in one line: `istio@1.27,cni`.
    pub(crate) fn in_one(&self) -> String {
        let (mesh, behind) =
            self.mesh.split_once(',').map_or((self.mesh.as_str(), None), |(m, b)| (m, Some(b)));
        let mut line = mesh.to_owned();
        if let Some(version) = &self.mesh_version {
            line = format!("{}@{version}", mesh.split('@').next().unwrap_or(mesh));
        }
        let native = self.native_sidecars.map(|is_native| if is_native { "native" } else { "classic" });
        let flags = behind.into_iter().chain(self.cni.then_some("cni")).chain(native);
        for option in flags.chain(self.options.iter().map(String::as_str)) {
            line.push(',');
            line.push_str(option);
        }
        line
    }
}

/// `mesh inject`.
#[derive(Args)]
pub(crate) struct MeshInject {
    /// Files, folders (searched for YAML and JSON), glob patterns, or `-` for standard input; may be given several times
    #[arg(short, long = "filename", value_name = "PATH", required = true, value_delimiter = ',')]
    pub(crate) filename: Vec<String>,
    #[command(flatten)]
    pub(crate) installed: Installed,
    /// Mark each line that the mesh adds with a comment
    #[arg(long)]
    pub(crate) mark: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "yaml")]
    pub(crate) format: MeshFormat,
}

/// `mesh list`.
#[derive(Args)]
pub(crate) struct MeshList {
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "yaml")]
    pub(crate) format: MeshFormat,
}

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeshFormat {
    /// For people, and for other programs that read YAML
    Yaml,
    /// The whole answer, as the npm module gives it
    Json,
}
