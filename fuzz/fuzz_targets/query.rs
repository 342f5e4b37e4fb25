//! The fuzzer of the target `query`.
#![cfg_attr(fuzzing, no_main)]

crud_fuzz::fuzzer!("query");
