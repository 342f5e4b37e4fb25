//! The fuzzer of the target `headers`.
#![cfg_attr(fuzzing, no_main)]

crud_fuzz::fuzzer!("headers");
