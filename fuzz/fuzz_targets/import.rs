//! The fuzzer of the target `import`.
#![cfg_attr(fuzzing, no_main)]

crud_fuzz::fuzzer!("import");
