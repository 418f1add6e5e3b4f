//! `docs/pod-security-table.md` is what the implementations say.
//!
//! In: the implementations, as far as they lie beside the repository. Out: a failure where the page says something else; with `UPDATE=1` the
//! page is written instead.

use engine::podsecurity::{Level, Version};
use engine_convert::podsecurity::{Source, Target, compile};
use tests::compiled::verdicts;
use tests::recorded;
use tests::standards::cases::{BASE, cases};
use tests::standards::{page, table};

#[test]
fn the_page_is_what_the_implementations_say() {
    let Some(folder) = recorded::folder_or_skip("the table of implementations") else { return };
    if !folder.join("../bench/pod-security").is_dir() {
        return recorded::say(
            "skipped: the table of implementations: no folder `shared/bench` beside the repository",
        );
    }
    let made = page(&table(&folder).unwrap());
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/pod-security-table.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written == made, "not up to date: UPDATE=1 cargo test -p tests --test all standards_page::");
}

#[test]
fn the_hardened_pod_is_let_in_and_each_control_refuses_a_change() {
    let base = engine::yaml::parse_one(BASE).unwrap();
    let text = compile(&Source::new(Level::Restricted, Version::Latest), Target::AdmissionPolicy).text();
    assert!(verdicts(&text, std::slice::from_ref(&base)).iter().all(|verdict| verdict.allowed));
    let cases = cases();
    let pods: Vec<_> = cases.iter().map(|case| case.pod.clone()).collect();
    let found = verdicts(&text, &pods);
    for control in cases.iter().map(|case| case.control) {
        let of = || cases.iter().zip(&found).filter(|(case, _)| case.control == control);
        assert!(of().any(|(_, verdict)| !verdict.allowed), "{control}: nothing is refused");
    }
    assert!(cases.len() > 150, "{}", cases.len());
}
