//! The views: each takes the state and says what happened; none keeps state of its own that matters.
//!
//! Reading order: the toolbar with the verdict line, what opens below it, the editors, the results.

pub(crate) mod arrows;
pub(crate) mod copy;
pub(crate) mod long;
pub(crate) mod status;

pub(crate) mod notice;
pub(crate) mod toolbar;
pub(crate) mod views;

pub(crate) mod about;
pub(crate) mod open_panel;
pub(crate) mod palette;
pub(crate) mod panels;
pub(crate) mod samples_menu;
pub(crate) mod share_panel;
pub(crate) mod spaces_panel;

mod fixes;
pub(crate) mod late;
pub(crate) mod problems;
pub(crate) mod source_pane;
pub(crate) mod splitter;
pub(crate) mod text_field;

pub(crate) mod results;

use yew::Properties;

use crate::app::Handle;

/// What most components get.
#[derive(Clone, PartialEq, Properties)]
pub(crate) struct StoreProps {
    pub(crate) store: Handle,
}
