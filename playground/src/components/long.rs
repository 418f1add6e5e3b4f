//! Texts and lists of any length, as a stranger's link may hold them: what is drawn is their beginning, and the rest in pieces
//! when somebody asks for it.
//!
//! In: a text, or rows. Out: what can be drawn without keeping anybody waiting. Names come short from the engine's worker.

use std::borrow::Cow;

use yew::{AttrValue, Callback, Html, Properties, component, html, use_state};

use crate::words::long as words;

/// Characters and lines of a message that are drawn unasked.
const SAID: (usize, usize) = (2_000, 50);
/// The same of a text that stands there like a file, and of each piece that is asked for.
const FILE: (usize, usize) = (20_000, 500);
/// Characters of a name where nothing can be asked for.
const SHORT: usize = 300;
/// Rows of a list that are made at all.
const MOST_ROWS: usize = 5_000;

/// A message.
pub(crate) fn said(text: &str) -> Html {
    long(text, SAID)
}

/// A text like a file, for a `pre`.
pub(crate) fn file(text: &str) -> Html {
    long(text, FILE)
}

fn long(text: &str, first: (usize, usize)) -> Html {
    if end(text, first) == text.len() {
        return html! { { text.to_owned() } };
    }
    html! { <Long text={text.to_owned()} {first} /> }
}

/// What a name begins with, where that must do.
pub(crate) fn short(text: &str) -> Cow<'_, str> {
    begun(text, SHORT)
}

/// The same of a sentence or line.
pub(crate) fn sentence(text: &str) -> Cow<'_, str> {
    begun(text, SAID.0)
}

fn begun(text: &str, characters: usize) -> Cow<'_, str> {
    match text.char_indices().nth(characters) {
        None => Cow::Borrowed(text),
        Some((at, _)) => Cow::Owned(format!("{}…", text.get(..at).unwrap_or_default())),
    }
}

/// Where the beginning of a text ends that has so many characters and lines at most.
fn end(text: &str, (characters, lines): (usize, usize)) -> usize {
    let by_characters = text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at);
    let begun = text.get(..by_characters).unwrap_or(text);
    begun.match_indices('\n').nth(lines).map_or(by_characters, |(at, _)| at)
}

#[derive(PartialEq, Properties)]
struct LongProps {
    text: AttrValue,
    first: (usize, usize),
}

/// The beginning of a text, and a button for the next piece.
#[component]
fn Long(props: &LongProps) -> Html {
    let pieces = use_state(|| 0_usize);
    let mut shown = end(&props.text, props.first);
    for _ in 0..*pieces {
        shown += end(props.text.get(shown..).unwrap_or_default(), FILE);
    }
    let left = props.text.get(shown..).unwrap_or_default().chars().count();
    let more = {
        let pieces = pieces.clone();
        Callback::from(move |_| pieces.set(*pieces + 1))
    };
    html! {
        <>
            { props.text.get(..shown).unwrap_or_default().to_owned() }
            if left > 0 { { "… " }<button type="button" class="plain more-text" onclick={more}>{ words::more_text(left) }</button> }
        </>
    }
}

/// Rows of a list, so many at first.
pub(crate) fn rows(rows: impl Iterator<Item = Html>, first: usize) -> Html {
    let rows: Vec<Html> = rows.take(MOST_ROWS).collect();
    if rows.len() <= first {
        return rows.into_iter().collect();
    }
    html! { <Rows {rows} {first} /> }
}

#[derive(PartialEq, Properties)]
struct RowsProps {
    rows: Vec<Html>,
    first: usize,
}

/// The first rows, and a button for as many again.
#[component]
fn Rows(props: &RowsProps) -> Html {
    let RowsProps { rows, first } = props;
    let pieces = use_state(|| 1_usize);
    let shown = first * *pieces;
    let left = rows.len().saturating_sub(shown);
    let more = {
        let pieces = pieces.clone();
        Callback::from(move |_| pieces.set(*pieces + 1))
    };
    html! {
        <>
            { for rows.iter().take(shown).cloned() }
            if left > 0 { <button type="button" class="plain more-rows" onclick={more}>{ words::more_rows(left, left + shown >= MOST_ROWS) }</button> }
        </>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_drawn_to_its_last_character_or_line_that_may_be() {
        assert_eq!(end("", SAID), 0);
        assert_eq!(end(&"é".repeat(2_000), SAID), 4_000);
        assert_eq!(end(&"é".repeat(2_001), SAID), 4_000);
        assert_eq!(end(&"\n".repeat(1_000_000), SAID), 50);
        assert_eq!(end(&"one\n".repeat(50), SAID), 200);
    }

    #[test]
    fn a_name_is_short() {
        assert_eq!(short("istio"), "istio");
        assert_eq!(short(&"ä".repeat(1_000_000)), "ä".repeat(SHORT) + "…");
    }
}
