//! What is asked.
//!
//! In: JSON. Out: the texts of both sides and the options of the search, with the names that `podsieve compare` and `podsieve convert` have
//! for them.

use engine_compare::{Actions, Criterion, Operation, Options};
use engine_convert::Target;
use engine_lenses::wire::Text;
use serde::Deserialize;

/// How long a search may take where the question does not say.
const SECONDS: f64 = 30.0;

/// Two sides.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CompareInput {
    /// The policies as they are, or `level: restricted`.
    pub old: Vec<Text>,
    /// Those that are to take their place.
    pub new: Vec<Text>,
    /// Objects to begin with.
    pub resources: Vec<Text>,
    /// `CREATE`, `UPDATE`, `DELETE`.
    pub operations: Vec<String>,
    /// Whether the status of each rule counts too.
    pub rules: bool,
    /// Whether both sides are compared as if they enforced.
    pub enforced: bool,
    /// How many requests are tried at most.
    pub max_requests: Option<u32>,
    /// How long the search may take, 30 where this is not given; of a conversion for each policy.
    pub max_seconds: Option<f64>,
    /// How many mistakes are put into the new side where no difference is found.
    pub mutants: Option<u32>,
    /// What the search is begun with: the same gives the same answer.
    pub seed: Option<u32>,
}

impl CompareInput {
    pub(crate) fn options(&self) -> Result<Options, String> {
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

fn operation(name: &str) -> Result<Operation, String> {
    let all = [Operation::Create, Operation::Update, Operation::Delete];
    let found = all.into_iter().find(|operation| operation.as_str() == name);
    found.ok_or_else(|| format!("input: `{name}` is not an operation: CREATE, UPDATE or DELETE"))
}

/// The targets of a conversion, as `podsieve convert --to` has them.
#[derive(Clone, Copy, Default, Deserialize)]
pub enum To {
    #[default]
    #[serde(rename = "cel")]
    /// Kyverno's policies in CEL.
    Cel,
    /// The API server's own policies.
    ValidatingAdmissionPolicy,
    /// Kyverno's ValidatingPolicies, of the API server's own.
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
pub struct ConvertInput {
    /// Texts with policies of the kinds that the target is made of.
    pub policies: Vec<Text>,
    /// Whether the new policies are not compared with their sources.
    pub no_compare: bool,
    /// What they become.
    pub to: To,
    /// How many requests are tried at most.
    pub max_requests: Option<u32>,
    /// How long the search may take, 30 where this is not given; of a conversion for each policy.
    pub max_seconds: Option<f64>,
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
