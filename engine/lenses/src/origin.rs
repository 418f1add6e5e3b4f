//! Where an object of a rendered stream comes from.
//!
//! In: a document in its text, and the object. Out: an [`Origin`]: Helm's template and release, a kustomization's file, the application of Argo CD or
//! Flux. All of it is text of strangers: it is cut and shown, and nothing is opened by it.
//!
//! Sources: Helm pkg/action/action.go (`# Source:`), pkg/kube (`meta.helm.sh`), kustomize api/resource/origin.go, Argo CD util/argo/resource_tracking.go,
//! Flux pkg/ssa.

use engine::Bundle;
use engine::resource::Resource;
use engine_json::Value;

/// So long is what is kept of each.
const MAX_BYTES: usize = 512;
/// So many comment lines before a document are looked at.
const MAX_LINES: usize = 64;

/// Where an object comes from; each is empty where nothing says it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The template of a chart, or the file of a kustomization: `shop/templates/web.yaml`.
    pub template: String,
    /// The chart, with its version where the object names it.
    pub chart: String,
    /// The release of Helm, as `namespace/name`.
    pub release: String,
    /// The application of Argo CD, or the Kustomization or HelmRelease of Flux.
    pub application: String,
    /// When Helm runs it instead of installing it: `test`, `pre-install`.
    pub hook: String,
}

impl Origin {
    /// The origin of a resource of a bundle.
    pub fn of(bundle: &Bundle, resource: &Resource) -> Self {
        let document = bundle.document(resource.document);
        let source = document.and_then(|document| bundle.source(document.source));
        let text = source.map_or("", |(_, source)| &*source.text);
        let start = document.map_or(0, |document| document.span.start as usize);
        Origin::read(text, start, &resource.value)
    }

    /// The origin of an object whose document begins at a byte of a text.
    pub fn read(text: &str, start: usize, object: &Value) -> Self {
        let annotation = |name: &str| object.find_str(&["metadata", "annotations", name]);
        let label = |name: &str| object.find_str(&["metadata", "labels", name]);
        let joined = |namespace: &str, name: &str| match (namespace, name) {
            (_, "") => String::new(),
            ("", name) => name.to_owned(),
            (namespace, name) => format!("{namespace}/{name}"),
        };
        let template = of_comment(text, start);
        let named_chart = label("helm.sh/chart");
        let chart = match named_chart {
            "" => template.split_once('/').map_or("", |(chart, _)| chart),
            named => named,
        };
        let template = if template.is_empty() {
            of_kustomize(annotation("config.kubernetes.io/origin"))
        } else {
            template.to_owned()
        };
        let tracked =
            annotation("argocd.argoproj.io/tracking-id").split(':').next().unwrap_or_default().to_owned();
        let of_flux = |part: &str| {
            let [name, namespace] = ["name", "namespace"]
                .map(|field| label(&format!("{part}.toolkit.fluxcd.io/{field}")).to_owned());
            joined(&namespace, &name)
        };
        let applications = [tracked, of_flux("kustomize"), of_flux("helm")];
        let release =
            joined(annotation("meta.helm.sh/release-namespace"), annotation("meta.helm.sh/release-name"));
        Origin {
            template: cut(&template),
            chart: cut(chart),
            release: cut(&release),
            application: cut(&applications.into_iter().find(|one| !one.is_empty()).unwrap_or_default()),
            hook: cut(annotation("helm.sh/hook")),
        }
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Origin::default()
    }

    /// The best of it in a few words: the template, else the application, the release or the chart.
    pub fn words(&self) -> String {
        let Origin { template, chart, release, application, hook } = self;
        let best = match (template.as_str(), application.as_str(), release.as_str(), chart.as_str()) {
            ("", "", "", "") => String::new(),
            ("", "", "", chart) => format!("chart {chart}"),
            ("", "", release, _) => format!("release {release}"),
            ("", application, ..) => format!("application {application}"),
            (template, ..) => template.to_owned(),
        };
        match (best.is_empty(), hook.as_str()) {
            (_, "") => best,
            (true, hook) => format!("hook {hook}"),
            (false, hook) => format!("{best} (hook {hook})"),
        }
    }
}

fn cut(text: &str) -> String {
    text.get(..text.floor_char_boundary(MAX_BYTES)).unwrap_or_default().to_owned()
}

/// The path that `# Source:` names among the comments before the first key of a document.
fn of_comment(text: &str, start: usize) -> &str {
    let (before, behind) = text.split_at_checked(start).unwrap_or_default();
    let is_comment = |line: &&str| line.trim().is_empty() || line.starts_with('#');
    let path =
        |line: &'_ str| line.strip_prefix("# Source: ").map(str::trim).is_some_and(|path| !path.is_empty());
    let above = before.lines().rev().take(MAX_LINES).take_while(is_comment);
    // The first document of a text begins with its separator.
    let own =
        behind.lines().skip_while(|line| line.starts_with("---")).take(MAX_LINES).take_while(is_comment);
    // The last one before the object is its own.
    let found = own.filter(|line| path(line)).last().or_else(|| above.into_iter().find(|line| path(line)));
    found.and_then(|line| line.strip_prefix("# Source: ")).map_or("", str::trim)
}

/// The path of kustomize's annotation, which is YAML: `path`, with the repository where it has one, or the generator's file.
fn of_kustomize(annotation: &str) -> String {
    let field = |name: &str| {
        let mut values =
            annotation.lines().take(MAX_LINES).filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        values.next().map_or("", |value| value.trim().trim_matches(['\'', '"']))
    };
    let path =
        [field("path"), field("configuredIn")].into_iter().find(|path| !path.is_empty()).unwrap_or_default();
    match (field("repo"), path) {
        (_, "") => String::new(),
        ("", path) => path.to_owned(),
        (repository, path) => format!("{repository}/{path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(text: &str) -> Origin {
        let source =
            engine_yaml::Source { id: engine_yaml::SourceId(0), name: String::new(), text: text.into() };
        let parsed = engine_yaml::parse(&source, &engine_yaml::Options::default());
        let document = parsed.documents.last().unwrap();
        Origin::read(text, document.span.start as usize, &document.value)
    }

    #[test]
    fn each_source_is_read() {
        let pod = "apiVersion: v1\nkind: Pod\nmetadata: ";
        for (head, metadata, wanted) in [
            ("---\n# Source: shop/templates/web.yaml\n", "{name: a}", "shop/templates/web.yaml"),
            ("kind: A\n---\n# Source: shop/templates/web.yaml\r\n", "{name: a}", "shop/templates/web.yaml"),
            ("---\n# Source: a\n---\n", "{name: a}", ""),
            ("---\nkind: A\nx: |\n  # Source: no\n---\n", "{name: a}", ""),
            ("", "{name: a, labels: {helm.sh/chart: shop-1.2.0}}", "chart shop-1.2.0"),
            (
                "",
                "{name: a, annotations: {meta.helm.sh/release-name: r, meta.helm.sh/release-namespace: ns}}",
                "release ns/r",
            ),
            ("", "{name: a, annotations: {helm.sh/hook: test}}", "hook test"),
            (
                "",
                "{name: a, annotations: {config.kubernetes.io/origin: \"path: base/pod.yaml\\n\"}}",
                "base/pod.yaml",
            ),
            (
                "",
                "{name: a, annotations: {config.kubernetes.io/origin: \"configuredIn: k.yaml\\n\"}}",
                "k.yaml",
            ),
            (
                "",
                "{name: a, annotations: {'argocd.argoproj.io/tracking-id': 'shop:/Pod:n/a'}}",
                "application shop",
            ),
            (
                "",
                "{name: a, labels: {kustomize.toolkit.fluxcd.io/name: f, kustomize.toolkit.fluxcd.io/namespace: ns}}",
                "application ns/f",
            ),
            ("", "{name: a, labels: {helm.toolkit.fluxcd.io/name: f}}", "application f"),
        ] {
            assert_eq!(origin(&format!("{head}{pod}{metadata}\n")).words(), wanted, "{head}{metadata}");
        }
    }

    #[test]
    fn a_long_path_is_cut() {
        let text = format!("# Source: ../{}\nkind: Pod\n", "ü".repeat(1 << 20));
        assert!(origin(&text).template.len() <= MAX_BYTES);
    }
}
