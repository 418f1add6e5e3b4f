//! Texts that a function takes, and such that it refuses, where no constant says which.

/// A function, and the texts to try.
type Row = (&'static [&'static str], &'static [&'static str]);

const ROWS: &[Row] = &[
    (
        &["ip", "isIP", "ip.isCanonical", "containsIP", "isLoopback", "isUnspecified", "isGlobalUnicast"],
        &["10.0.0.1", "::1", "127.0.0.1", "0.0.0.0", "8.8.8.8", "2001:DB8::1", "::ffff:1.2.3.4"],
    ),
    (
        &["isLinkLocalMulticast", "isLinkLocalUnicast"],
        &["169.254.0.1", "224.0.0.1", "fe80::1", "ff02::1", "10.0.0.1"],
    ),
    (&["cidr", "isCIDR", "containsCIDR", "masked"], &["10.0.0.0/8", "10.0.0.1/8", "::/0", "10.0.0.1"]),
    (
        &["url", "isURL", "is_external_url"],
        &["https://example.com:8443/a/b?x=y", "http://example.com", "/a", "example.com", "http://localhost"],
    ),
    (&["semver", "isSemver", "semver_compare"], &["1.2.3", "v1.2.3", "1.2", "1.2.3-a", "0.0.1"]),
    (
        &["quantity", "isQuantity", "isInteger", "asInteger", "sign"],
        &["1", "1Gi", "500m", "0.5", "0", "-1", "10e"],
    ),
    (&["duration"], &["1h", "60m", "0s", "-1s"]),
    (
        &["timestamp", "time_parse", "time_utc", "time_to_cron", "time.toCron"],
        &["2026-01-01T00:00:00Z", "2025-12-31T23:59:59Z", "2026-01-01T00:00:00+09:00"],
    ),
    (&["int", "uint", "double", "to_number"], &["1", "-1", "1.5", "0"]),
    (&["bool", "to_boolean"], &["true", "false", "True", "1"]),
    (&["base64.decode", "base64_decode"], &["eA==", "eA"]),
    (
        &[
            "format.dns1123Label",
            "format.dns1123Subdomain",
            "format.dns1035Label",
            "format.qualifiedName",
            "format.dns1123LabelPrefix",
            "format.dns1123SubdomainPrefix",
            "format.dns1035LabelPrefix",
            "format.labelValue",
            "format.named",
        ],
        &["a", "a-b", "a.b", "1a", "A", "a_b", "-a", "a-", "a/b", "x.y/a"],
    ),
    (&["format.uri"], &["https://example.com/a", "/a", "a"]),
    (&["format.uuid"], &["00000000-0000-0000-0000-000000000000", "0"]),
    (&["format.byte"], &["eA==", "eA"]),
    (&["format.date"], &["2026-01-01", "2026-1-1"]),
    (&["format.datetime"], &["2026-01-01T00:00:00Z", "2026-01-01"]),
    (&["path_canonicalize"], &["/a/../b", "/a/./b", "/a//b", "/a/"]),
];

/// The texts to try for a function.
pub(super) fn of(function: &str) -> &'static [&'static str] {
    let is_it = |(functions, _): &&Row| functions.contains(&function);
    ROWS.iter().find(is_it).map_or(&[], |(_, texts)| texts)
}
