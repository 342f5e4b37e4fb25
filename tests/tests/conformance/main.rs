//! The HTTP contract, sentence by sentence, over real connections and on every back end.
//!
//! | Section of the contract | Modules |
//! |---|---|
//! | 1 Success | `success`, `updates`, `methods`, `conditional`, `preferences`, `records`, `types`, `nested`, `streaming` |
//! | 2 List parameters | `filters`, `operators`, `patterns`, `sorting`, `pages`, `list_errors` |
//! | 3 Errors | `bodies`, `media`, `wrong_types`, `validation`, `managed_fields`, `visibility`, `keys`, `references`, `uniques`, `faults`, `routes`, `limits`, `hostile`, `slow_clients` |
//! | 8 Service routes | `service_routes`, `documents`, `golden` |
//! | What stands beside HTTP | `store`, `start`, `embedded` |

mod bodies;
mod conditional;
mod documents;
mod embedded;
mod faults;
mod filters;
mod golden;
mod hostile;
mod keys;
mod limits;
mod list_errors;
mod managed_fields;
mod media;
mod methods;
mod nested;
mod operators;
mod pages;
mod patterns;
mod preferences;
mod records;
mod references;
mod routes;
mod service_routes;
mod slow_clients;
mod sorting;
mod start;
mod store;
mod streaming;
mod success;
mod types;
mod uniques;
mod updates;
mod validation;
mod visibility;
mod wrong_types;
