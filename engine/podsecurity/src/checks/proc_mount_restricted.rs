//! Standards, Restricted, "/proc Mount Type (v1.35+)": the masks over `/proc` stay, in a user namespace too.
//!
//! | restricted fields | allowed values |
//! |---|---|
//! | `securityContext.procMount` of every container | unset, `Default` |
//!
//! The rule that baseline had before v1.35; it overrides the softer one of baseline.

use super::proc_mount::{FIELDS, detail, proc_mount_1_0};
use crate::Level;
use crate::check::{Check, Reason, Revision};

pub(super) static CHECK: Check = Check {
    id: "procMount_restricted",
    level: Level::Restricted,
    section: "/proc Mount Type",
    fields: FIELDS,
    revisions: &[Revision { since: 35, overrides: &["procMount"], run: proc_mount_1_0 }],
    reason: Reason::Fixed("procMount"),
    detail,
    fork_detail: None,
    lists_fields: true,
};
