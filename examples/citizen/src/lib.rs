//! A reading club: an axum program with members, pages, a database and a document, whose books and notes are resources.
//!
//! | | |
//! |---|---|
//! | `club`, `members`, `pages`, `error` | the program by itself |
//! | `books`, `letters`, `proxy` | the resources with a route of the program on one, a job and a schedule, another source of principals |
//! | `application`, `server` | both in one router, under `axum::serve` |

mod application;
mod books;
mod club;
mod error;
mod letters;
mod members;
mod pages;
mod proxy;
mod server;

pub use self::application::application;
pub use self::club::open;
pub use self::error::BoxError;
pub use self::members::add_member;
pub use self::server::serve;
