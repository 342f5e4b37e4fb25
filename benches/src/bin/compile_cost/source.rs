//! The source text of the generated crates.

use std::fmt::Write;

use crate::shape::{self, Field, Shape};
use crate::subject::Subject;

/// A crate's `lib.rs`: a module for each resource, and a function that mounts all of them if the subject has routes.
pub(crate) fn library(subject: Subject, shape: Shape, size: usize) -> String {
    let mut text = String::from("//! Generated to be compiled.\n");
    let module = module(subject, shape);
    for n in 0..size {
        // Each resource refers to the one before it, the first to itself.
        let parent = n.saturating_sub(1);
        let import = if n > 0 { import(subject) } else { "" };
        let module = module.replace("{import}", import);
        text.push_str(&module.replace("{n}", &n.to_string()).replace("{parent}", &parent.to_string()));
    }
    text.push_str(&routes(subject, size));
    text
}

/// A crate's dependencies, as the end of its manifest.
pub(crate) fn dependencies(subject: Subject) -> String {
    let lines = match subject {
        Subject::Plain => "chrono = \"0.4\"\nuuid = \"1\"\n",
        Subject::Serde => {
            "chrono = { version = \"0.4\", features = [\"serde\"] }\n\
             serde = { version = \"1\", features = [\"derive\"] }\n\
             uuid = { version = \"1\", features = [\"serde\"] }\n"
        }
        Subject::Ours => {
            return format!("crud-runtime = {{ path = '{}/../crud-runtime' }}\n", env!("CARGO_MANIFEST_DIR"));
        }
    };
    lines.to_owned()
}

/// A resource's module, with the placeholders `{n}` for its number, `{parent}` for that of the one before, and
/// `{import}` for the import of that one.
fn module(subject: Subject, shape: Shape) -> String {
    let uses = match subject {
        Subject::Plain => "use chrono::{DateTime, Utc};\nuse uuid::Uuid;\n",
        Subject::Serde => "use chrono::{DateTime, Utc};\nuse serde::{Deserialize, Serialize};\nuse uuid::Uuid;\n",
        Subject::Ours => "use crud_runtime::prelude::*;\n{import}",
    };
    let items = items(shape, &attributes(subject, shape));
    format!("\npub mod product{{n}} {{\n{uses}{items}}}\n")
}

/// The import of the resource that a resource refers to.
fn import(subject: Subject) -> &'static str {
    match subject {
        Subject::Plain | Subject::Serde => "",
        Subject::Ours => "use super::product{parent}::Product{parent};\n",
    }
}

fn attributes(subject: Subject, shape: Shape) -> Attributes {
    let default = Attributes::default();
    match subject {
        Subject::Plain => default,
        Subject::Serde => {
            Attributes { on_enum: "Serialize, Deserialize", on_struct: "Serialize, Deserialize", ..default }
        }
        Subject::Ours => Attributes {
            on_enum: "ResourceEnum",
            on_struct: "Resource",
            struct_lines: format!("#[crud({})]\n", shape::options(shape).join(", ")),
            field_lines: |field| match field.crud {
                "" => Vec::new(),
                options => vec![format!("#[crud({options})]")],
            },
        },
    }
}

/// The attributes of a subject.
struct Attributes {
    on_enum: &'static str,
    on_struct: &'static str,
    struct_lines: String,
    field_lines: fn(&Field) -> Vec<String>,
}

impl Default for Attributes {
    fn default() -> Self {
        Self { on_enum: "", on_struct: "", struct_lines: String::new(), field_lines: |_| Vec::new() }
    }
}

/// The source of the enum and the struct.
fn items(shape: Shape, attributes: &Attributes) -> String {
    let Attributes { on_enum, on_struct, struct_lines, .. } = attributes;
    let mut text = format!(
        "\n/// How far a product has come.\n#[derive(Debug, Clone, PartialEq, Eq, {on_enum})]\n\
         pub enum Status{{n}} {{\n"
    );
    for variant in ["Draft", "Active", "Retired"] {
        let _ = writeln!(text, "    /// It is {variant}.\n    {variant},");
    }
    let _ = write!(
        text,
        "}}\n\n/// A product in the catalogue.\n#[derive(Debug, Clone, PartialEq, {on_struct})]\n{struct_lines}\
         pub struct Product{{n}} {{\n"
    );
    for field in shape.fields() {
        let _ = writeln!(text, "    /// {}", field.doc);
        for line in (attributes.field_lines)(field) {
            let _ = writeln!(text, "    {line}");
        }
        let _ = writeln!(text, "    pub {}: {},", field.name, field.ty);
    }
    text.push_str("}\n");
    text
}

fn routes(subject: Subject, size: usize) -> String {
    let (signature, start, mount) = match subject {
        Subject::Plain | Subject::Serde => return String::new(),
        Subject::Ours => (
            "mount(service: crud_runtime::Service) -> crud_runtime::Service",
            "service",
            ".resource::<product{n}::Product{n}>()",
        ),
    };
    let mut text = format!("\n/// Every resource's routes.\npub fn {signature} {{\n    {start}\n");
    for n in 0..size {
        let _ = writeln!(text, "        {}", mount.replace("{n}", &n.to_string()));
    }
    text.push_str("}\n");
    text
}
