//! Every attribute, alone and combined: what the derive generates, read through the traits.

// Checks have the signature that the derive calls; clippy mistakes two groups of attributes for duplicates.
#![allow(clippy::unnecessary_wraps, clippy::trivially_copy_pass_by_ref, clippy::duplicated_attributes)]
#![allow(missing_docs, missing_debug_implementations, unreachable_pub)]

#[path = "../pass/changes.rs"]
mod changes;
#[path = "../pass/defaults.rs"]
mod defaults;
#[path = "../pass/enums.rs"]
mod enums;
#[path = "../pass/everything.rs"]
mod everything;
#[path = "../pass/hooks.rs"]
mod hooks;
#[path = "../pass/inputs.rs"]
mod inputs;
#[path = "../pass/keys.rs"]
mod keys;
#[path = "../pass/lists.rs"]
mod lists;
#[path = "../pass/names.rs"]
mod names;
#[path = "../pass/operations.rs"]
mod operations;
#[path = "../pass/pages.rs"]
mod pages;
#[path = "../pass/references.rs"]
mod references;
#[path = "../pass/rules.rs"]
mod rules;
#[path = "../pass/serde.rs"]
mod serde_attributes;
#[path = "../pass/serde_formats.rs"]
mod serde_formats;
#[path = "../pass/statements.rs"]
mod statements;
#[path = "../pass/types.rs"]
mod types;
#[path = "../pass/visibility.rs"]
mod visibility;

use crud_runtime::Resource;
use crud_runtime::descriptor::ColumnDescriptor;

/// The column of this field.
fn column<R: Resource>(name: &str) -> &'static ColumnDescriptor {
    R::DESCRIPTOR.columns.iter().find(|column| column.name == name).expect("a field of this name")
}
