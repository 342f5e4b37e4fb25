//! The fuzzer of the target `token`.
#![cfg_attr(fuzzing, no_main)]

crud_fuzz::fuzzer!("token");
