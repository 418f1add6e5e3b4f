//! `docs/mesh.md`: which level a Pod reaches after injection, for every release and option.
//!
//! In: the data of `engine/mesh`. Out: the page as Markdown.

use super::check::{Hardened, plain, reached};
use engine::injection::{Data, Outcome, Release, Setup, arrive};
use std::fmt::Write;

/// Where the page stands, below the root of the repository.
pub const PAGE: &str = "docs/mesh.md";

const HEAD: &str = "\
# Pods as they arrive: Istio and Linkerd

Pod Security Admission and Kyverno judge a Pod after a service mesh has added its containers to it; a Deployment they see
before. `podsieve mesh inject` shows the Pod as it arrives, `--mesh` of `apply`, `psa check` and `psa advise` judges it,
`mesh()` of the npm package gives both. So does the *Mesh* tab of the page; [a story](stories/mesh.md) shows it.

```
podsieve mesh list
podsieve mesh inject -f deployment.yaml --mesh istio@1.27,cni --mark
podsieve psa check -f deployment.yaml --mesh linkerd@2.14
podsieve apply policies/ -r deployment.yaml --mesh istio@1.24
```

## What is known, and what is assumed

The data (`engine/mesh/data/mesh.json`) is made of facts recorded from the release tags that `podsieve mesh list` names. Another
version is shown by the nearest release before it, and that is said; where none is asked for, the newest release is shown, no
candidate of the next and no edge release. Known are the injected containers, their place, image,
head of the command, security context, ports, probes, hooks, mounts and resources, volumes, the Pod's security context, labels
and annotations. Left out are environment variables, the timing of probes and pull secrets.

Assumed, where nothing else is said: the charts' default values; the released registry; nodes of Kubernetes 1.33 or newer, so
that Istio 1.27 and later inject native sidecars, as Linkerd does from 2.20 on (`classic` or `--native-sidecars=false` takes
that back); no CNI plugin. A namespace that is not among the inputs is taken to ask for injection; one that is decides by its
labels and annotations, as the Pod does by its own. Annotations of the Pod that change what is injected count:
`sidecar.istio.io/interceptionMode`, `capNetBindService`, `enableCoreDump`, `nativeSidecar`, `userVolume`, `userVolumeMount`,
`inject.istio.io/templates`, parts of `proxy.istio.io/config`; `config.linkerd.io/enable-debug-sidecar`, `close-wait-timeout`,
`proxy-await`, `proxy-uid`, `proxy-enable-native-sidecar`. A Pod that was injected before, by this mesh, is recognised by its
containers (Istio: with the annotation `sidecar.istio.io/status`, or more of them than `istio-proxy` alone) and shown as it is. What a Pod says itself of a container `istio-proxy` is laid over the
mesh's. An administrator may replace templates and values, so that no table is more than a default.

Options are named as in the tables. `openshift` uses the ids of a namespace with the range `1000650000/10000`, `proxy.gid` the
group 2102, `customProxySecurityContext` a security context that holds `runAsUser: 2102` alone.

## How it was checked

- The records hold what the projects' own templates give at each tag, rendered outside of this repository; they were held
  there against the projects' own golden files. `conformance check` makes the Pod of each record anew and compares order, image,
  command, head of the arguments, security context, restart policy, ports, probes, hooks, mounts, volumes, the Pod's security
  context, labels, annotations, and for two shapes of application the level reached with its reasons; and the levels of 45 node
  agents (DaemonSets of both CNI plugins and ztunnel).
- Outside of this repository the projects' own golden files of their injectors (`pkg/kube/inject/testdata/inject/*.injected` of
  Istio, `cli/cmd/testdata/inject_*.golden.yml` of Linkerd) were held against `podsieve mesh inject` over the same inputs at each
  tag: order, security context, command, head of the arguments, restart policy, ports, mounts, volumes, the Pod's security
  context. Istio 1.18 to 1.31: 241 of 241 Pods agree; 1.6: 20 Pods differ in `fsGroup` and the volume `istio-data` alone, which
  the webhook adds with the chart's values and the test template of that release does not. Linkerd 2.10 to edge-26.8.3: 91 of 91,
  leaving out files about what is not modelled: the CLI's own treatment of CronJobs and of manifests that are injected already,
  annotations that change the proxy's ports and resources, and stale inputs.
- The file of data is made by `cargo run -p tests --bin mesh`; a test holds it against the records, and this page against the
  data.

## Which level a Pod reaches

Two applications, both of which satisfy *restricted* before: one says `runAsNonRoot` and `seccompProfile` for the Pod, the other
in each container. A cell tells the first and the second: **R** restricted, **B** baseline, **P** neither, so that only a
privileged namespace takes the Pod; **–** no such option. `init` stands for an installation without CNI plugin and with classic
sidecars.
";

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
