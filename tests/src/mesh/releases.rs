//! What the records do not say of a release: from which version on it stands for others, and what its injector's code does.
//!
//! In: nothing. Out: [`RELEASES`]. Facts, read at the tags that the records name: the lists of namespaces and the order of
//! labels and annotations in pkg/kube/inject/inject.go and webhook.go (Istio) and pkg/inject (Linkerd); defaults of
//! resources in the charts' values.

/// One release.
pub(super) struct Release {
    pub(super) version: &'static str,
    /// The first version that it stands for.
    pub(super) from: &'static str,
    /// The same among Linkerd's edge releases.
    pub(super) edge: &'static str,
    /// The release whose shape it has, if it was not read itself.
    pub(super) like: Option<&'static str>,
    /// Whether the proxy is a native sidecar by default: in Istio 1.27 and later if all nodes are 1.33 or newer.
    pub(super) is_native: bool,
    /// Namespaces that are never injected.
    pub(super) never: &'static [&'static str],
    /// Further facts that are true of it.
    pub(super) facts: &'static [&'static str],
    /// CPU and memory: requests, then limits, of the proxy.
    pub(super) proxy: Option<[&'static str; 4]>,
    /// The same of the init container.
    pub(super) init: Option<[&'static str; 4]>,
}

const OLD: &[&str] = &["kube-system", "kube-public"];
const SYSTEM: &[&str] = &["kube-system", "kube-public", "kube-node-lease", "local-path-storage"];
const LINKERD: &[&str] = &["kube-system", "cert-manager"];
const FULL: Option<[&str; 4]> = Some(["100m", "128Mi", "2000m", "1024Mi"]);

const ISTIO: Release = Release {
    version: "",
    from: "",
    edge: "",
    like: None,
    is_native: false,
    never: SYSTEM,
    facts: &["labels", "tcpSocket", "grpc", "probesOfInit", "probesOfLifecycle"],
    proxy: FULL,
    init: FULL,
};

const OF_LINKERD: Release =
    Release { never: LINKERD, facts: &["keepsNet"], proxy: None, init: None, ..ISTIO };

/// All releases, oldest first.
pub(super) const RELEASES: &[Release] = &[
    Release {
        version: "1.6.14",
        from: "1.6",
        never: OLD,
        facts: &[],
        init: Some(["10m", "10Mi", "100m", "50Mi"]),
        ..ISTIO
    },
    Release { version: "1.18.7", from: "1.15", facts: &["labels", "tcpSocket", "grpc"], ..ISTIO },
    Release {
        version: "1.20.8",
        from: "1.19",
        facts: &["labels", "tcpSocket", "grpc", "probesOfInit"],
        ..ISTIO
    },
    Release {
        version: "1.22.8",
        from: "1.22",
        facts: &["labels", "tcpSocket", "grpc", "probesOfInit"],
        ..ISTIO
    },
    Release {
        version: "1.24.6",
        from: "1.24",
        facts: &["labels", "tcpSocket", "grpc", "probesOfInit"],
        ..ISTIO
    },
    Release { version: "1.26.8", from: "1.26", ..ISTIO },
    Release { version: "1.27", from: "1.27", like: Some("1.26.8"), is_native: true, ..ISTIO },
    Release { version: "1.28.10", from: "1.28", is_native: true, ..ISTIO },
    Release { version: "1.30.3", from: "1.30", is_native: true, ..ISTIO },
    Release { version: "1.31.0-rc.0", from: "1.31", is_native: true, ..ISTIO },
    Release {
        version: "stable-2.10.2",
        from: "2.10",
        edge: "edge-21.1.1",
        never: &[],
        facts: &["needsToken"],
        init: Some(["10m", "10Mi", "100m", "50Mi"]),
        ..OF_LINKERD
    },
    Release {
        version: "stable-2.12.6",
        from: "2.12",
        edge: "edge-22.8.1",
        init: Some(["100m", "20Mi", "100m", "20Mi"]),
        ..OF_LINKERD
    },
    Release {
        version: "stable-2.14.10",
        from: "2.13",
        edge: "edge-23.1.1",
        init: Some(["100m", "20Mi", "100m", "20Mi"]),
        ..OF_LINKERD
    },
    Release { version: "version-2.16", from: "2.16", edge: "edge-24.8.2", ..OF_LINKERD },
    Release {
        version: "version-2.18",
        from: "2.18",
        edge: "edge-25.4.4",
        facts: &["keepsNet", "closeWaitNeedsRoot"],
        ..OF_LINKERD
    },
    Release {
        version: "version-2.20",
        from: "2.20",
        edge: "edge-26.6.3",
        is_native: true,
        facts: &["keepsNet", "closeWaitNeedsRoot"],
        ..OF_LINKERD
    },
    Release {
        version: "edge-26.8.3",
        from: "2.21",
        edge: "edge-26.8.3",
        is_native: true,
        facts: &["keepsNet", "closeWaitNeedsRoot"],
        ..OF_LINKERD
    },
];
