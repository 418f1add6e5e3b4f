//! The words of the right column: its tabs, and what each of them says.

/// The tabs of results.
pub(crate) mod tabs {
    pub(crate) const TITLE: &str = "What the engine said";
    pub(crate) const RESULTS: &str = "Results";
    pub(crate) const WHY: &str = "Why";
    pub(crate) const MUTATED: &str = "Mutated";
    pub(crate) const GENERATED: &str = "Generated";
    pub(crate) const REPORT: &str = "Report";
    pub(crate) const AUTOGEN: &str = "Autogen";
    pub(crate) const POD_SECURITY: &str = "Pod security";
    pub(crate) const SIEVE: &str = "Sieve";
    pub(crate) const MESH: &str = "Mesh";
    pub(crate) const COMPARE: &str = "Compare";
    pub(crate) const TOO_LONG: &str = "the run was ended after 5 seconds; the next edit starts a new one";

    pub(crate) fn unreadable(error: &str) -> String {
        format!("the engine's answer could not be read: {error}")
    }

    pub(crate) fn no_sense(at: usize) -> String {
        format!("not valid JSON at byte {at}")
    }
}

/// The tab *Results*.
pub(crate) mod verdicts {
    use engine_lenses::wire::{Range, RuleResult};

    pub(crate) const FIND: &str = "Verdicts";
    pub(crate) const SEARCH: &str = "Search the verdicts";
    pub(crate) const SEARCH_EXAMPLE: &str = "Search ( / )";
    pub(crate) const WHICH: &str = "Which verdicts";
    pub(crate) const ALL: &str = "all verdicts";
    /// Before a status.
    pub(crate) const ONLY: &str = "only ";
    /// What a document of any form is called, by the line at which it begins, and by the column where others may stand before it.
    pub(crate) fn payload(range: Option<&Range>) -> String {
        // Behind `- ` or `[` it begins in its line, too.
        const FIRST_COLUMNS: u32 = 3;
        match range.map(|range| (range.line, range.column)) {
            None | Some((..=1, ..=FIRST_COLUMNS)) => "JSON payload".to_owned(),
            Some((line, ..=FIRST_COLUMNS)) => format!("JSON payload, line {line}"),
            Some((line, column)) => format!("JSON payload, line {line}, column {column}"),
        }
    }
    /// The filter that leaves the resources that no rule matched.
    pub(crate) const UNMATCHED: &str = "none";
    pub(crate) const ONLY_UNMATCHED: &str = "no rule matched";
    pub(crate) const SHOW_UNMATCHED: &str = "Show them";
    pub(crate) const ORIGINAL: &str = "Open in the Kyverno Playground";
    pub(crate) const AS_TABLE: &str = "As a table";
    pub(crate) const AS_LIST: &str = "As a list";
    pub(crate) const NONE: &str = "No verdict matches.";
    pub(crate) const NO_POLICY: &str =
        "No policy to evaluate: put a Kyverno policy into Policies, or open a sample.";
    /// Before the first problem in the text, and its place.
    pub(crate) const UNUSABLE_POLICY: &str = "The policy cannot be used: ";
    pub(crate) const UNUSABLE_RESOURCE: &str = "The resource cannot be evaluated: ";
    pub(crate) const NO_RESOURCE: &str = "No resource to evaluate: put a Kubernetes resource into Resources.";
    pub(crate) const NO_MATCH: &str = "No rule matched any of the resources.";
    /// Behind a policy.
    pub(crate) const SILENT: &str = ": no rule matched";
    pub(crate) const UNDECIDED: &str = ": not decided";
    pub(crate) const SHOW_CLUSTER: &str = "Decide as in a cluster";
    pub(crate) const CHANGES: &str = " changes the resource. ";
    pub(crate) const SHOW_CHANGE: &str = "Show the change";
    pub(crate) const REFUSED: &str = ": refused";
    pub(crate) const CLEANS_UP: &str = ": cleans up at ";
    pub(crate) const NEXT: &str = "Next: ";
    pub(crate) const THEN: &str = ", then ";
    pub(crate) const NEVER: &str = "never: this is not a schedule";
    pub(crate) const UTC: &str = " UTC";
    pub(crate) const DEPENDENTS: &str = "Dependents: ";
    /// The table.
    pub(crate) const TABLE: &str = "Verdicts of each rule on each resource";
    pub(crate) const RESOURCE: &str = "Resource";
    pub(crate) const CHOOSE_CELL: &str = "Choose a cell to see its rule.";
    pub(crate) const CHOSEN_RULE: &str = "The chosen rule";
    /// One verdict.
    pub(crate) const CAUTION: &str = "Caution: ";
    pub(crate) const AUTOGEN: &str = "autogen";
    /// Before the name of an exception.
    pub(crate) const EXCEPTION: &str = "exception ";
    pub(crate) const WHY: &str = "why?";

    /// What a policy that deletes means by its verdict.
    pub(crate) fn fate(rule: &RuleResult) -> &'static str {
        match (rule.kind.as_str(), rule.status.as_str()) {
            ("Deletion", "pass") => "Would be deleted: ",
            ("Deletion", "fail") => "Would be kept: ",
            _ => "",
        }
    }

    pub(crate) fn surplus(resources: usize) -> String {
        format!("{resources} more resources are not shown: search, or see the table")
    }

    /// That some resources have no verdict.
    pub(crate) fn unmatched(silent: usize, resources: usize) -> String {
        format!("No rule matched {silent} of {resources} resources: that is not a pass. ")
    }

    /// That some of what was given has no verdict.
    pub(crate) fn unread(number: usize) -> String {
        let what = if number == 1 {
            "One document or rule".to_owned()
        } else {
            format!("{number} documents or rules")
        };
        format!("{what} could not be evaluated (see Problems), so verdicts are missing. ")
    }

    /// That the verdicts are not all.
    pub(crate) fn not_evaluated(number: usize) -> String {
        if number == 1 {
            "One policy or rule is not evaluated here, so verdicts are missing. ".to_owned()
        } else {
            format!("{number} policies or rules are not evaluated here, so verdicts are missing. ")
        }
    }

    /// What the verdict means for a request, where it is not simply admitted.
    /// The effect where a rule that matches is not evaluated.
    pub(crate) const UNKNOWN: &str = "unknown";

    pub(crate) fn effect(effect: &str) -> Option<&'static str> {
        match effect {
            "deny" => Some("In a cluster: refused."),
            UNKNOWN => {
                Some("In a cluster: not known here, as a rule of a kind that is not supported yet matches.")
            }
            "warn" => Some("In a cluster: admitted with a warning."),
            "report" => Some("In a cluster: admitted, and the failure reported."),
            _ => None,
        }
    }

    pub(crate) fn made_of(rule: &str) -> String {
        format!("Autogen made this rule from “{rule}” for Pod controllers")
    }

    pub(crate) fn generated(objects: usize) -> String {
        if objects == 1 { "1 object generated".to_owned() } else { format!("{objects} objects generated") }
    }
}

/// The tab *Why*.
pub(crate) mod why {
    pub(crate) const EMPTY: &str = "Choose a verdict above, or “why?” in Results.";
    pub(crate) const WHICH: &str = "Which verdict to explain";
    pub(crate) const CHOOSE: &str = "Choose a verdict…";
    pub(crate) const NO_MATCH: &str = "no match";
    pub(crate) const KYVERNO_SAYS: &str = "Kyverno says: ";
    /// What decided where no rule of a policy applies.
    pub(crate) const NO_RULE: &str = "No rule of this policy applies, because";
    /// Below an editor of a narrow screen: until there is an answer, and what it leads to.
    pub(crate) const ASKING: &str = "Asking the engine…";
    pub(crate) const TAP: &str = "Tap a line to see which rules read it, or why its rule decides as it does.";
    pub(crate) const WHOLE: &str = "Open all of Why";

    /// What decided where the rule that somebody points at is not for the resource.
    pub(crate) fn not_for_it(rule: &str) -> String {
        format!("The rule {rule} does not apply to this resource, because")
    }

    /// A rule and its verdict.
    pub(crate) fn of_rule(policy: &str, rule: Option<&str>, verdict: &str) -> String {
        rule.map_or_else(|| format!("{policy}: {verdict}"), |rule| format!("{policy} / {rule}: {verdict}"))
    }

    /// The headline and the first step or message that goes with it.
    pub(crate) fn in_short(headline: &str, described: &str) -> String {
        if described.is_empty() { headline.to_owned() } else { format!("{headline}: {described}") }
    }

    /// What decided, by the status and the kind of the first step that did; `many` where there are more.
    pub(crate) fn headline(status: &str, kind: &str, many: bool) -> &'static str {
        match (status, kind) {
            ("fail" | "warn", "condition") if many => "Fails, because these conditions of deny hold",
            ("fail" | "warn", "condition") => "Fails, because a condition of deny holds",
            ("fail" | "warn", "pattern") if many => "Fails, because no pattern fits",
            ("fail" | "warn", "pattern") => "Fails, because the pattern does not fit",
            ("fail" | "warn", "check") if many => "Fails, because of these checks",
            ("fail" | "warn", "check") => "Fails, because of this check",
            ("fail" | "warn", "verdict" | "expression") => "Fails, because",
            ("fail" | "warn", _) => "Fails",
            ("skip", "exception") => "Skipped, because an exception applies",
            ("skip", "precondition") => "Skipped, because a precondition does not hold",
            ("skip", _) => "Skipped",
            ("error", _) => "Could not be decided",
            (_, "check" | "expression") => "Passes, because",
            (_, "pattern") => "Passes, because the pattern fits",
            (_, "condition") => "Passes, because no condition of deny holds; the last one",
            _ => "Passes",
        }
    }

    /// The engine's sentence, as a headline.
    pub(crate) fn sentence(described: &str) -> String {
        let mut described = described.to_owned();
        if let Some(first) = described.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        described
    }

    /// What a kind of step is called.
    pub(crate) fn kind(kind: &str) -> &str {
        match kind {
            "foreach" => "for each",
            other => other,
        }
    }
}

/// The tabs of what Kyverno makes: objects, reports, rules.
pub(crate) mod made {
    pub(crate) const GENERATED: &str = "what was generated";
    pub(crate) const FOR: &str = "for ";
    pub(crate) const REPORTS: &str = "Reports ";
    pub(crate) const COPIES_REPORTS: &str = "the reports";
    pub(crate) const REPORTS_LOAD: &str =
        "One moment: the part of the engine that writes reports is loading.";
    pub(crate) const WRITTEN_HERE: &str = "written here, not read from a cluster";
    pub(crate) const OF_CLUSTER: &str = "of a cluster (wgpolicyk8s.io)";
    pub(crate) const OF_APPLY: &str = "of kyverno apply (openreports.io)";
    pub(crate) const COPIES_RULE: &str = "this rule";
    pub(crate) const MARK_RULE: &str = "Mark the rule that it is made of";
    pub(crate) const MADE_OF: &str = "made of ";
    /// Between the rule and the kinds that one was made for.
    pub(crate) const MADE_FOR: &str = " for ";
}

/// The tab *Pod security*.
pub(crate) mod security {
    pub(crate) const ASKING: &str = "Asking the engine…";
    pub(crate) const NO_POD: &str = "No Pod or workload among the resources.";
    pub(crate) const VERSION: &str = "Standards of ";
    pub(crate) const AS_WRITTEN: &str = " as written, without an API server’s defaults";
    pub(crate) const ELSE_DEFAULTS: &str = "Else an API server’s defaults are filled in first";
    /// The head of the table.
    pub(crate) const CHECK: &str = "Check";
    pub(crate) const BASELINE: &str = "Baseline";
    pub(crate) const RESTRICTED: &str = "Restricted";
    pub(crate) const REFUSES: &str = "The API server refuses it: ";
    pub(crate) const WARNING: &str = "Warning: ";
    pub(crate) const APART: &str = "not applicable";
    pub(crate) const APART_BECAUSE: &str = "not applicable: ";
    pub(crate) const NOT_SET: &str = "is not set";
    pub(crate) const BY_VERSION: &str = "Verdict by version of Kubernetes";
    pub(crate) const STARTS: &str = "now fails";
    pub(crate) const STOPS: &str = "no longer fails";

    pub(crate) fn surplus(objects: usize) -> String {
        format!("{objects} more objects are not shown")
    }

    pub(crate) fn same(from: &str, to: &str) -> String {
        format!("The same verdict in every version from {from} to {to}.")
    }
}
