//! A service as a process: its memory and its shutdown.
//!
//! | Promise | Modules |
//! |---|---|
//! | A list without pages takes the same memory however long it is; logins reuse theirs | `memory` |
//! | Shutdown finishes the requests in flight | `shutdown` |

mod memory;
mod shutdown;
