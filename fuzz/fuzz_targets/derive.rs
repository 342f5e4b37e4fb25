//! The fuzzer of the target `derive`.
#![cfg_attr(fuzzing, no_main)]

crud_fuzz::fuzzer!("derive");
