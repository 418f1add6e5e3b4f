//! What is asked.
//!
//! In: JSON. Out: the texts of both sides and the options of the search, with the names that `podsieve compare` and `podsieve convert` have
//! for them.

use engine_compare::{Actions, Criterion, Operation, Options};
use engine_convert::Target;
use engine_lenses::wire::Text;
use serde::Deserialize;
use wasm_bindgen::prelude::JsError;

/// How long a search may take where the question does not say.
const SECONDS: f64 = 30.0;

/// Two sides.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct CompareInput {
    /// The policies as they are, or `level: restricted`.
    pub(crate) old: Vec<Text>,
    /// Those that are to take their place.
    pub(crate) new: Vec<Text>,
    /// Objects to begin with.
    resources: Vec<Text>,
    /// `CREATE`, `UPDATE`, `DELETE`.
    operations: Vec<String>,
    /// Whether the status of each rule counts too.
    rules: bool,
    /// Whether both sides are compared as if they enforced.
    enforced: bool,
    max_requests: Option<u32>,
    max_seconds: Option<f64>,
    /// How many mistakes are put into the new side where no difference is found.
    mutants: Option<u32>,
    seed: Option<u32>,
}

impl CompareInput {
    pub(crate) fn options(&self) -> Result<Options, JsError> {
        let whole = Options::default();
        let operations = self.operations.iter().map(|name| operation(name)).collect::<Result<_, _>>()?;
        Ok(Options {
            criterion: if self.rules { Criterion::Rules } else { Criterion::Decision },
            actions: if self.enforced { Actions::Enforced } else { Actions::AsWritten },
            max_requests: self.max_requests.map_or(whole.max_requests, |most| most as usize),
            operations,
            resources: self.resources.clone(),
            mutants: self.mutants.map_or(whole.mutants, |most| most as usize),
            seed: self.seed.map_or(whole.seed, u64::from),
            ..whole
        })
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.max_seconds.unwrap_or(SECONDS)
    }
}

fn operation(name: &str) -> Result<Operation, JsError> {
    let all = [Operation::Create, Operation::Update, Operation::Delete];
    all.into_iter().find(|operation| operation.as_str() == name).ok_or_else(|| {
        JsError::new(&format!("input: `{name}` is not an operation: CREATE, UPDATE or DELETE"))
    })
}

/// The targets of a conversion, as `podsieve convert --to` has them.
#[derive(Clone, Copy, Default, Deserialize)]
pub(crate) enum To {
    #[default]
    #[serde(rename = "cel")]
    Cel,
    ValidatingAdmissionPolicy,
    ValidatingPolicy,
}

impl From<To> for Target {
    fn from(to: To) -> Self {
        match to {
            To::Cel => Self::Cel,
            To::ValidatingAdmissionPolicy => Self::ValidatingAdmissionPolicy,
            To::ValidatingPolicy => Self::ValidatingPolicy,
        }
    }
}

/// Policies to convert.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct ConvertInput {
    /// Texts with policies of the kinds that the target is made of.
    pub(crate) policies: Vec<Text>,
    /// Whether the new policies are not compared with their sources.
    pub(crate) no_compare: bool,
    /// What they become.
    pub(crate) to: To,
    max_requests: Option<u32>,
    max_seconds: Option<f64>,
}

impl ConvertInput {
    /// As the terminal compares conversions: no mistakes are put into what was just made.
    pub(crate) fn options(&self) -> Options {
        let whole = Options::default();
        let max_requests = self.max_requests.map_or(whole.max_requests, |most| most as usize);
        Options { max_requests, mutants: 0, ..whole }
    }

    /// For each policy.
    pub(crate) fn seconds(&self) -> f64 {
        self.max_seconds.unwrap_or(SECONDS)
    }
}
