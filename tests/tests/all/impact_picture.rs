//! The picture of the comment in the story of a pull request.
//!
//! In: the story. Out: with UPDATE=1 and `CHROMIUM`, `docs/pictures/impact-1-comment.png`, made of the Markdown that the story shows; else a failure where
//! the story shows another than the picture was made of.

use pulldown_cmark::{Options, Parser, html};
use std::path::Path;
use std::process::Command;
use tests::program::Scratch;

/// A page as wide as a comment, with the plainest of styles.
const STYLE: &str = "body{font:14px/1.5 sans-serif;color:#1f2328;background:#fff;margin:20px;width:820px}\
                     code{background:#eff1f3;border-radius:6px;padding:.2em .4em;font:12px monospace}\
                     table{border-collapse:collapse}th,td{border:1px solid #d1d9e0;padding:6px 13px}";

#[test]
fn the_picture_shows_the_comment_of_the_story() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let story = std::fs::read_to_string(docs.join("stories/a_pull_request.md")).unwrap();
    let (_, behind) = story.split_once("<!-- podsieve-impact").unwrap();
    let comment = format!("<!-- podsieve-impact{}", behind.split_once("\n$ ").unwrap().0);
    let (picture, seen) =
        (docs.join("pictures/impact-1-comment.png"), docs.join("pictures/seen-comment.txt"));
    if std::env::var_os("UPDATE").is_some()
        && let Some(browser) = std::env::var_os("CHROMIUM")
    {
        let mut body = String::new();
        html::push_html(&mut body, Parser::new_ext(&comment, Options::ENABLE_TABLES));
        let page = format!(
            "<!doctype html><meta charset=utf-8><style>{STYLE}</style>{}",
            body.replace("<details>", "<details open>")
        );
        let scratch = Scratch::new().unwrap();
        scratch.write("comment.html", page).unwrap();
        let mut taken = Command::new(browser);
        taken.args(["--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=880,560"]);
        taken.arg(format!("--user-data-dir={}", scratch.path().join("profile").display()));
        taken.arg(format!("--screenshot={}", picture.display())).arg(scratch.path().join("comment.html"));
        assert!(taken.output().unwrap().status.success());
        std::fs::write(&seen, &comment).unwrap();
    }
    let size = std::fs::metadata(&picture).unwrap().len();
    assert!((1_000..=100_000).contains(&size), "{size} bytes");
    let made_of = std::fs::read_to_string(&seen).unwrap();
    assert_eq!(
        made_of, comment,
        "the story shows another comment than the picture: UPDATE=1 with CHROMIUM makes it anew"
    );
    assert!(story.contains("](../pictures/impact-1-comment.png)"));
}
