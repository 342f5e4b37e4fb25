//! The fuzzer of the target `postgres`.
#![cfg_attr(fuzzing, no_main)]

crud_fuzz::fuzzer!("postgres");
