//! What the page says about workspaces, commands, links to samples and what a link takes along: the one place to
//! change a word.

/// Workspaces.
pub(crate) mod spaces {
    pub(crate) const TITLE: &str = "Workspaces";
    pub(crate) const NONE: &str =
        "None yet. A workspace is what is on the page now, under a name, kept in this browser.";
    pub(crate) const NAME: &str = "Name";
    pub(crate) const SAVE: &str = "Save";
    pub(crate) const UNDO: &str = "Undo";
    pub(crate) const RENAME: &str = "Rename";
    pub(crate) const DELETE: &str = "Delete";
    pub(crate) const FULL: &str =
        "this browser keeps no more: delete a workspace, or save playground.yaml as a file";
    pub(crate) const UNNAMED: &str = "a workspace needs a name";
    pub(crate) const FOOT: &str = "They stay in this browser and are sent nowhere. What you change is in a workspace once it is saved again.";

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
    pub(crate) const NONE: &str = "nothing of this name";
    pub(crate) const PAGE: &str = "page";
    pub(crate) const INPUT: &str = "input";
    pub(crate) const TAB: &str = "results";
    pub(crate) const SAMPLE: &str = "sample";
    pub(crate) const SPACE: &str = "workspace";
    pub(crate) const SAMPLES: &str = "Samples…";
    pub(crate) const OPEN: &str = "Open a link or files…";
    pub(crate) const FILES: &str = "Choose files…";
    pub(crate) const SHARE: &str = "Share…";
    pub(crate) const SPACES: &str = "Workspaces…";
    pub(crate) const ABOUT: &str = "About this page, and its keys";
    pub(crate) const BACK: &str = "Back to your work";
    pub(crate) const RESET: &str = "Start over";
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
            "the link names the policy “{policy}” of Kyverno’s library, and nothing is fetched here: this is the sample of that name that comes with this page"
        )
    }

    pub(crate) fn missing(policy: &str, file: &str) -> String {
        format!(
            "the link names the policy “{policy}” of Kyverno’s library, which does not come with this page, and nothing is fetched here: copy the text of https://raw.githubusercontent.com/kyverno/policies/main/{policy}/{file}.yaml into Policies"
        )
    }

    pub(crate) const UNREADABLE: &str = "The sample could not be loaded.";
}

/// What a link takes along.
pub(crate) mod share {
    pub(crate) const WHAT: &str = "What the link takes along";

    pub(crate) fn part(title: &str, characters: usize) -> String {
        format!("{title} ({characters} characters)")
    }

    pub(crate) fn without_editor(key: &str) -> String {
        format!("{key} (no editor here)")
    }

    pub(crate) fn secrets(places: &[String]) -> String {
        format!("A Secret with data is in {}: whoever gets the link can read it.", places.join(" and "))
    }

    pub(crate) fn length(characters: usize) -> String {
        format!("The link has {characters} characters")
    }

    pub(crate) const LONG: &str = "; some chats and trackers cut links of this length";
    pub(crate) const PROMISE: &str = "The text is inside the link; nothing is stored anywhere.";
}
