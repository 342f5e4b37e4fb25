//! Access rules, owners of records and visibility of fields, over real connections, on every back end.
//!
//! | Topic | Module |
//! |---|---|
//! | Rules on operations and groups, roles and permissions | `rules` |
//! | The same in the OpenAPI document | `documents` |
//! | Owners of records | `owners` |
//! | References to records that a caller may not read | `references`, `relations` |
//! | Full-text search | `search` |
//! | Upserts | `upserts` |
//! | Imports | `imports` |
//! | Fields with restricted visibility | `fields` |
//! | Past states of records | `past_states` |
//! | The audit log's readers and actors | `log` |
//! | The shop, with authentication | `shop` |
//! | The book's table of access | `table` |
//! | The resources of these tests | `resources` |

mod documents;
mod fields;
mod imports;
mod log;
mod owners;
mod past_states;
mod references;
mod relations;
mod resources;
mod rules;
mod search;
mod shop;
mod support;
mod table;
mod upserts;
