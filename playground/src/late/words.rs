//! Every word that these views say, but for those that the engine says.

#[path = "../words/copying.rs"]
pub(crate) mod copying;
#[path = "../words/inputs.rs"]
pub(crate) mod inputs;
#[path = "../words/long.rs"]
pub(crate) mod long;

#[path = "compare/words.rs"]
pub(crate) mod compare;

use engine_lenses::wire::Range;

pub(crate) const LOADING: &str = "One moment: the part of the engine that answers this is loading.";
pub(crate) const TOO_LONG: &str =
    "the run was ended after 20 seconds: leave fewer policies and resources in the texts";
pub(crate) const NO_EDITOR: &str = "the text field could not be opened";
/// What the engine writes around the number of characters that it leaves out.
pub(crate) const CUT: (&str, &str) = ("… (", " more characters)");
pub(crate) const NOT_WHOLE: &str = "the new text is too long for the page: the terminal writes it whole";
/// What a document of any form is called.
pub(crate) const PAYLOAD: &str = "JSON payload";
/// The same by the line at which it begins, and by the column where others may stand before it in the line.
pub(crate) fn payload(range: Option<&Range>) -> String {
    // Behind `- ` or `[` it begins in its line, too.
    const FIRST_COLUMNS: u32 = 3;
    match range.map(|range| (range.line, range.column)) {
        None | Some((..=1, ..=FIRST_COLUMNS)) => PAYLOAD.to_owned(),
        Some((line, ..=FIRST_COLUMNS)) => format!("{PAYLOAD}, line {line}"),
        Some((line, column)) => format!("{PAYLOAD}, line {line}, column {column}"),
    }
}
/// The line and the column in a name that [`payload`] gave; 0 for a column that it leaves out.
pub(crate) fn payload_place(name: &str) -> (u32, u32) {
    let number = |what: &str| name.split(", ").find_map(|part| part.strip_prefix(what)?.parse().ok());
    (number("line ").unwrap_or(1), number("column ").unwrap_or(0))
}
pub(crate) const APPLY: &str = "Apply";
pub(crate) const UNDO: &str = "Undo";

pub(crate) fn unreadable(error: &serde_json::Error) -> String {
    format!("the engine's answer could not be read: {error}")
}

pub(crate) fn written(title: &str) -> String {
    format!("Written into {title}.")
}

pub(crate) fn place(title: &str, line: u32) -> String {
    format!("{} line {line}", title.to_ascii_lowercase())
}

/// A number with its word: `1 Pod`, `2 Pods`.
pub(crate) fn many(number: usize, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}

/// The tab *Mutated*.
pub(crate) mod mutated {
    pub(crate) const BY: &str = "changed by ";
    pub(crate) const COPIES: &str = "the changed resource";
    pub(crate) const COPIES_IGNORE: &str = "ignoreDifferences";
    pub(crate) const COMPARED: &str = "Before and after";
    pub(crate) const DRIFT: &str = "What a GitOps tool will see as drift";
    pub(crate) const CHANGED: &str = "changed";
    pub(crate) const ADDED: &str = "added";
    pub(crate) const REMOVED: &str = "removed";
    pub(crate) const IGNORE: &str = "An Argo CD Application that leaves these fields alone:";

    pub(crate) fn surplus(changes: usize) -> String {
        format!("{changes} more changes are not shown")
    }

    pub(crate) fn whose(resource: &str) -> String {
        format!("Whose change of {resource} to show")
    }

    pub(crate) fn together(policies: usize) -> String {
        format!("all {policies} policies together")
    }

    pub(crate) fn alone(policy: &str) -> String {
        format!("{policy} alone")
    }

    pub(crate) fn unchanged(lines: usize) -> String {
        format!("{lines} lines unchanged")
    }
}

/// The sieve.
pub(crate) mod sieve {
    use super::many;

    pub(crate) const TITLE: &str = "Exemptions";
    pub(crate) const NONE: &str = "Nothing here exempts anything from a rule.";
    pub(crate) const MEANT_FOR: &str = "Meant for the ticked Pods:";
    pub(crate) const MADE: &str =
        " (made from the values of the exemption, as no such Pod is among the resources)";
    pub(crate) const NOBODY: &str = "No other Pod that was tried gets in.";
    pub(crate) const NO_REMEDY: &str =
        "No single change refuses these and still admits the Pod that the exemption is meant for:";
    pub(crate) const PUBLISHER: &str = "takes a push to the image's own registry; not counted";
    pub(crate) const WITHOUT: &str = "Without the exemption: ";
    pub(crate) const KEPT_OUT: &str = "Refused: ";

    /// What a kind of exemption is called.
    pub(crate) fn kind(kind: &str) -> &'static str {
        match kind {
            "podSecurity" => "exclude of a podSecurity rule",
            "exclude" => "exclude block",
            "exception" => "PolicyException",
            "precondition" => "precondition",
            "condition" => "condition",
            "anchor" => "anchor of a pattern",
            "psaLabel" => "label of a Namespace",
            "psaExemption" => "configuration of Pod Security Admission",
            "celException" => "PolicyException for policies in CEL",
            "matchCondition" => "match condition",
            "matchImageReference" => "selection of images",
            "validation" => "part of a validation",
            "excludeResourceRule" => "excluded resource rule",
            "selector" => "selector",
            _ => "exemption",
        }
    }

    /// The width in words.
    pub(crate) fn width(status: &str, width: u32) -> String {
        match status {
            "wide" => many(width as usize, "gets in", "get in"),
            "narrow" => "narrow".to_owned(),
            "idle" => "idle".to_owned(),
            _ => "not decided".to_owned(),
        }
    }

    pub(crate) fn summary(exemptions: usize, wide: usize, evaluated: u32) -> String {
        let found = many(exemptions, "exemption", "exemptions");
        let wide = if wide == 0 { "none of them wide".to_owned() } else { format!("{wide} wide") };
        format!("{found}, {wide}. {evaluated} Pods were evaluated.")
    }

    pub(crate) fn more(attackers: usize) -> String {
        format!("and {attackers} more")
    }

    /// How many of which families have no row, and how many of them the width counts.
    pub(crate) fn not_listed(families: &[(usize, &str)], counted: usize) -> String {
        let more: Vec<String> =
            families.iter().map(|(number, name)| format!("{number} more of {name}")).collect();
        let total: usize = families.iter().map(|(number, _)| number).sum();
        let counted = match counted {
            0 => "not counted".to_owned(),
            all if all == total => "counted".to_owned(),
            some => format!("{some} of them counted"),
        };
        format!("And {} not listed, {counted}.", more.join(", "))
    }

    pub(crate) fn shuts_out(number: usize) -> String {
        format!(
            "Refuses {} and still admits the Pod that it is meant for: ",
            if number == 1 { "this one".to_owned() } else { format!("these {number}") }
        )
    }
}

/// The funnel, and the narrowest exemption.
pub(crate) mod funnel {
    use super::many;

    pub(crate) const TITLE: &str = "From the widest to the narrowest";
    pub(crate) const ABOUT: &str = "Every way to let in what is refused, each tried with the same attackers.";
    pub(crate) const SHOW: &str = "Show every way to let in what is refused";
    pub(crate) const NONE: &str = "Nothing among the resources is refused.";
    pub(crate) const WIDTH: &str = "Width";
    pub(crate) const CANNOT: &str = "cannot";
    pub(crate) const STAYS_OUT: &str = "stays refused";
    pub(crate) const NARROW: &str = "Narrow it for me";
    pub(crate) const EXACT: &str = "these very tags and digests";
    pub(crate) const EXPIRES: &str = "ends ";
    pub(crate) const NEVER: &str = "never";
    pub(crate) const NO_NARROW: &str = "No exemption was found that lets it in.";
    /// When an exception ends: what stands in it, and how it is said.
    pub(crate) const ENDS: [(&str, &str); 3] =
        [("", NEVER), ("168h", "after 7 days"), ("720h", "after 30 days")];

    /// The systems, in the order of the columns, each with a short and a long name.
    pub(crate) const SYSTEMS: [(&str, &str, &str); 4] = [
        ("psa", "PSA", "Pod Security Admission"),
        ("podSecurity", "exclude", "exclude of the podSecurity rule"),
        ("exception", "exception", "PolicyException"),
        ("rule", "rule", "edit of the rule"),
    ];

    pub(crate) fn refused_by(policy: &str, rule: &str) -> String {
        if policy.is_empty() {
            return format!("refused by Pod Security Admission at {rule}");
        }
        if rule.is_empty() {
            return format!("refused by {policy}");
        }
        format!("refused by {policy} / {rule}")
    }

    pub(crate) fn let_in(let_in: u32, tried: u32) -> String {
        format!("{let_in} of {tried}")
    }

    pub(crate) fn detail(let_in: u32, tried: u32) -> String {
        format!("{let_in} of {tried} attackers get in as well")
    }

    pub(crate) fn form(form: &str) -> &'static str {
        match form {
            "exception" => "As a PolicyException",
            "podSecurity" => "As an exclude of the podSecurity rule",
            _ => "As an edit of the rule",
        }
    }

    pub(crate) fn write(form: &str) -> &'static str {
        if form == "exception" { "Write it into Exceptions" } else { "Write it into Policies" }
    }

    pub(crate) fn shuts_out(out: usize, admitted: usize) -> String {
        format!(
            "Refuses {}; {} in all the same.",
            many(out, "attacker", "attackers"),
            many(admitted, "gets", "get")
        )
    }
}

/// The mesh lens.
pub(crate) mod mesh {
    use super::many;

    pub(crate) const ARRIVES: &str = "As it arrives after injection by ";
    pub(crate) const VERSION: &str = "Version";
    pub(crate) const CNI: &str = "with its CNI plugin";
    pub(crate) const SIDECAR: &str = "sidecar ";
    /// The kinds of sidecars: the option and how it is said.
    pub(crate) const SIDECARS: [(&str, &str); 3] =
        [("", "as the release has it"), ("native", "native"), ("classic", "classic")];
    pub(crate) const NONE: &str = "No Pod or workload among the resources.";
    pub(crate) const PUT: &str = "Put this Pod into Resources";
    pub(crate) const REPLACE: &str = "Put it into Resources in the place of this Pod";
    pub(crate) const ADDED: &str = "What the mesh adds or changes:";
    pub(crate) const POD: &str = "The Pod as it arrives, with the mesh's lines marked";
    pub(crate) const VERDICTS: &str = "What the policies say of it:";
    pub(crate) const SILENT: &str = "No rule of the policies is for it.";

    pub(crate) fn hidden_lines(count: usize) -> String {
        format!("{count} more lines are not shown.")
    }

    pub(crate) fn rest(number: usize) -> String {
        format!("{number} more: volumes, labels, annotations, fields")
    }

    pub(crate) fn name(mesh: &str) -> &'static str {
        if mesh == "linkerd" { "Linkerd" } else { "Istio" }
    }

    pub(crate) fn levels(before: &str, after: &str) -> String {
        if before == after { after.to_owned() } else { format!("{before} → {after}") }
    }

    pub(crate) fn outcome(outcome: &str) -> &'static str {
        match outcome {
            "injected" => "injected",
            "already" => "injected already",
            "refused" => "refused by the injector itself",
            _ => "left as it is",
        }
    }

    pub(crate) fn controller_passes(kind: &str, rules: usize) -> String {
        format!("The {kind} passes while its Pod will be refused, by {}.", many(rules, "rule", "rules"))
    }

    pub(crate) fn pod_passes(rules: usize) -> String {
        format!(
            "As it is written the Pod passes; as it arrives it will be refused, by {}.",
            many(rules, "rule", "rules")
        )
    }
}

/// The smallest edits.
pub(crate) mod edits {
    pub(crate) const TITLE: &str = "It would pass with this edit";
    pub(crate) const TITLE_MANY: &str = "It would pass with these edits";
    pub(crate) const TRIED: &str =
        "Tried by running them; none can be left out. What a value means is for you to decide.";
    pub(crate) const SEARCHING: &str = "Looking for the smallest edits that would make it pass…";
    pub(crate) const NONE: &str = "No edit of this resource was found that would make the rule pass: something outside of the resource may decide.";
    pub(crate) const NO_STEPS: &str =
        "How an expression in CEL came to its value is not shown yet; its line is marked in the policy.";
    pub(crate) const WHY_NOT: &str = "Why not another rule of this policy?";
    pub(crate) const APPLY_ALL: &str = "Apply all";
    pub(crate) const GOES: &str = "is removed";

    pub(crate) fn before(value: &str) -> String {
        format!("instead of {value}")
    }
}

/// Steps of a rule.
pub(crate) mod steps {
    pub(crate) const DECIDED: &str = "this decided";

    pub(crate) fn all(number: usize) -> String {
        if number == 1 { "The one step".to_owned() } else { format!("All {number} steps") }
    }

    pub(crate) fn more(number: usize) -> String {
        format!("{number} more steps are not shown.")
    }

    /// What a kind of step is called.
    pub(crate) fn kind(kind: &str) -> String {
        match kind {
            "foreach" => "for each".to_owned(),
            "oldObject" => "old object".to_owned(),
            other => other.to_owned(),
        }
    }
}

/// The line under the cursor.
pub(crate) mod line {
    use crate::slot::Slot;

    pub(crate) const HINT: &str = "Go to a line of a policy or of the resource to see which steps read it.";
    pub(crate) const SAID: &str = "This line decides nothing: it is said or done once the rule has decided.";
    pub(crate) const UNTOUCHED: &str = "No step looked at this line.";
    pub(crate) const PASSING_CHECK: &str = "A check of the Pod Security Standards read it, and passes.";

    pub(crate) fn title(title: &str, line: u32) -> String {
        format!("{title} line {line}:")
    }

    pub(crate) fn of_rule(policy: &str, rule: &str, verdict: &str) -> String {
        let verdict = match verdict {
            "noMatch" => "does not match",
            "undecided" => "not decided",
            other => other,
        };
        if rule.is_empty() { format!("{policy}: {verdict}") } else { format!("{policy} / {rule}: {verdict}") }
    }

    /// A rule among others that read the line.
    pub(crate) fn and_more(rule: &str, others: usize) -> String {
        format!("{rule}, and {others} more")
    }

    /// Why the rule decided as it did, beside its verdict: what stands behind `fails because` or `does not match:`.
    pub(crate) fn decided(sentence: &str) -> String {
        let why = sentence.split_once(" because ").or_else(|| sentence.split_once(": "));
        why.map_or(sentence, |(_, why)| why).to_owned()
    }

    /// One step of the rule.
    pub(crate) fn step(kind: &str, outcome: &str, text: &str) -> String {
        format!("{kind} {outcome}: {text}")
    }

    pub(crate) fn never(sentence: &str) -> String {
        format!("Never reached: the rule {sentence}.")
    }

    pub(crate) fn nobody(slot: Slot) -> &'static str {
        match slot {
            Slot::Resource => "No rule read this line.",
            Slot::Policy => "No rule at this line was evaluated for this resource.",
            _ => "No step of a rule at this line.",
        }
    }

    pub(crate) fn more(number: usize) -> String {
        format!("{number} more steps: all of them are below.")
    }

    pub(crate) fn more_rules(number: usize) -> String {
        format!("{number} more rules read it.")
    }
}

#[cfg(test)]
mod tests {
    use super::{Range, payload, payload_place};

    #[test]
    fn a_payload_is_named_by_its_place_and_found_again_by_its_name() {
        let name = |line, column| payload(Some(&Range { line, column, ..Range::default() }));
        assert_eq!((name(1, 1), payload_place(&name(1, 1))), ("JSON payload".to_owned(), (1, 0)));
        assert_eq!((name(7, 3), payload_place(&name(7, 3))), ("JSON payload, line 7".to_owned(), (7, 0)));
        let last = name(1, 42);
        assert_eq!((last.as_str(), payload_place(&last)), ("JSON payload, line 1, column 42", (1, 42)));
    }
}
