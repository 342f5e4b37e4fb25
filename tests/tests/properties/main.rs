//! What holds for any input: queries, records and sequences of requests that nobody thought of.

mod histories;
mod lists;
mod queries;
mod records;
mod values;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestRunner};

/// Tries a property on so many values, and shrinks the first one that it does not hold for.
fn for_all<S: Strategy>(cases: u32, strategy: S, property: impl Fn(S::Value)) {
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let result = runner.run(&strategy, |value| {
        property(value);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}
