//! Properties that hold for any query, record and sequence of requests.
//!
//! | Promise | Modules |
//! |---|---|
//! | Any query is answered by 200 or a well-formed problem | `queries` |
//! | Any list is what a plain loop selects | `lists` |
//! | Any accepted record reads back equal | `records` |
//! | Any sequence of requests leaves what a model predicts | `sequences` |
//! | The total of a page is that of its snapshot | `totals` |
//! | Any requests of several clients at once have an order in which a model answers alike | `histories` |
//! | The values of all these | `values` |

mod histories;
mod lists;
mod queries;
mod records;
mod sequences;
mod totals;
mod values;

use std::env;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestRunner};

/// Tests a property with `cases` values, times `CRUD_TEST_CASES`, and shrinks the first failing one.
fn for_all<S: Strategy>(cases: u32, strategy: S, property: impl Fn(S::Value)) {
    let factor = env::var("CRUD_TEST_CASES").map_or(1, |factor| factor.parse().expect("a number"));
    let cases = cases * factor;
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let result = runner.run(&strategy, |value| {
        property(value);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}
