//! Keys of several values, keys that clients set, and resources without a key, through HTTP and the typed store.
//!
//! | Promise | Modules |
//! |---|---|
//! | Records are found by every part of their key, whatever it holds | `line`, `records`, `kinds`, `store`, `own_routes` |
//! | Lists, cursors, batches and repeated requests name records by their keys | `lists`, `batches`, `repeated` |
//! | The log has keys as paths have them | `audited` |
//! | Clients set keys of any type that can be compared | `given` |
//! | Junctions have composite keys and are reached from both sides | `junction` |
//! | Tables and migrations have the key; one that is not unique is refused | `schema`, `ambiguous` |
//! | Rows without a key are listed | `no_key` |

mod ambiguous;
mod audited;
mod batches;
mod given;
mod junction;
mod kinds;
mod line;
mod lists;
mod no_key;
mod own_routes;
mod records;
mod repeated;
mod schema;
mod store;
