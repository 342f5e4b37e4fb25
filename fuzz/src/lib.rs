//! Fuzz targets: what no input may do, as one function of bytes each.
//!
//! `cargo fuzz run NAME` feeds a target, and the test `replay` runs each on the files of `corpus/NAME`. What a fuzzer
//! finds becomes a file there.
//!
//! | Target | Input |
//! |---|---|
//! | `query` | a list's query string |
//! | `condition` | a condition in JSON, as the parameter `where` and in the body of a search |
//! | `body` | the body of a change, alone or in a batch |
//! | `import` | a file to import |
//! | `headers` | the value of a header that the service reads |
//! | `cursor` | a cursor, or the query strings of the list that makes one and of the list that takes it |
//! | `token` | an `Authorization` header, or the claims of a token that is signed |
//! | `derive` | a struct or an enum with attributes |
//! | `postgres` | a value in the binary form of PostgreSQL's protocol |

mod derive;
mod postgres;
#[cfg(test)]
mod replay;
mod requests;
mod service;
mod tokens;

#[cfg(fuzzing)]
pub use libfuzzer_sys;

/// A target: its name, and what it does with an input.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name of its program and of its corpus.
    pub name: &'static str,
    /// Runs it.
    ///
    /// # Panics
    /// When the input breaks a promise.
    pub run: fn(&[u8]),
}

/// Every target.
pub const TARGETS: [Target; 9] = [
    Target { name: "query", run: requests::query },
    Target { name: "condition", run: requests::condition },
    Target { name: "body", run: requests::body },
    Target { name: "import", run: requests::import },
    Target { name: "headers", run: requests::headers },
    Target { name: "cursor", run: requests::cursor },
    Target { name: "token", run: tokens::token },
    Target { name: "derive", run: derive::derive },
    Target { name: "postgres", run: postgres::postgres },
];

/// The target of a name.
///
/// # Panics
/// When there is none.
pub fn target(name: &str) -> Target {
    let found = TARGETS.into_iter().find(|target| target.name == name);
    found.unwrap_or_else(|| panic!("there is no target called {name}"))
}

/// The program of a target: a fuzzer where `cargo fuzz` builds it, and otherwise one that runs the target on the files
/// that its arguments name.
#[macro_export]
macro_rules! fuzzer {
    ($name:literal) => {
        #[cfg(fuzzing)]
        $crate::libfuzzer_sys::fuzz_target!(|input: &[u8]| ($crate::target($name).run)(input));

        #[cfg(not(fuzzing))]
        fn main() {
            for path in std::env::args_os().skip(1) {
                let input = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                ($crate::target($name).run)(&input);
            }
        }
    };
}
