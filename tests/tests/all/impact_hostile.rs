//! `podsieve impact` over repositories and names that want to have something run, written or obeyed.
//!
//! In: repositories made here, the built `podsieve`. Out: a failure where a file of a stranger was run or written, where one that is not read is not named,
//! or where a reader of Markdown obeys a name.
use crate::impact::{enforced, git, repository};
use pulldown_cmark::{Event, Options, Parser, Tag};
use std::fmt::Write;
use std::process::Command;
use tests::program::{self, Scratch};
use tests::terminal::{self, POD, POLICY};

#[test]
fn references_that_are_not_there_name_the_nearest() {
    let Some((program, scratch)) = repository() else { return };
    let folder = scratch.path().join("repo");
    for branch in ["release-1.0", "release-2.0", "topic/nonroot"] {
        assert!(git(&folder, &["branch", branch]));
    }
    assert!(git(&folder, &["tag", "v1.2.3"]));
    for (reference, nearest) in [
        ("mian", "`main`"),
        ("release-1.1", "`release-1.0`"),
        ("HEAD..relaese-2.0", "`release-2.0`"),
        ("topic/nonrot", "`topic/nonroot`"),
        ("v1.2.4...HEAD", "`v1.2.3`"),
        ("--relase-1.0", "`release-1.0`"),
    ] {
        let arguments = ["impact", reference, "policies", "-r", "app.yaml"];
        // What begins with a hyphen is a reference only behind `--`.
        let behind = ["impact", "-r", "app.yaml", "--", reference, "policies"];
        let arguments: &[&str] = if reference.starts_with('-') { &behind } else { &arguments };
        let run = terminal::run_in(&program, &folder, arguments, "");
        assert_eq!((run.code, run.err.contains(nearest)), (1, true), "{reference}: {}", run.err);
    }
    let far =
        terminal::run_in(&program, &folder, &["impact", "zzzzzzzzzzzz", "policies", "-r", "app.yaml"], "");
    assert!(far.code == 1 && !far.err.contains("did you mean"), "{}", far.err);
}

#[test]
fn submodules_and_links_are_named_and_not_read() {
    let Some((program, scratch)) = repository() else { return };
    let folder = scratch.path().join("repo");
    scratch.write("outside/secret.yaml", enforced().replace("no-latest", "outside")).unwrap();
    #[cfg(unix)]
    for (target, link) in [("../../outside/secret.yaml", "file.yaml"), ("../../outside", "folder.yaml")] {
        std::os::unix::fs::symlink(target, folder.join("policies").join(link)).unwrap();
    }
    // A submodule by its entry alone: a commit that is not here.
    let entry = "160000,1111111111111111111111111111111111111111,policies/sub.yaml";
    assert!(git(&folder, &["add", "-A"]));
    assert!(git(&folder, &["update-index", "--add", "--cacheinfo", entry]));
    assert!(git(&folder, &["commit", "-qm", "links"]));
    let run =
        terminal::run_in(&program, &folder, &["impact", "HEAD~1..HEAD", "policies", "-r", "app.yaml"], "");
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert!(run.err.contains("`policies/sub.yaml` is a submodule"), "{}", run.err);
    assert!(!run.out.contains("outside") && run.out.contains("2 newly denied"), "{}", run.out);
    if cfg!(unix) {
        for link in ["file.yaml", "folder.yaml"] {
            assert!(run.err.contains(&format!("`policies/{link}` is a symbolic link")), "{}", run.err);
        }
    }
}

#[test]
fn more_files_than_are_listed_are_an_error() {
    let Some((program, scratch)) = repository() else { return };
    let folder = scratch.path().join("repo");
    let stream = |count: usize| {
        let mut text = String::from("blob\nmark :1\ndata 2\na\n\ncommit refs/heads/many\n");
        text.push_str("committer a <a@example.com> 1700000000 +0000\ndata 1\na\n");
        for at in 0..count {
            let _ = writeln!(text, "M 100644 :1 policies/{}/{at}.txt", at % 100);
        }
        text + "M 100644 inline policies/p.yaml\ndata <<END\n" + &enforced() + "END\n"
    };
    for (count, code, said) in [(99_999, 2, ""), (100_001, 1, "more than 100000 files below these paths")] {
        scratch.write("stream", stream(count)).unwrap();
        let input = std::fs::File::open(scratch.path().join("stream")).unwrap();
        let mut import = Command::new("git");
        import.args(["fast-import", "--quiet", "--force"]).current_dir(&folder).stdin(input);
        assert!(import.status().unwrap().success());
        let run =
            terminal::run_in(&program, &folder, &["impact", "main..many", "policies", "-r", "app.yaml"], "");
        assert_eq!((run.code, run.err.contains(said)), (code, true), "{count}: {}{}", run.out, run.err);
    }
}

/// Names and messages that readers of Markdown and HTML would obey.
const OBEYED: [&str; 9] = [
    "<script>alert(1)</script>",
    "![p](http://example.com/p.png)",
    "[a](http://example.com)",
    "http://example.com/x",
    "</summary></details><b>x",
    "```` ``` ` @all #1",
    "a|b|c",
    "\\` <i>",
    "*x* _y_ ~~z~~ &lt;b&gt;",
];

/// The Markdown of a change of policies and objects with these names.
fn comment() -> Option<String> {
    let program = program::find_or_skip()?;
    let scratch = Scratch::new().ok()?;
    for (at, word) in OBEYED.iter().enumerate() {
        let quoted = word.replace('\'', "''");
        for (side, text) in [("old", POLICY.to_owned()), ("new", enforced())] {
            let text = text
                .replace("name: no-latest", &format!("name: p{at}"))
                .replace("name: tag", &format!("name: 'r{quoted}'"))
                .replace("message: name a version", &format!("message: '{quoted}'"));
            let file = word.replace('/', "");
            scratch.write(&format!("{side}/{at}{file}.yaml"), text).ok()?;
        }
    }
    let pods = OBEYED.iter().enumerate().map(|(at, word)| {
        let quoted = format!("name: '{}{at}'}}", word.replace('\'', "''"));
        format!("---\n# Source: {word}\n{}", POD.replace("name: web}", &quoted))
    });
    let objects = "<b>[x](http:example.com)@all.yaml";
    scratch.write(objects, pods.collect::<String>()).ok()?;
    let arguments = ["impact", "old", "new", "-r", objects, "--format", "markdown", "--limit", "0"];
    let arguments = [&arguments[..], &["--compare", "none"]].concat();
    Some(terminal::run_in(&program, scratch.path(), &arguments, "").out)
}

/// Every tag that a comment may have.
const OWN_TAGS: [&str; 7] = [
    "<details>",
    "</details>",
    "<summary>",
    "</summary>",
    "<sub>",
    "</sub>",
    "<!-- podsieve-impact impact -->",
];

#[test]
fn no_reader_of_markdown_obeys_a_name() {
    let Some(text) = comment() else { return };
    let (mut codes, mut details) = (0, 0);
    let extensions = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    for event in Parser::new_ext(&text, extensions) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                assert!(dest_url.is_empty(), "a link to {dest_url}\n{text}");
            }
            Event::Start(Tag::Emphasis | Tag::Strikethrough | Tag::CodeBlock(_) | Tag::Heading { .. }) => {
                assert!(text.is_empty(), "a form of a stranger\n{text}");
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                details += html.matches("<details>").count();
                let rest = OWN_TAGS.iter().fold(html.to_string(), |rest, tag| rest.replace(tag, ""));
                assert!(!rest.contains(['<', '>', '@']), "{html}\n{text}");
            }
            Event::Text(plain) => {
                assert!(!plain.contains(['@', '#', '<']) && !plain.contains("http"), "{plain}\n{text}");
            }
            Event::Code(_) => codes += 1,
            _ => {}
        }
    }
    // It is all there, in code.
    assert!(codes > 30 && details == OBEYED.len(), "{codes} {details}\n{text}");
}
