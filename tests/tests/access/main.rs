//! Who may do what, whose records they are, and who sees a field: over real connections, on every back end.
//!
//! | Topic | Module |
//! |---|---|
//! | Rules on operations and groups, roles and permissions | `rules` |
//! | What the document says of them | `documents` |
//! | Records that belong to somebody | `owners` |
//! | Fields that some do not see | `fields` |
//! | The audit log's reader and actor | `log` |
//! | The shop, with authentication | `shop` |
//! | The README's table of who may do what | `table` |

mod documents;
mod fields;
mod log;
mod owners;
mod resources;
mod rules;
mod shop;
mod support;
mod table;
