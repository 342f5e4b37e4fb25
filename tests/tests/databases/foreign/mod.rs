//! Databases that other programs have made: a service uses their tables as they are, beside its own.
//!
//! | Promise | Modules |
//! |---|---|
//! | Tables of other programs are served as they are, by a reader's rights, and what cannot be is refused | `as_it_is` |
//! | Nothing is created in the place of what may be meant | `near` |
//! | The service's own tables, and those of resources, are in schemas | `schemas` |
//! | Texts are compared and ordered by the database's collation | `collations` |
//! | A conflict is at the fields of an index, whatever its name | `uniques` |
//! | Views, indexes and histories of others stay | `harmless` |
//! | Migrations propose nothing to the owner of a table but advice | `advice` |
//! | The configuration of a program says whose the tables are | `configured` |
//! | Databases that the public knows are served | `public` |
//! | A start reads all tables at once | `statements` |

mod advice;
mod as_it_is;
mod collations;
mod configured;
mod harmless;
mod near;
mod public;
mod schemas;
mod statements;
mod support;
mod uniques;
