//! Rules of the program's own: what its code does in transactions, on every back end that has them.
//!
//! | Promise | Module |
//! |---|---|
//! | A transaction over several resources is durable as a whole, or not at all | `transactions` |
//! | Transactions that meet: retries, timeouts, stores outside of one | `meetings` |
//! | Increments, compare and set, changes of many records | `changes` |
//! | The program's own SQL; the connection of a transaction for code on sqlx | `sql`, `lent_connections` |
//! | Functions that validate and accompany changes; those that a service refuses at its start | `hooks`, `hooks_at_start` |
//! | Answers that hooks, triggers and nested records have changed: what is stored | `stored_answers` |
//! | Records that go with another one, and their entries in the log | `logged_dependants` |
//! | Requests that are repeated with their `Idempotency-Key` | `idempotency` |
//! | Own routes: arguments, replies, access, document | `routes` |
//! | Own routes: axum's extractors and their rejections | `extractors` |
//! | Own routes: bodies and their bounds | `bodies` |
//! | Own routes: answers, and the document of handlers | `answers` |
//! | Own routes: transactions of handlers, methods, layers | `handlers` |
//! | Own routes: roles and checks at run time, limits, typed paths and replies, words of the document | `route_options` |
//! | Documents of own axum routes, merged with the service's | `documents` |
//! | Names of schemas and operations, which no other resource changes; the size of a document | `document_names`, `document_size` |
//! | Formats of the program: path parameters, envelopes, errors, schemes, tables without routes | `formats` |
//! | A renamed struct: programs of either name side by side, tables that no struct names | `former_names` |
//! | Queries across resources, patches of what has a value | `queries` |
//! | Own handlers in place of generated operations, layers of one resource | `replace` |
//! | Bypasses of replaced operations: handlers are called there, or the service says that the generated ones are meant | `bypasses` |
//! | Limits of a caller's requests: to a resource, to an own route; of all servers together | `rate_limits`, `shared_limits` |
//! | Clients that leave before the answer | `leaving_clients` |
//! | Jobs, schedules, numbers without gaps | `jobs` |
//! | Tenants, scopes, owners, and stores that say whose records they mean | `tenants` |
//! | Storage that keeps tenants apart without the conditions of requests | `tenant_fence` |
//! | A service that is sharded by tenant: whose a transaction is, and what a start refuses | `sharding` |
//! | Support that reads in every tenant, and its entries in the log | `support` |
//! | `me` as the value of a filter | `me` |
//! | States, and the transitions between them | `transitions` |
//! | Spans of which no two overlap | `exclusive` |
//! | Days of time zones in filters | `days` |
//! | Rules of writing alone: what is read, and not to be changed | `write_rules` |
//! | Programs' own tests: principals, the clock, jobs | `testing` |
//! | Changes of users, with the program's rules | `users` |
//! | Two versions of an API: structs of one table | `versions` |
//! | Values that the database fills in, and columns that it computes | `filled` |
//! | Tables with triggers that change the row | `triggers` |
//! | Constraints that are checked at the commit, rules in place of a change | `deferred_constraints` |
//! | References without foreign keys, relations of views and junctions, views that are there already | `unconstrained` |
//! | Aggregates: groups of the caller's own records, within their limits | `aggregates` |
//! | Computed fields: SQL expressions, functions over the record and the request | `computed` |
//! | TodoBackend: records that know their own addresses | `todo_backend` |
//! | Field types with an attribute, a schema and a returned form of their own | `type_attributes` |
//! | Routes of streams: their time, size, rate, memory | `streams` |
//! | Values that code sets beside bodies, stored records and keys for the program | `program_values` |
//! | Observers of changes of any resource | `observers` |
//! | Enums with the order of their declaration, labels, `Display` and `FromStr` | `ordered_enums` |
//! | Deprecated resources and routes, redirects from old prefixes | `deprecations` |
//! | Views: computed records, made by migrations, closed across tenants | `views` |
//! | Visibility of stores: the caller's in routes, the one that hooks name, the program's in jobs | `visibility` |
//! | Bodies whose last byte is withheld hold no lock, and no memory that others need | `withheld_bodies` |
//! | The resources and callers of these tests | `resources`, `caller` |
#![allow(missing_docs)] // helpers of a test binary
#![allow(clippy::unused_async, reason = "a hook is async, whether it waits for something or not")]

mod aggregates;
mod answers;
mod bodies;
mod bypasses;
mod caller;
mod changes;
mod computed;
mod days;
mod deferred_constraints;
mod deprecations;
mod document_names;
mod document_size;
mod documents;
mod exclusive;
mod extractors;
mod filled;
mod formats;
mod former_names;
mod handlers;
mod hooks;
mod hooks_at_start;
mod idempotency;
mod jobs;
mod leaving_clients;
mod lent_connections;
mod logged_dependants;
mod me;
mod meetings;
mod observers;
mod ordered_enums;
mod program_values;
mod queries;
mod rate_limits;
mod replace;
mod resources;
mod route_options;
mod routes;
mod sharding;
mod shared_limits;
mod sql;
mod stored_answers;
mod streams;
mod support;
mod tenant_fence;
mod tenants;
mod testing;
mod todo_backend;
mod transactions;
mod transitions;
mod triggers;
mod type_attributes;
mod unconstrained;
mod users;
mod versions;
mod views;
mod visibility;
mod withheld_bodies;
mod write_rules;
