//! Many resources as a table: a row for each, a column for each rule, a mark in each cell.
//!
//! In: the table, the output. Out: a chosen verdict, whose rule is shown below. Only the rows on screen are in the
//! document; their height is `ROW`, as in results.css. Arrow keys go from cell to cell.

use std::rc::Rc;

use engine_lenses::wire::{Output, Str};
use wasm_bindgen::JsCast as _;
use web_sys::{Element, EventTarget, HtmlTableCellElement, KeyboardEvent, MouseEvent};
use yew::{
    AttrValue, Callback, Event, Html, Properties, TargetCast as _, classes, component, html, use_node_ref,
    use_state,
};

use super::rule_row;
use crate::app::Handle;
use crate::browser;
use crate::components::status;
use crate::state::{Action, Chosen, Place, Table};
use crate::words::results::verdicts as words;

/// The height of a row in pixels.
const ROW: usize = 28;
/// Rows that are drawn beyond what is seen, above and below.
const AHEAD: usize = 8;
/// By how many rows the window moves: each move makes so many new rows, which is to fit into a frame.
const MOVE: usize = 4;
/// The id of the cell that the keyboard is in.
const CURRENT: &str = "matrix-cell";
/// Columns at most; a policy set of more rules is better searched.
const COLUMNS: usize = 200;

#[derive(Properties)]
pub(crate) struct MatrixProps {
    pub(crate) store: Handle,
    pub(crate) table: Rc<Table>,
}

/// It is drawn anew where it shows something else, not with each change of the page: a key press first changes the text alone.
impl PartialEq for MatrixProps {
    fn eq(&self, other: &Self) -> bool {
        let (state, before) = (&self.store.state, &other.store.state);
        Rc::ptr_eq(&self.table, &other.table)
            && state.verdict.serial == before.verdict.serial
            && state.chosen == before.chosen
    }
}

/// The table, and the rule that is chosen.
#[component]
pub(crate) fn Matrix(props: &MatrixProps) -> Html {
    let (store, table) = (&props.store, &props.table);
    let first = use_state(|| 0_usize);
    // Names that stay where the columns move are layers of their own, a frame's worth of work for a screen of them: only then.
    let is_aside = use_state(|| false);
    let cursor = use_state(|| (0_usize, 0_usize));
    let scroller = use_node_ref();
    let Some(output) = &store.state.verdict.output else { return Html::default() };
    let scrolled = {
        let (first, is_aside) = (first.clone(), is_aside.clone());
        Callback::from(move |event: Event| {
            let view = event.target_unchecked_into::<Element>();
            let at = usize::try_from(view.scroll_top()).unwrap_or_default() / ROW / MOVE * MOVE;
            if *first != at {
                first.set(at);
            }
            if *is_aside != (view.scroll_left() > 0) {
                is_aside.set(!*is_aside);
            }
        })
    };
    let choose = {
        let (store, table, output, cursor) = (store.clone(), table.clone(), output.clone(), cursor.clone());
        Callback::from(move |(row, column): (usize, usize)| {
            cursor.set((row, column));
            if let Some((result, rule)) = table.place(row, column).and_then(|place| place.of(&output)) {
                store.dispatch(Action::Chose(Chosen::of(result, Some(rule), true)));
                browser::focus_later(CURRENT);
            }
        })
    };
    let click = {
        let choose = choose.clone();
        Callback::from(move |event: MouseEvent| {
            if let Some(cell) = cell_of(event.target()) {
                choose.emit(cell);
            }
        })
    };
    let keys = keys(table, &cursor, &scroller, choose);
    let from = first.saturating_sub(AHEAD).min(table.rows.len());
    let to = (*first + browser::height() / ROW + MOVE + AHEAD).min(table.rows.len());
    let line = |at: usize| line(table, output, *cursor, from, at);
    // Names take the room that the columns leave.
    let width = match table.columns.len() {
        0..=4 => Some("few"),
        5..=10 => Some("some"),
        _ => None,
    };
    let aside = is_aside.then_some("aside");
    html! {
        <div class="scaled">
            <div class={classes!("matrix", width, aside)} ref={scroller} onscroll={scrolled} onclick={click} onkeydown={keys}>
                <table role="grid" aria-label={words::TABLE} aria-rowcount={(table.rows.len() + 1).to_string()}>
                    <thead>{ head(table) }</thead>
                    <tbody>
                        { spacer("above", from) }
                        { for (from..to).map(line) }
                        { spacer("below", table.rows.len() - to) }
                    </tbody>
                </table>
            </div>
            { detail(store) }
        </div>
    }
}

/// The room of the rows that are not drawn. Every row of the body has a key: rows that stay on screen are then left as they are.
fn spacer(key: &'static str, rows: usize) -> Html {
    let height = AttrValue::from((rows * ROW).to_string());
    html! { <tr {key} aria-hidden="true"><td class="spacer"><svg width="1" {height}></svg></td></tr> }
}

/// The row at a place, of those that are drawn from another place on.
fn line(table: &Table, output: &Output, (current, column): (usize, usize), from: usize, at: usize) -> Html {
    let column = (current == at).then_some(column);
    let row = table.rows.get(at);
    let status = |place: &Option<Place>| {
        place.and_then(|place| place.of(output)).map(|(_, rule)| rule.status.clone()).unwrap_or_default()
    };
    let cells = row.map(|row| row.cells.iter().take(COLUMNS).map(status).collect::<Vec<_>>());
    let name = row.map(|row| AttrValue::from(row.name.clone())).unwrap_or_default();
    // By the resource, not by its place: where one comes or goes above, the others stay as they are drawn.
    let before = table.rows.get(from..at).unwrap_or_default().iter();
    let key = format!("{} {name}", before.filter(|row| row.name == *name).count());
    html! { <Line {key} {name} cells={Rc::new(cells.unwrap_or_default())} {at} {column} /> }
}

fn head(table: &Table) -> Html {
    let column = |column: &crate::state::Column| {
        let title = format!("{} / {}", column.policy, column.rule);
        html! { <th scope="col" title={title.clone()}><span>{ &column.rule }</span></th> }
    };
    html! {
        <tr aria-rowindex="1">
            <th scope="col" class="corner-cell"><span class="sr">{ words::RESOURCE }</span></th>
            { for table.columns.iter().take(COLUMNS).map(column) }
        </tr>
    }
}

/// Rows that are on screen already are not made again when the window moves, or when a key has changed other ones.
#[derive(PartialEq, Properties)]
struct LineProps {
    /// The resource.
    name: AttrValue,
    /// The verdict in each column; empty where there is none.
    cells: Rc<Vec<Str>>,
    /// The row's place in the table.
    at: usize,
    /// The column of the keyboard's cell, where that is in this row.
    column: Option<usize>,
}

/// The verdicts on one resource.
#[component]
fn Line(props: &LineProps) -> Html {
    let LineProps { name, cells, at, column: current } = props;
    html! {
        <tr class={classes!(current.map(|_| "current"))} aria-rowindex={(at + 2).to_string()}>
            <th scope="row" title={name.clone()}>{ name }</th>
            <Cells cells={Rc::clone(cells)} column={*current} />
        </tr>
    }
}

/// The cells of a row stay as they are drawn where only the row's place has changed.
#[derive(PartialEq, Properties)]
struct CellsProps {
    cells: Rc<Vec<Str>>,
    column: Option<usize>,
}

/// One element a cell, drawn by the styles: thousands of them are made in a scroll.
#[component]
fn Cells(props: &CellsProps) -> Html {
    let CellsProps { cells, column: current } = props;
    let cell = |(column, verdict): (usize, &Str)| {
        if verdict.is_empty() {
            return html! { <td></td> };
        }
        let class = status::class(verdict);
        if *current == Some(column) {
            html! { <td {class} id={CURRENT} tabindex="0">{ status::word(verdict) }</td> }
        } else {
            html! { <td {class}>{ status::word(verdict) }</td> }
        }
    };
    html! { { for cells.iter().enumerate().map(cell) } }
}

/// The cell that an event means.
fn cell_of(target: Option<EventTarget>) -> Option<(usize, usize)> {
    let target: Element = target?.dyn_into().ok()?;
    let cell: HtmlTableCellElement = target.closest("td").ok()??.dyn_into().ok()?;
    // Before the cells stand the head of the row, and the head of the table, which counts from 1.
    let column = usize::try_from(cell.cell_index()).ok()?.checked_sub(1)?;
    let row: usize = cell.parent_element()?.get_attribute("aria-rowindex")?.parse().ok()?;
    Some((row.checked_sub(2)?, column))
}

/// Arrow keys lead to the next cell that holds a verdict.
fn keys(
    table: &Rc<Table>,
    cursor: &yew::UseStateHandle<(usize, usize)>,
    scroller: &yew::NodeRef,
    choose: Callback<(usize, usize)>,
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
            "Enter" | " " => {
                event.prevent_default();
                choose.emit(*cursor);
                return;
            }
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
        browser::focus_later(CURRENT);
    })
}

/// The chosen rule in full.
fn detail(store: &Handle) -> Html {
    let Some((result, rule)) =
        store.state.subject().and_then(|subject| Some((subject.result, subject.rule?)))
    else {
        return html! { <p class="empty detail">{ words::CHOOSE_CELL }</p> };
    };
    html! {
        <section class="detail" aria-label={words::CHOSEN_RULE}>
            <h3>{ crate::state::full_name(&result.resource) }</h3>
            { rule_row::row(store, result, rule) }
        </section>
    }
}
