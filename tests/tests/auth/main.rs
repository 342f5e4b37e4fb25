//! Authentication over real connections, on every back end, and attacks on it.
//!
//! | Topic | Modules |
//! |---|---|
//! | The routes | `login`, `refresh`, `profile`, `passwords`, `user_routes`, `documents` |
//! | Attacks on tokens | `attacks`, `headers`, `keys` |
//! | Other issuers by their URLs | `issuers`, `issuer_keys`, with `mock_issuer`; a real one: `keycloak` |
//! | Attacks on logins | `attempts`, `timing` |
//! | Bounds | `query_bounds` |
//! | Sessions | `rotation`, `logout`, `former_sessions` |
//! | The program's own authentication | `principal_sources`, `elsewhere`, `elsewhere_beside_tokens`, `origins`, `axum_login_sessions` |
//! | Users of several tenants | `memberships`, `kept_roles`, `membership_attacks`, with `membership_support` |
//! | Beside HTTP | `users`, `users_in_transactions`, `extractors`, `setup` |

mod attacks;
mod attempts;
mod axum_login_sessions;
mod documents;
mod elsewhere;
mod elsewhere_beside_tokens;
mod extractors;
mod former_sessions;
mod headers;
mod issuer_keys;
mod issuers;
mod kept_roles;
mod keycloak;
mod keys;
mod login;
mod logout;
mod membership_attacks;
mod membership_support;
mod memberships;
mod mock_issuer;
mod origins;
mod passwords;
mod principal_sources;
mod profile;
mod query_bounds;
mod refresh;
mod rotation;
mod setup;
mod support;
mod timing;
mod user_routes;
mod users;
mod users_in_transactions;
