//! The attributes of the examples are such as rustfmt formats: it leaves one as it is that contains a macro call.

use std::fs;
use std::path::Path;

use crate::sources::sources;

/// The attributes of several lines that contain a macro call.
fn unformatted(text: &str) -> Vec<&str> {
    let attributes = text.split("#[crud(\n").skip(1).filter_map(|rest| rest.split(")]\n").next());
    attributes.filter(|attribute| attribute.contains("!(")).collect()
}

#[test]
fn macro_call_in_an_attribute_of_an_example_stands_alone() {
    let files = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"));
    assert!(files.len() > 40, "{files:?}");
    for file in files {
        let text = fs::read_to_string(&file).expect("a file can be read");
        assert_eq!(unformatted(&text), [""; 0], "{}", file.display());
    }
}

#[test]
fn attribute_with_a_macro_call_is_found() {
    let alone = "#[crud(view(include_str!(\"a.sql\"), reads()))]\n#[crud(\n    filter,\n    sort\n)]\nstruct A;\n";
    assert_eq!(unformatted(alone), [""; 0]);
    let beside = "#[crud(\n    filter,\n    view(include_str!(\"a.sql\"), reads())\n)]\nstruct A;\n";
    assert_eq!(unformatted(beside).len(), 1);
}
