//! Properties that hold for any query, record and sequence of requests.

mod lists;
mod queries;
mod records;
mod sequences;
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
