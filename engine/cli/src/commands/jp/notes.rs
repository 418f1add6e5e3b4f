//! What `jp function` of the original says of each of Kyverno's functions.
//!
//! In: nothing. Out: names with notes. What we say of functions ourselves stands in the rows of the engine, and is printed
//! for those that the original does not have: a new function needs no line here.
//!
//! Mirrors: pkg/engine/jmespath/functions.go, GetFunctions.

/// Names and notes.
pub(super) const NOTES: &[(&str, &str)] = &[
    ("add", "does arithmetic addition of two specified values of numbers, quantities, and durations"),
    ("base64_decode", "decodes a base 64 string"),
    ("base64_encode", "encodes a regular, plaintext and unencoded string to base64"),
    ("compare", "compares two strings lexicographically"),
    ("divide", "divisor must be non zero"),
    (
        "equal_fold",
        "allows comparing two strings for equivalency where the only differences are letter cases",
    ),
    ("image_normalize", "normalizes an image reference"),
    ("is_external_url", "determine if a URL points to an external network address"),
    ("items", "converts a map or array to an array of objects where each key:value is an item in the array"),
    (
        "label_match",
        "object arguments must be enclosed in backticks; ex. `{{request.object.spec.template.metadata.labels}}`",
    ),
    ("lookup", "returns the value corresponding to the given key/index in the given object/array"),
    ("md5", "generates an MD5 hash"),
    ("modulo", "divisor must be non-zero, arguments must be integers"),
    (
        "multiply",
        "does arithmetic multiplication of two specified values of numbers, quantities, and durations",
    ),
    ("object_from_lists", "converts a pair of lists containing keys and values to an object"),
    (
        "parse_json",
        "decodes a valid JSON encoded string to the appropriate type. Opposite of `to_string` function",
    ),
    (
        "parse_yaml",
        "decodes a valid YAML encoded string to the appropriate type provided it can be represented as JSON",
    ),
    ("path_canonicalize", "normalizes or canonicalizes a given path by removing excess slashes"),
    (
        "pattern_match",
        "'*' matches zero or more alphanumeric characters, '?' matches a single alphanumeric character",
    ),
    ("random", "Generates a random sequence of characters"),
    (
        "regex_match",
        "first string is the regular exression which is compared with second input which can be a number or string",
    ),
    ("regex_replace_all", "converts all parameters to string"),
    ("regex_replace_all_literal", "converts all parameters to string"),
    (
        "replace",
        "replaces a specified number of instances of the source string with the replacement string in a parent ",
    ),
    ("replace_all", "replace all instances of one string with another in an overall parent string"),
    ("round", "does roundoff to upto the given decimal places"),
    (
        "semver_compare",
        "compares two strings which comply with the semantic versioning schema and outputs a boolean response as to the position of the second relative to the first",
    ),
    ("sha1", "generate a SHA-1 hash"),
    ("sha256", "generate unique resources name if length exceeds the limit"),
    ("split", "splits the first string when the second string is found and converts it into an array "),
    ("subtract", "does arithmetic subtraction of two specified values of numbers, quantities, and durations"),
    ("sum", "does arithmetic addition of specified array of values of numbers, quantities, and durations"),
    ("time_add", "adds duration (second string) to a time value (first string)"),
    ("time_after", "checks if a time is after another time, both in RFC3339 format"),
    ("time_before", "checks if a time is before another time, both in RFC3339 format"),
    ("time_between", "checks if a time is between a start and end time, all in RFC3339 format"),
    ("time_diff", "calculate the difference between a start and end date in RFC3339 format"),
    ("time_now", "returns current time in RFC 3339 format"),
    ("time_now_utc", "returns current UTC time in RFC 3339 format"),
    ("time_parse", "changes a time value of a given layout to RFC 3339"),
    (
        "time_since",
        "calculate the difference between a start and end period of time where the end may either be a static definition or the then-current time",
    ),
    ("time_to_cron", "converts a time (RFC 3339) to a cron expression (string)."),
    ("time_truncate", "returns the result of rounding time down to a multiple of duration"),
    ("time_utc", "calcutes time in UTC from a given time in RFC 3339 format"),
    (
        "to_boolean",
        "It returns true or false for any string, such as 'True', 'TruE', 'False', 'FAlse', 'faLSE', etc.",
    ),
    ("to_lower", "takes in a string and outputs the same string with all lower-case letters"),
    ("to_upper", "takes in a string and outputs the same string with all upper-case letters"),
    ("trim", "trims both ends of the source string by characters appearing in the second string"),
    (
        "trim_prefix",
        "trims the second string prefix from the first string if the first string starts with the prefix",
    ),
    (
        "truncate",
        "length argument must be enclosed in backticks; ex. \"{{request.object.metadata.name | truncate(@, `9`)}}\"",
    ),
    (
        "x509_decode",
        "decodes an x.509 certificate to an object. you may also use this in conjunction with `base64_decode` jmespath function to decode a base64-encoded certificate",
    ),
];
