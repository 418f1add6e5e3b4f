//! Every word that the page says, but for those that the engine says: the one place to change a word. Those of the views
//! that load late are in `late/words.rs`, those of a JavaScript file at its top.
//!
//! A sentence that an element interrupts is two constants, `X` and `X_END`. Values get into a sentence by a function.

pub(crate) mod copying;
pub(crate) mod inputs;
pub(crate) mod long;
pub(crate) mod results;

/// The name of all this.
pub(crate) const NAME: &str = "podsieve";
pub(crate) const CLOSE: &str = "Close";
pub(crate) const START_OVER: &str = "Start over";
pub(crate) const BACK_TO_WORK: &str = "Back to your work";
pub(crate) const NO_RULE_MATCHED: &str = "no rule matched";
pub(crate) const NOT_DECIDED: &str = "not decided";

/// The line of a text: `policies line 3`.
pub(crate) fn place(title: &str, line: u32) -> String {
    format!("{} line {line}", title.to_ascii_lowercase())
}

/// The top line, and what stands around the columns.
pub(crate) mod page {
    pub(crate) const WHOLE: &str = "Open the whole page";
    pub(crate) const TOOLS: &str = "Page";
    pub(crate) const SAMPLES: &str = "Samples";
    pub(crate) const OPEN: &str = "Open…";
    pub(crate) const SHARE: &str = "Share";
    pub(crate) const SPACES: &str = super::spaces::TITLE;
    pub(crate) const NEW: &str = "New";
    /// What follows the number of things that are not evaluated.
    pub(crate) const NOT_EVALUATED: &str = "not evaluated";
    pub(crate) const EVALUATING: &str = "evaluating…";
    pub(crate) const PROMISE: &str = ", nothing left this browser";
    pub(crate) const NO_POLICY: &str = "no policy";
    pub(crate) const NO_RESOURCE: &str = "no resource";
    pub(crate) const UNUSABLE_POLICY: &str = "no usable policy";
    pub(crate) const UNUSABLE_RESOURCE: &str = "no usable resource";
    pub(crate) const MILLIS: &str = " ms";
    /// The three views of a narrow screen.
    pub(crate) const VIEWS: &str = "Views";
    pub(crate) const POLICIES: &str = "Policies";
    pub(crate) const RESOURCES: &str = "Resources";
    pub(crate) const RESULTS: &str = "Results";
    pub(crate) const POLICIES_WIDTH: &str = "Width of the policies";
    pub(crate) const RESULTS_WIDTH: &str = "Width of the results";
    pub(crate) const NEWS: &str =
        "a new version of this page is ready: reload to use it; what you typed stays";

    /// As whom the policies are evaluated.
    pub(crate) const HOST: &str = "Whose verdicts";

    /// A host, behind the verdict.
    pub(crate) fn host(name: &str) -> &'static str {
        match name {
            "cluster" => "as in a cluster",
            "cli" => "as the CLI says",
            _ => "as the Playground says",
        }
    }

    /// What a host does, as a tooltip.
    pub(crate) fn host_about(name: &str) -> &'static str {
        match name {
            "cluster" => {
                "As an API server and Kyverno’s webhooks decide: bindings, parameters, Namespaces and old objects count, and whole numbers are integers."
            }
            "cli" => "As kyverno apply and kyverno test decide.",
            _ => {
                "As the Kyverno Playground decides: no namespace is added, and Kyverno’s default resource filters apply."
            }
        }
    }

    /// What follows the number of refused policies.
    pub(crate) fn refused(policies: usize) -> &'static str {
        if policies == 1 { "policy refused" } else { "policies refused" }
    }
}

/// The line below the top line.
pub(crate) mod notice {
    pub(crate) const TITLE: &str = "About what is open";
    pub(crate) const WHAT: &str =
        "This page evaluates Kyverno policies while you type, in your browser: nothing is sent anywhere. ";
    pub(crate) const FROM_LINK: &str = "Opened from a link.";
    pub(crate) const EMPTY: &str =
        "An empty workspace: write a policy and a resource, or drop files anywhere on the page.";
    pub(crate) const MORE: &str = "More";
    pub(crate) const LESS: &str = "Less";
    pub(crate) const ASIDE: &str = "Your earlier work is saved.";
    pub(crate) const HIDE: &str = "Hide";
}

/// A few words about the page.
pub(crate) mod about {
    pub(crate) const TITLE: &str = "About this page";
    pub(crate) const THEME: &str = "Light or dark: ";
    pub(crate) const WHAT: &str = "podsieve evaluates Kyverno policies in your browser. It is an independent project and not part of Kyverno; it follows the verdicts and words of Kyverno ";
    pub(crate) const WHAT_END: &str = ".";
    pub(crate) const ENGINE: &str = "The engine (podsieve ";
    pub(crate) const ENGINE_END: &str = ") runs in a worker on this page. Nothing is sent: the page requests nothing but its own files, and its Content-Security-Policy forbids more. What you type is kept in this browser until you start over.";
    pub(crate) const HOST: &str = "Beside the verdict stands whose it is: policies of Kubernetes and in CEL are evaluated as in a cluster unless you choose otherwise, all others as in the Kyverno Playground, where no namespace is added and Kyverno’s default resource filters apply.";
    pub(crate) const OTHERS: &str =
        "The page contains third-party code, such as the editor CodeMirror and the framework Yew, under ";
    pub(crate) const LICENSES: &str = "their own licences";
    pub(crate) const OTHERS_END: &str = ".";
    pub(crate) const MORE: &str = "To read on: ";
    pub(crate) const SOURCE: &str = "source";
    /// The documents that the build puts beside the page.
    pub(crate) const DOCUMENTS: [(&str, &str); 6] = [
        ("README", "./docs/README.txt"),
        ("functions", "./docs/functions.txt"),
        ("explain", "./docs/explain.txt"),
        ("limits, differences from Kyverno", "./docs/limits.txt"),
        ("changelog", "./docs/CHANGELOG.txt"),
        ("licence", "./docs/LICENSE.txt"),
    ];
    pub(crate) const WRAP: &str = "Wrap long lines in the editors";
    pub(crate) const KEYBOARD: &str = "Keyboard";
    pub(crate) const COMMANDS_KEY: &str = "Ctrl/Cmd+K";
    pub(crate) const COMMANDS: &str = "commands";
    pub(crate) const COMMANDS_END: &str = ": everything on this page by name";
    /// The other keys, each with what it does.
    pub(crate) const KEYS: [(&str, &str); 11] = [
        ("Tab", "indents in an editor; Escape and then Tab leaves it"),
        ("Ctrl+Space", "completes in an editor: keys, values, functions; so does typing"),
        ("Ctrl/Cmd+F", "finds in an editor"),
        (super::commands::LINE_KEY, super::commands::LINE_ABOUT),
        ("F8", "next problem in an editor; ↑ ↓ in the list of problems"),
        ("Ctrl/Cmd+S", "shares what is on the page, as a link or files"),
        ("Alt+Z", "turns wrapping of long lines on and off"),
        ("← →", "other tab; on a divider, another width"),
        ("/", "searches the verdicts, where there are many"),
        ("Enter", "on a verdict marks its lines"),
        ("Escape", "closes a panel"),
    ];
}

/// The samples, by folder and heading in the order of the menu.
pub(crate) mod samples {
    pub(crate) const TITLE: &str = "Samples";
    pub(crate) const GROUPS: [(&str, &str); 12] = [
        ("good-practice", "Good practice"),
        ("rules", "Every kind of rule"),
        ("cel", "In CEL"),
        ("cel-changing", "In CEL: what changes, makes and deletes"),
        ("context", "What rules ask for"),
        ("pod-security", "Pod security"),
        ("stories", "Stories"),
        ("stories-cel", "Stories, in CEL"),
        ("objects", "New objects"),
        ("mesh", "Service meshes"),
        ("mesh-problem", "Service meshes: the problem, in five steps"),
        ("arriving", "Service meshes: Pods as they arrive"),
    ];
    pub(crate) const SEARCH: &str = "Search the samples";
    pub(crate) const NONE: &str = "No sample matches.";
    pub(crate) const OTHER_GROUP: &str = "More";
    pub(crate) const FOOT: &str = " Your own texts are saved and come back with “Back to your work”.";
}

/// What is opened: a link, files.
pub(crate) mod open {
    pub(crate) const TITLE: &str = "Open a link or files";
    pub(crate) const LINK: &str = "A link of this page or of the Kyverno Playground, or the part after ";
    pub(crate) const LINK_CODE: &str = "content=";
    pub(crate) const LINK_EXAMPLE: &str = "https://playground.kyverno.io/#/?content=…";
    pub(crate) const OPEN: &str = "Open";
    pub(crate) const YAML: &str =
        "this is YAML, not a link: paste it into Policies or Resources, or open it as a file";
    pub(crate) const FOOT: &str = " The link is read here; nothing is fetched.";
    pub(crate) const FILES: &str = "Files";
    pub(crate) const CHOOSE: &str = "Choose files…";
    pub(crate) const CHOOSE_FOLDER: &str = "Choose a folder…";
    pub(crate) const NOTHING: &str = "An empty workspace";
    pub(crate) const NEW: &str = super::commands::NEW;
    pub(crate) const DROP: &str = " or drop them anywhere on the page: manifests go to their inputs by kind, the items of a List one by one, a ";
    pub(crate) const DROP_CODE: &str = "playground.yaml";
    pub(crate) const DROP_END: &str = " of the Kyverno Playground takes the place of all.";
    pub(crate) const NO_RESOURCE: &str = "this link carries no resource: add one to see a verdict";

    /// Names one after another, no more than anybody reads.
    fn listed(names: &[impl AsRef<str>]) -> String {
        const MOST: usize = 20;
        let first: Vec<&str> = names.iter().take(MOST).map(AsRef::as_ref).collect();
        let more = names.len().saturating_sub(MOST);
        if more == 0 { first.join(", ") } else { format!("{} and {more} more", first.join(", ")) }
    }

    pub(crate) fn unreadable(why: &str) -> String {
        format!("the link in the address bar could not be read: {why}")
    }

    pub(crate) fn nothing_in(files: &[&str]) -> String {
        format!("there is nothing to read in {}", listed(files))
    }

    pub(crate) fn read(files: &[&str], inputs: &[&str]) -> String {
        format!("{} read into {}", listed(files), inputs.join(", "))
    }

    /// A document that has no input.
    pub(crate) fn in_file(kind: &str, file: &str) -> String {
        format!("{kind} in {file}")
    }

    /// Documents that have no input.
    pub(crate) fn aside(documents: &[String]) -> String {
        format!(
            "left out, as only the Kyverno CLI reads it: {}; variables and user info go into Request",
            listed(documents)
        )
    }

    /// The limits of `files.js`.
    pub(crate) fn unread(files: &[&str]) -> String {
        format!("not read, as larger than 4 MiB, no UTF-8 text or no manifest: {}", listed(files))
    }

    pub(crate) fn left(count: u32) -> String {
        format!("not read, as more than 200 files or 32 MiB at once: {count} more")
    }

    /// While many documents are read.
    pub(crate) fn reading(done: u32, of: u32) -> String {
        format!("reading: {done} of {of} documents")
    }

    pub(crate) fn no_profile(file: &str) -> String {
        format!("{file} holds no profile")
    }

    pub(crate) fn profile(name: &str, file: &str) -> String {
        format!("the profile “{name}” of {file}")
    }

    pub(crate) fn other_profiles(names: &[String]) -> String {
        let names: Vec<String> = names.iter().map(|name| format!("“{name}”")).collect();
        format!("not opened: {}; put the one you want first in the file", listed(&names))
    }
}

/// Workspaces.
pub(crate) mod spaces {
    pub(crate) const TITLE: &str = "Workspaces";
    pub(crate) const NONE: &str =
        "None yet. A workspace is what is on the page now, under a name, kept in this browser.";
    pub(crate) const ASIDE: &str = super::notice::ASIDE;
    pub(crate) const NAME: &str = "Name";
    pub(crate) const SAVE: &str = "Save";
    pub(crate) const UNDO: &str = "Undo";
    pub(crate) const RENAME: &str = "Rename";
    pub(crate) const DELETE: &str = "Delete";
    pub(crate) const FULL: &str =
        "this browser keeps no more: delete a workspace, or save playground.yaml as a file";
    pub(crate) const UNNAMED: &str = "a workspace needs a name";
    pub(crate) const FOOT: &str = "They stay in this browser and are sent nowhere. What you change is in a workspace once it is saved again.";

    /// What a button does, with the workspace that it does it to.
    pub(crate) fn does(what: &str, name: &str) -> String {
        format!("{what} {name}")
    }

    pub(crate) fn too_many(most: usize) -> String {
        format!("there are {most} workspaces already: delete one first")
    }

    pub(crate) fn too_large(characters: usize, most: usize) -> String {
        format!(
            "all workspaces together may have {most} characters, with this one they would have {characters}"
        )
    }

    pub(crate) fn too_long(most: usize) -> String {
        format!("a name may have {most} characters")
    }

    pub(crate) fn saved(name: &str) -> String {
        format!("saved as “{name}”")
    }

    pub(crate) fn replaced(name: &str) -> String {
        format!("saved as “{name}”, in the place of what it was before")
    }

    pub(crate) fn renamed(from: &str, to: &str) -> String {
        format!("“{from}” is now “{to}”")
    }

    pub(crate) fn taken(name: &str) -> String {
        format!("there is a workspace “{name}” already")
    }

    pub(crate) fn deleted(name: &str) -> String {
        format!("“{name}” is deleted")
    }

    pub(crate) fn undone() -> String {
        "undone".to_owned()
    }

    pub(crate) fn opened(name: &str) -> String {
        format!("the workspace “{name}”")
    }
}

/// The command palette.
pub(crate) mod commands {
    pub(crate) const TITLE: &str = "Commands";
    pub(crate) const TYPE: &str = "Type a command, a tab, an input or a sample";
    pub(crate) const NONE: &str = "No command matches.";
    pub(crate) const PAGE: &str = "page";
    pub(crate) const INPUT: &str = "input";
    pub(crate) const TAB: &str = "results";
    pub(crate) const SAMPLE: &str = "sample";
    pub(crate) const SPACE: &str = "workspace";
    pub(crate) const SAMPLES: &str = "Samples…";
    pub(crate) const OPEN: &str = "Open a link or files…";
    pub(crate) const FILES: &str = super::open::CHOOSE;
    pub(crate) const SHARE: &str = "Share…";
    pub(crate) const SPACES: &str = "Workspaces…";
    pub(crate) const ABOUT: &str = "About this page, and its keys";
    pub(crate) const BACK: &str = super::BACK_TO_WORK;
    pub(crate) const NEW: &str = "New: an empty workspace";
    pub(crate) const RESET: &str = super::START_OVER;
    pub(crate) const WRAP: &str = "Turn wrapping of long lines on or off";
    pub(crate) const WRAP_KEY: &str = "Alt+Z";
    pub(crate) const LINK: &str = "Copy a link for this page";
    pub(crate) const ORIGINAL: &str = "Copy a link for the Kyverno Playground";
    pub(crate) const EXPORT: &str = "Save as playground.yaml";
    pub(crate) const TEST: &str = "Save as a test folder";
    pub(crate) const SEARCH: &str = "Search the verdicts";
    pub(crate) const LINE: &str = "Why this line?";
    pub(crate) const LINE_KEY: &str = "Alt+Enter";
    pub(crate) const LINE_ABOUT: &str =
        "in an editor asks why this line; while Why is open, it follows the cursor";
    pub(crate) const LIGHT: &str = "Theme: light";
    pub(crate) const DARK: &str = "Theme: dark";
    pub(crate) const SYSTEM: &str = "Theme: as the system";
}

/// Links that name a policy of Kyverno's library.
pub(crate) mod library {
    pub(crate) fn found(policy: &str) -> String {
        format!(
            "The link names the policy “{policy}” of Kyverno’s library. This page makes no network requests: this is its own sample of that name."
        )
    }

    pub(crate) fn missing(policy: &str, path: &str) -> String {
        format!(
            "The link names the policy “{policy}” of Kyverno’s library, which does not come with this page. This page makes no network requests: copy the text of https://raw.githubusercontent.com/kyverno/policies/main/{path}.yaml into Policies."
        )
    }

    pub(crate) const UNREADABLE: &str = "The sample could not be loaded.";
}

/// Links to what is on screen, and what they take along.
pub(crate) mod share {
    pub(crate) const TITLE: &str = "Share";
    pub(crate) const ORIGINAL: &str = "For the Kyverno Playground";
    pub(crate) const OWN: &str = "For this page";
    pub(crate) const FORMS: &str = "Other forms";
    pub(crate) const MARKDOWN: &str = "Markdown";
    pub(crate) const FRAME: &str = "Embedded in a page";
    pub(crate) const COMMAND: &str = "Command line";
    pub(crate) const TEST: &str = "Save as a test folder";
    pub(crate) const TEST_MORE: &str = ": a zip with today’s verdicts, which ";
    pub(crate) const TEST_CODE: &str = "kyverno test";
    pub(crate) const TEST_END: &str = " runs";
    pub(crate) const EXPORT: &str = "Save as playground.yaml";
    pub(crate) const EXPORT_END: &str = ", which the Kyverno Playground imports";
    pub(crate) const WHAT: &str = "What the link carries";

    /// The part of a link that says as whom its texts are evaluated.
    pub(crate) const HOST: &str = super::page::HOST;

    /// What a button copies.
    pub(crate) fn copy(label: &str) -> String {
        format!("Copy: {label}")
    }

    /// A link with its verdict, as Markdown has it.
    pub(crate) fn markdown(link: &str, verdict: &str) -> String {
        format!("[podsieve: {verdict}]({link})")
    }

    /// The page inside another one.
    pub(crate) fn frame(link: &str) -> String {
        format!("<iframe src=\"{link}\" title=\"podsieve\" width=\"100%\" height=\"400\"></iframe>")
    }

    /// The verdicts of a link in a terminal. A link has no single quote: it is made of base64 and percent signs.
    pub(crate) fn command(link: &str) -> String {
        format!("podsieve share open '{link}'")
    }

    pub(crate) fn part(title: &str, characters: usize) -> String {
        format!("{title} ({characters} characters)")
    }

    pub(crate) fn without_editor(key: &str) -> String {
        format!("{key} (no editor here)")
    }

    pub(crate) fn secrets(places: &[String]) -> String {
        format!("A Secret with data is in {}: everyone with the link can read it.", places.join(" and "))
    }

    pub(crate) fn length(characters: usize) -> String {
        format!("The link has {characters} characters")
    }

    pub(crate) const LONG: &str = "; some chats and trackers cut links of this length";
    pub(crate) const VERY_LONG: &str = ": most chats, mails and trackers will cut it, and some browsers and systems do not open it. Send a file instead: the zip or playground.yaml below";
    pub(crate) const PROMISE: &str = "The text is inside the link; nothing is stored anywhere.";
}

/// The columns of editors, and the strip of problems below them.
pub(crate) mod texts {
    pub(crate) const POLICIES: &str = "Policies and their settings";
    pub(crate) const RESOURCES: &str = "Resources";
    pub(crate) const ADD: &str = "+ add";
    pub(crate) const FURTHER: &str = "Further inputs";
    pub(crate) const HAS_ERRORS: &str = " has errors";
    pub(crate) const PROBLEMS: &str = "Problems";
    pub(crate) const NO_PROBLEMS: &str = "Problems: none";
    pub(crate) const KEPT: &str = "What you type is kept in this browser. ";
    pub(crate) const NOT_KEPT: &str =
        "This browser does not let the page keep anything: what you type is gone once the page is closed. ";

    pub(crate) const MOVE: &str = "Move it to Resources";
    pub(crate) const SPLIT: &str = "Split this List";

    /// Behind the first places of one problem.
    pub(crate) fn more_places(number: usize) -> String {
        format!("and {number} more")
    }

    pub(crate) fn problems(number: usize) -> String {
        if number == 1 {
            "1 problem in the texts".to_owned()
        } else {
            format!("{number} problems in the texts")
        }
    }
}
