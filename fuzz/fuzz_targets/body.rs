//! The fuzzer of the target `body`.
#![cfg_attr(fuzzing, no_main)]

crud_fuzz::fuzzer!("body");
