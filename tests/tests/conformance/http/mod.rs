//! Tests of HTTP alone, whatever the database: these tests run on SQLite, and on every back end where
//! `CRUD_TEST_LONG` names `http`.
//!
//! | Topic | Modules |
//! |---|---|
//! | Successful responses | `methods`, `query_method`, `preferences`, `nested` |
//! | List parameters | `list_errors`, `unknown_parameters` |
//! | Errors and limits | `bodies`, `media`, `wrong_types`, `routes`, `heads`, `query_bounds`, `hostile`, `hostile_corpus`, `hostile_inputs`, `overload`, `slow_clients`, `stalled_bodies` |
//! | Service routes and documents | `service_routes`, `cross_origin`, `documents`, `document_examples`, `document_operations`, `document_schemas` |
//! | Beside HTTP | `embedded` |

mod bodies;
mod cross_origin;
mod document_examples;
mod document_operations;
mod document_schemas;
mod documents;
mod embedded;
mod heads;
mod hostile;
mod hostile_corpus;
mod hostile_inputs;
mod list_errors;
mod media;
mod methods;
mod nested;
mod overload;
mod preferences;
mod query_bounds;
mod query_method;
mod routes;
mod service_routes;
mod slow_clients;
mod stalled_bodies;
mod unknown_parameters;
mod wrong_types;
