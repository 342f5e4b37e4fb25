//! The fuzzer of the target `cursor`.
#![cfg_attr(fuzzing, no_main)]

crud_fuzz::fuzzer!("cursor");
