//! Many resources as a table: a row for each, a column for each rule, a mark in each cell.
//!
//! In: the table, the output. Out: a chosen verdict, whose rule is shown below. Only the rows on screen are in the
//! document; their height is `ROW`, as in results.css. Arrow keys go from cell to cell.

use std::rc::Rc;

use engine::wire::Output;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, KeyboardEvent, MouseEvent};
use yew::{
    AttrValue, Callback, Event, Html, Properties, TargetCast as _, classes, component, html, use_node_ref,
    use_state,
};

use super::rule_row;
use crate::app::Handle;
use crate::browser;
use crate::components::status;
use crate::state::{Action, Chosen, Row, Table};

/// The height of a row in pixels.
const ROW: usize = 28;
/// Rows that are drawn beyond what is seen, and by which the window moves.
const AHEAD: usize = 12;
/// Rows that fit on any screen.
const SEEN: usize = 80;
/// Columns at most; a policy set of more rules is better searched.
const COLUMNS: usize = 200;

#[derive(PartialEq, Properties)]
pub(crate) struct MatrixProps {
    pub(crate) store: Handle,
    pub(crate) table: Rc<Table>,
}

/// The table, and the rule that is chosen.
#[component]
pub(crate) fn Matrix(props: &MatrixProps) -> Html {
    let (store, table) = (&props.store, &props.table);
    let first = use_state(|| 0_usize);
    let cursor = use_state(|| (0_usize, 0_usize));
    let scroller = use_node_ref();
    let Some(output) = &store.state.verdict.output else { return Html::default() };
    let scrolled = {
        let first = first.clone();
        Callback::from(move |event: Event| {
            let top = event.target_unchecked_into::<Element>().scroll_top();
            let at = usize::try_from(top).unwrap_or_default() / ROW / AHEAD * AHEAD;
            if *first != at {
                first.set(at);
            }
        })
    };
    let choose = {
        let (store, table, output, cursor) = (store.clone(), table.clone(), output.clone(), cursor.clone());
        Callback::from(move |(row, column): (usize, usize)| {
            cursor.set((row, column));
            if let Some((result, rule)) = table.place(row, column).and_then(|place| place.of(&output)) {
                store.dispatch(Action::Chose(Chosen::of(result, Some(rule), true)));
            }
        })
    };
    let click = {
        let choose = choose.clone();
        Callback::from(move |event: MouseEvent| {
            if let Some(cell) = choose_of(&event) {
                choose.emit(cell);
            }
        })
    };
    let keys = keys(table, &cursor, &scroller);
    let from = first.saturating_sub(AHEAD).min(table.rows.len());
    let to = (*first + SEEN + AHEAD).min(table.rows.len());
    let shown = table.rows.get(from..to).unwrap_or_default();
    let spacer = |rows: usize| {
        let height = AttrValue::from((rows * ROW).to_string());
        html! { <tr aria-hidden="true"><td class="spacer"><svg width="1" {height}></svg></td></tr> }
    };
    let row = |(at, row): (usize, &Row)| self::row(output, row, from + at, *cursor);
    html! {
        <div class="scaled">
            <div class="matrix" ref={scroller} onscroll={scrolled} onclick={click} onkeydown={keys}>
                <table role="grid" aria-label="Verdicts of each rule on each resource" aria-rowcount={(table.rows.len() + 1).to_string()}>
                    <thead>{ head(table) }</thead>
                    <tbody>
                        if from > 0 { { spacer(from) } }
                        { for shown.iter().enumerate().map(row) }
                        if to < table.rows.len() { { spacer(table.rows.len() - to) } }
                    </tbody>
                </table>
            </div>
            { detail(store) }
        </div>
    }
}

fn head(table: &Table) -> Html {
    let column = |column: &crate::state::Column| {
        let title = format!("{} / {}", column.policy, column.rule);
        html! { <th scope="col" title={title.clone()}><span>{ &column.rule }</span></th> }
    };
    html! {
        <tr aria-rowindex="1">
            <th scope="col" class="corner-cell"><span class="sr">{ "Resource" }</span></th>
            { for table.columns.iter().take(COLUMNS).map(column) }
        </tr>
    }
}

fn row(output: &Output, row: &Row, at: usize, cursor: (usize, usize)) -> Html {
    let cell = |(column, place): (usize, &Option<crate::state::Place>)| {
        let Some((result, rule)) = place.and_then(|place| place.of(output)) else {
            return html! { <td></td> };
        };
        let id = format!("cell-{at}-{column}");
        let tabindex = if cursor == (at, column) { "0" } else { "-1" };
        let label = format!("{}: {} / {}", rule.status, result.policy.name, rule.rule);
        html! { <td><button type="button" {id} {tabindex} aria-label={label.clone()} title={label}>{ status::mark(&rule.status) }</button></td> }
    };
    html! {
        <tr key={at} class={classes!((cursor.0 == at).then_some("current"))} aria-rowindex={(at + 2).to_string()}>
            <th scope="row" title={row.name.clone()}>{ &row.name }</th>
            { for row.cells.iter().take(COLUMNS).enumerate().map(cell) }
        </tr>
    }
}

/// The cell that was clicked.
fn choose_of(event: &MouseEvent) -> Option<(usize, usize)> {
    let target: Element = event.target()?.dyn_into().ok()?;
    let id = target.closest("button").ok()??.id();
    let (row, column) = id.strip_prefix("cell-")?.split_once('-')?;
    Some((row.parse().ok()?, column.parse().ok()?))
}

/// Arrow keys lead to the next cell that holds a verdict.
fn keys(
    table: &Rc<Table>,
    cursor: &yew::UseStateHandle<(usize, usize)>,
    scroller: &yew::NodeRef,
) -> Callback<KeyboardEvent> {
    let (table, cursor, scroller) = (table.clone(), cursor.clone(), scroller.clone());
    Callback::from(move |event: KeyboardEvent| {
        let (row, column) = *cursor;
        let columns = table.columns.len().min(COLUMNS);
        let mut ways: Box<dyn Iterator<Item = (usize, usize)>> = match event.key().as_str() {
            "ArrowDown" => Box::new((row + 1..table.rows.len()).map(|row| (row, column))),
            "ArrowUp" => Box::new((0..row).rev().map(|row| (row, column))),
            "ArrowRight" => Box::new((column + 1..columns).map(|column| (row, column))),
            "ArrowLeft" => Box::new((0..column).rev().map(|column| (row, column))),
            _ => return,
        };
        event.prevent_default();
        let Some((row, column)) = ways.find(|(row, column)| table.place(*row, *column).is_some()) else {
            return;
        };
        cursor.set((row, column));
        if let Some(scroller) = scroller.cast::<Element>() {
            let (top, height) = (scroller.scroll_top(), scroller.client_height());
            let at = i32::try_from(row * ROW).unwrap_or(i32::MAX);
            let line = i32::try_from(ROW).unwrap_or(i32::MAX);
            if at < top {
                scroller.set_scroll_top(at);
            } else if at + 6 * line > top + height {
                scroller.set_scroll_top(at + 6 * line - height);
            }
        }
        browser::focus_later(&format!("cell-{row}-{column}"));
    })
}

/// The chosen rule in full.
fn detail(store: &Handle) -> Html {
    let Some((result, rule)) =
        store.state.subject().and_then(|subject| Some((subject.result, subject.rule?)))
    else {
        return html! { <p class="empty detail">{ "Choose a cell to see its rule." }</p> };
    };
    html! {
        <section class="detail" aria-label="The chosen rule">
            <h3>{ crate::state::full_name(&result.resource) }</h3>
            { rule_row::row(store, result, rule) }
        </section>
    }
}
