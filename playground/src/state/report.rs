//! The question of reports, and its last answer.
//!
//! In: the texts, a form. Out: what `report` is asked. It is asked only while its tab is open.

use std::rc::Rc;

use engine_lenses::wire::ReportInput;

use super::State;
use crate::words::results::made as words;

/// What is asked for, and what came of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub(crate) form: Form,
    /// The reports as YAML, or why there are none; nothing until the first answer.
    pub(crate) answer: Option<Result<Rc<str>, String>>,
}

/// How reports are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    #[default]
    Wgpolicy,
    Openreports,
}

impl Form {
    /// Both, in their order on screen.
    pub(crate) const ALL: [Self; 2] = [Self::Wgpolicy, Self::Openreports];

    const fn name(self) -> &'static str {
        match self {
            Self::Wgpolicy => "wgpolicy",
            Self::Openreports => "openreports",
        }
    }

    /// What it is, in a few words.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Wgpolicy => words::OF_CLUSTER,
            Self::Openreports => words::OF_APPLY,
        }
    }
}

impl State {
    /// What is asked of the engine.
    pub(crate) fn report_input(&self) -> ReportInput {
        ReportInput { input: self.texts.input(), form: self.report.form.name().to_owned() }
    }
}
