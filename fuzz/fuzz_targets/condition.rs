//! The fuzzer of the target `condition`.
#![cfg_attr(fuzzing, no_main)]

crud_fuzz::fuzzer!("condition");
