//! A service as a process: its descriptors, memory and shutdown.
//!
//! | Promise | Modules |
//! |---|---|
//! | A service has its background work on any server | `any_server` |
//! | A copy of a database in use is whole | `backup` |
//! | Tables and records that another program changes while a service runs are reported | `changed_tables` |
//! | Connections never take all file descriptors | `descriptors` |
//! | Indexes that slow lists lack are named, and those that nothing uses | `indexes` |
//! | A list without pages takes the same memory however long it is; logins reuse theirs | `memory` |
//! | A full disk and a removed file are reported, and recovered from | `disk` |
//! | A list of a truncated file fails, or ends the process | `truncation` |
//! | A client that leaves interrupts no request of another | `leaving` |
//! | Every record moves to another database as it is, or none does | `moves` |
//! | A file that is opened to be read serves reads, and refuses changes | `read_only` |
//! | The service's own routes give way to an application's | `own_paths` |
//! | Metrics are on a separate address or behind a role | `metrics` |
//! | Shutdown finishes the requests in flight | `shutdown` |
//! | A request is a span, with its calls of storage and their statements | `spans` |

mod any_server;
mod backup;
mod changed_tables;
mod descriptors;
mod disk;
mod indexes;
mod leaving;
mod memory;
mod metrics;
mod moves;
mod own_paths;
mod read_only;
mod shutdown;
mod spans;
mod truncation;
