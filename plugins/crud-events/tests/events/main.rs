//! Events over HTTP, on every back end that has transactions of several calls.
//!
//! | Promise | Module |
//! |---|---|
//! | What a subscriber is sent | `contract` |
//! | Who is told of which records | `scopes` |
//! | How long a stream lasts, and how many there are | `streams` |
//! | Events of the program, and subscribers in the process | `program` |
//! | Functions of the program that panic | `panics` |
//! | Several servers of one database | `servers` |
//! | What a start refuses | `start` |
//! | Attacks: each person by each way, each rule by each way | `matrix`, `rules` |
//! | Attacks: rights that end while a stream runs, readers that do not read or leave | `lifetimes`, `readers` |
//! | The board, and the ways to its events | `board`, `ways` |

mod behind;
mod board;
mod contract;
mod lifetimes;
mod matrix;
mod panics;
mod program;
mod readers;
mod rules;
mod scopes;
mod servers;
mod start;
mod streams;
mod ways;
