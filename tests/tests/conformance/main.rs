//! Rules of the HTTP interface, over real connections and on every back end.
//!
//! | Topic | Modules |
//! |---|---|
//! | Successful responses | `success`, `updates`, `json_patches`, `upserts`, `conditional`, `records`, `types`, `streaming`, `large_pages`, `exports`, `imports` |
//! | List parameters | `filters`, `conditions`, `relations`, `operators`, `patterns`, `sorting`, `pages`, `cursors`, `totals`, `search` |
//! | Errors and limits | `validation`, `managed_fields`, `unknown_variants`, `visibility`, `keys`, `texts`, `references`, `uniques`, `case_insensitive_uniques`, `faults`, `limits` |
//! | Soft delete | `soft_delete`, `restore`, `purge`, `deleted_lists`, `active_uniques`, `deleted_references` |
//! | Batches | `batch_create`, `batch_update`, `batch_delete`, `batch_partial`, `batch_errors` |
//! | Audit log | `audit`, `audit_options`, `audit_list`, `audit_removal`, `history`, `as_of` |
//! | Service routes and documents | `golden` |
//! | Beside HTTP | `store`, `changes_store`, `races`, `start`, `capabilities`, `refusals` |
//! | What holds of HTTP alone, on one back end | `http` |

mod active_uniques;
mod as_of;
mod audit;
mod audit_list;
mod audit_options;
mod audit_removal;
mod batch_create;
mod batch_delete;
mod batch_errors;
mod batch_partial;
mod batch_update;
mod capabilities;
mod case_insensitive_uniques;
mod changes_store;
mod conditional;
mod conditions;
mod cursors;
mod deleted_lists;
mod deleted_references;
mod exports;
mod faults;
mod filters;
mod golden;
mod history;
mod http;
mod imports;
mod json_patches;
mod keys;
mod large_pages;
mod limits;
mod managed_fields;
mod operators;
mod pages;
mod patterns;
mod purge;
mod races;
mod records;
mod references;
mod refusals;
mod relations;
mod restore;
mod search;
mod soft_delete;
mod sorting;
mod start;
mod store;
mod streaming;
mod success;
mod texts;
mod totals;
mod types;
mod uniques;
mod unknown_variants;
mod updates;
mod upserts;
mod validation;
mod visibility;
