//! Access rules, owners of records and visibility of fields, over real connections, on every back end.
//!
//! | Topic | Module |
//! |---|---|
//! | Rules on operations and groups, roles and permissions | `rules` |
//! | Rules that nothing checks, and rules that are inherited | `closed` |
//! | The same in the OpenAPI document | `documents` |
//! | Owners of records | `owners` |
//! | Scopes over references, and by the tenant's text | `policies`, `tenant_text` |
//! | What a principal may use and see, and why not more | `explained` |
//! | References to records that a caller may not read | `references`, `relations` |
//! | Full-text search | `search` |
//! | Upserts | `upserts` |
//! | Imports | `imports` |
//! | Fields with restricted visibility | `fields` |
//! | Past states of records, and records that moved to another owner | `past_states`, `moved_records` |
//! | The audit log's readers and actors | `log` |
//! | The shop, with authentication | `shop` |
//! | The book's tables of access: by caller, by what states a rule, and of what removes records | `table`, `rule_table`, `roads` |
//! | The page of these tables | `page` |
//! | The programs of the documentation | `programs` |
//! | The names of roles and permissions, and what roles imply | `names`, `role_registry` |
//! | The default of access for a service | `default_access` |
//! | The lines of a start | `start_log` |
//! | The resources of these tests | `resources` |

mod closed;
mod default_access;
mod documents;
mod explained;
mod fields;
mod imports;
mod log;
mod moved_records;
mod names;
mod owners;
mod page;
mod past_states;
mod policies;
mod programs;
mod references;
mod relations;
mod resources;
mod roads;
mod role_registry;
mod rule_table;
mod rules;
mod search;
mod shop;
mod start_log;
mod support;
mod table;
mod tenant_text;
mod upserts;
