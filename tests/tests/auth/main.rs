//! Authentication over real connections, on every back end, and attacks on it.
//!
//! | Topic | Modules |
//! |---|---|
//! | The routes | `login`, `refresh`, `profile`, `passwords`, `user_routes`, `documents` |
//! | Attacks on tokens | `attacks`, `headers`, `keys` |
//! | Attacks on logins | `attempts`, `timing` |
//! | Bounds | `query_bounds` |
//! | Stored sessions | `rotation`, `logout` |
//! | Beside HTTP | `users`, `extractors`, `setup` |

mod attacks;
mod attempts;
mod documents;
mod extractors;
mod headers;
mod keys;
mod login;
mod logout;
mod passwords;
mod profile;
mod query_bounds;
mod refresh;
mod rotation;
mod setup;
mod support;
mod timing;
mod user_routes;
mod users;
