//! What expressions of Kubernetes' own policies may use, by the release of its API server.
//!
//! In: a release. Out: functions and macros. An API server evaluates stored policies with what any release up to its own introduced. Of
//! a new policy it takes no more than the release before knew ([`Kubernetes::before`]), so that one could read what it stores.
//! Mirrors: `baseOpts` and `DefaultCompatibilityVersion` of `apiserver/pkg/cel/environment/base.go` in each release from 0.30 to 0.38,
//! `filterAndBuildOpts` of `environment.go` beside it, `component-base/compatibility/version.go`.

use crate::functions as own;
use engine::load::Kubernetes;
use engine_cel::function::Function;
use engine_cel::standard;
use engine_cel::syntax::{self, Macro};

/// A library, and the release that introduced it.
type Library = (Kubernetes, &'static [Function]);

const fn since(minor: u8, rows: &'static [Function]) -> Library {
    (Kubernetes::minor(minor), rows)
}

/// Each library by the `IntroducedVersion` of its options in `baseOpts`.
const LIBRARIES: &[Library] = &[
    // cel.OptionalTypes.
    since(28, standard::OPTIONAL),
    // ext.Strings(ext.StringsVersion(2)).
    since(29, standard::STRINGS),
    // ext.Lists(ext.ListsVersion(3)).
    since(34, standard::LISTS),
    // ext.Sets.
    since(29, standard::SETS),
    // ext.TwoVarComprehensions.
    since(32, standard::TWO_VARIABLES),
    // library.URLs, library.Regex, library.Lists(library.ListsVersion(0)).
    since(0, own::url::ROWS),
    since(0, own::regex::ROWS),
    since(0, own::lists::ROWS),
    // library.Quantity.
    since(28, own::quantity::ROWS),
    // library.IP, library.CIDR(library.CIDRVersion(0)).
    since(30, own::ip::ROWS),
    since(30, own::cidr::ROWS),
    // library.Format.
    since(31, own::format::ROWS),
    // library.SemverLib(library.SemverVersion(1)).
    since(33, own::semver::ROWS),
    // library.Authz.
    since(27, own::authz::ROWS),
    // library.AuthzSelectors; its gate AuthorizeWithSelectors (apiserver/pkg/features/kube_features.go) is on since 1.32.
    since(31, own::authz::SELECTORS),
    // library.Lists(library.ListsVersion(1)).
    since(37, own::lists::INCLUDES),
    // library.CIDR(library.CIDRVersion(1)).
    since(38, own::cidr::MASKS),
];

/// The macros, with the release that introduced them.
static MACROS: [&[Macro]; 4] = [syntax::STANDARD, syntax::OPTIONAL, syntax::TWO_VARIABLES, syntax::LISTS];
const MACROS_SINCE: [Kubernetes; 4] =
    [Kubernetes::minor(0), Kubernetes::minor(28), Kubernetes::minor(32), Kubernetes::minor(34)];

/// Functions that came with cel-go 0.23, which Kubernetes 1.33 has, without a version of their library: new policies have them since
/// then, as if the release before had introduced them.
const LATER: &[&str] = &["first", "last", "optional.unwrap", "unwrapOpt"];
const LATER_SINCE: Kubernetes = Kubernetes::minor(32);

/// The functions that a release knows. Times are read as Go reads them: cel-go 0.26 and 0.29 have nothing else, and
/// `StrictTimestampParsing(false)` stands in `baseOpts` since 1.38.
pub(super) fn functions(release: Kubernetes) -> impl Iterator<Item = &'static Function> {
    let known = LIBRARIES.iter().filter(move |(since, _)| *since <= release).map(|(_, rows)| *rows);
    let core = standard::CORE.iter().copied().flatten().filter(|row| row.name != "timestamp");
    let known = known.flatten().filter(move |row| release >= LATER_SINCE || !LATER.contains(&row.name));
    core.chain(standard::ANY_TIMESTAMP).chain(known)
}

/// Whether the clauses of `format` are looked at when an expression is compiled: cel-go 0.20 does, which Kubernetes 1.31 has.
pub(super) fn looks_at_formats(libraries: Kubernetes) -> bool {
    libraries >= Kubernetes::minor(30)
}

/// The macros that a release knows.
pub(super) fn macros(release: Kubernetes) -> &'static [&'static [Macro]] {
    let known = MACROS_SINCE.iter().take_while(|since| **since <= release).count();
    MACROS.get(..known).unwrap_or(&MACROS)
}
