//! Versions and ranges.

use super::text;
use crate::semver::{Range, Version};

const VERSIONS: &[(&str, &str)] = &[
    ("1.2.3", "1.2.3"),
    ("0.0.0", "0.0.0"),
    ("1.2.3-rc.1+build.5", "1.2.3-rc.1+build.5"),
    ("1.0.0-alpha-1", "1.0.0-alpha-1"),
    ("v1.2.3", r#"Invalid character(s) found in major number "v1""#),
    ("1.2", "No Major.Minor.Patch elements found"),
    ("", "Version string empty"),
    ("1.2.x", r#"Invalid character(s) found in patch number "x""#),
    ("01.2.3", r#"Major number must not contain leading zeroes "01""#),
    ("1.02.3", r#"Minor number must not contain leading zeroes "02""#),
    ("1.2.03", r#"Patch number must not contain leading zeroes "03""#),
    ("1.2.3-", "Prerelease is empty"),
    ("1.2.3-01", r#"Numeric PreRelease version must not contain leading zeroes "01""#),
    ("1.2.3-a_b", r#"Invalid character(s) found in prerelease "a_b""#),
    ("1.2.3+", "Build meta data is empty"),
    ("1.2.3+a..b", "Build meta data is empty"),
    ("1.2.3+é", r#"Invalid character(s) found in build meta data "é""#),
    ("99999999999999999999.0.0", r#"strconv.ParseUint: parsing "99999999999999999999": value out of range"#),
    ("1..3", r#"strconv.ParseUint: parsing "": invalid syntax"#),
];

/// A range, a version, and whether it holds the version.
const RANGES: &[(&str, &str, &str)] = &[
    (">=1.2.3 <2.0.0", "1.5.0", "true"),
    (">=1.2.3 <2.0.0", "2.0.0", "false"),
    ("<1.0.0 || >=2.0.0", "2.1.0", "true"),
    ("<1.0.0 || >=2.0.0", "1.1.0", "false"),
    ("1.2.x", "1.2.9", "true"),
    ("1.2.x", "1.3.0", "false"),
    ("1.x", "1.9.9", "true"),
    ("1.x.x", "1.1.0", "false"),
    (">1.2.x", "1.2.9", "false"),
    ("<=1.2.x", "1.2.9", "true"),
    ("!=1.2.x", "1.2.0", "false"),
    ("!1.2.3", "1.2.4", "true"),
    ("== 1.2.3", "1.2.3", "true"),
    (">= 1.0.0 < 2.0.0", "1.0.0", "true"),
    (">1.0.0", "1.0.1-rc.1", "true"),
    ("1.0.0", "1.0.0+x", "true"),
    ("~1.x", "1.0.0", "true"),
    ("", "1.0.0", "Last element in range is '||'"),
    ("1", "1.0.0", "Last element in range is '||'"),
    ("|| 1.0.0", "1.0.0", "First element in range is '||'"),
    ("1.0.0 ||", "1.0.0", "Last element in range is '||'"),
    ("~1.0.0", "1.0.0", r#"Could not parse Range "~1.0.0": Could not parse comparator "~" in "~1.0.0""#),
    (">=a", "1.0.0", r#"Could not get version from string: ">=a""#),
    (
        ">=1.2",
        "1.2.0",
        r#"Could not parse Range ">=1.2": Could not parse version "1.2" in ">=1.2": No Major.Minor.Patch elements found"#,
    ),
    (">1.0.0-xyz", "1.0.0", r#"Could not get version from string: ">=""#),
    ("1.0.0 AND 2.0.0", "1.0.0", r#"Could not get version from string: "AND""#),
];

#[test]
fn versions_are_read_strictly() {
    for (input, output) in VERSIONS {
        assert_eq!(text(Version::parse(input)), *output, "{input:?}");
    }
}

#[test]
fn ranges_hold_what_they_hold_in_the_original() {
    for (range, version, output) in RANGES {
        let version = Version::parse(version).unwrap();
        assert_eq!(text(Range::parse(range).map(|range| range.contains(&version))), *output, "{range:?}");
    }
}

#[test]
fn versions_stand_in_the_order_of_the_specification() {
    let order =
        ["1.0.0-1", "1.0.0-2", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-beta", "1.0.0", "1.0.1-0", "2.0.0"];
    let versions = order.map(|text| Version::parse(text).unwrap());
    assert!(versions.is_sorted() && versions.windows(2).all(|pair| pair[0] != pair[1]));
    assert_eq!(Version::parse("1.0.0+a").unwrap(), Version::parse("1.0.0+b").unwrap());
}

#[test]
fn an_empty_group_holds_nothing() {
    let range = Range::parse("1.0.0 || || 2.0.0").unwrap();
    let holds = |text: &str| range.contains(&Version::parse(text).unwrap());
    assert!(holds("1.0.0") && holds("2.0.0") && !holds("3.0.0"));
}
