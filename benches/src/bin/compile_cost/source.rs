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
        Subject::Crudcrate => {
            "axum = \"0.8\"\n\
             chrono = { version = \"0.4\", features = [\"serde\"] }\n\
             crudcrate = \"0.15\"\n\
             sea-orm = { version = \"2\", default-features = false, features = [\"macros\", \"runtime-tokio-rustls\", \
             \"sqlx-sqlite\", \"with-chrono\", \"with-uuid\"] }\n\
             serde = { version = \"1\", features = [\"derive\"] }\n\
             serde_json = \"1\"\n\
             utoipa = { version = \"5\", features = [\"chrono\", \"uuid\"] }\n\
             utoipa-axum = \"0.2\"\n\
             uuid = { version = \"1\", features = [\"serde\", \"v4\"] }\n"
        }
        Subject::EntityDerive => {
            "async-trait = \"0.1\"\n\
             axum = \"0.8\"\n\
             chrono = { version = \"0.4\", features = [\"serde\"] }\n\
             entity-derive = { version = \"0.22\", features = [\"postgres\", \"api\", \"garde\"] }\n\
             garde = { version = \"0.23\", features = [\"derive\", \"email\", \"regex\"] }\n\
             serde = { version = \"1\", features = [\"derive\"] }\n\
             sqlx = { version = \"0.9\", features = [\"runtime-tokio\", \"postgres\", \"uuid\", \"chrono\", \"derive\"] }\n\
             utoipa = { version = \"5\", features = [\"chrono\", \"uuid\"] }\n\
             uuid = { version = \"1\", features = [\"serde\", \"v4\", \"v7\"] }\n\
             \n# The expansion of `ValueObject` requires a feature of this name.\n\
             [features]\ndefault = [\"postgres\"]\npostgres = []\n"
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
        Subject::Crudcrate => {
            "use chrono::{DateTime, Utc};\nuse crudcrate::EntityToModels;\nuse sea_orm::entity::prelude::*;\n\
             use serde::{Deserialize, Serialize};\nuse uuid::Uuid;\n"
        }
        Subject::EntityDerive => {
            "use chrono::{DateTime, Utc};\nuse entity_derive::{Entity, ValueObject};\n\
             use serde::{Deserialize, Serialize};\nuse uuid::Uuid;\n{import}"
        }
    };
    let items = items(shape, &attributes(subject, shape));
    let more = if subject == Subject::Crudcrate { RELATION } else { "" };
    format!("\npub mod product{{n}} {{\n{uses}{items}{more}}}\n")
}

/// The import of the resource that a resource refers to.
fn import(subject: Subject) -> &'static str {
    match subject {
        Subject::Plain | Subject::Serde | Subject::Crudcrate => "",
        Subject::Ours => "use super::product{parent}::Product{parent};\n",
        Subject::EntityDerive => "use super::product{parent}::{Product{parent}, Product{parent}Row};\n",
    }
}

/// The relation and behaviour that `SeaORM` requires beside a struct.
const RELATION: &str = "
/// What a product refers to.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    /// The product before.
    #[sea_orm(belongs_to = \"super::product{parent}::Entity\", from = \"Column::ParentId\", \
              to = \"super::product{parent}::Column::Id\")]
    Parent,
}

impl ActiveModelBehavior for ActiveModel {}
";

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
            ..default
        },
        Subject::Crudcrate => Attributes {
            name: "Model",
            on_enum: "Default, EnumIter, DeriveActiveEnum, Serialize, Deserialize, utoipa::ToSchema",
            enum_lines: "#[sea_orm(rs_type = \"String\", db_type = \"String(StringLen::N(16))\")]\n",
            variant_line: |variant| {
                let default = if variant == "Draft" { "#[default]\n    " } else { "" };
                format!("#[sea_orm(string_value = \"{variant}\")]\n    {default}")
            },
            on_struct: "DeriveEntityModel, EntityToModels",
            struct_lines: "#[sea_orm(table_name = \"products{n}\")]\n\
                           #[crudcrate(api_struct = \"Product{n}\", generate_router, max_page_size = 100)]\n"
                .to_owned(),
            field_lines: |field| field.crudcrate.iter().map(|&line| line.to_owned()).collect(),
        },
        Subject::EntityDerive => Attributes {
            on_enum: "ValueObject, Serialize, Deserialize, utoipa::ToSchema",
            enum_lines: "#[value_object(pg_type = \"status{n}\", sqlx)]\n",
            on_struct: "Entity",
            struct_lines: "#[entity(table = \"products{n}\", migrations, \
                           api(tag = \"Products{n}\", handlers))]\n"
                .to_owned(),
            field_lines: |field| field.entity_derive.iter().map(|&line| line.to_owned()).collect(),
            ..default
        },
    }
}

/// The attributes of a subject.
struct Attributes {
    name: &'static str,
    on_enum: &'static str,
    enum_lines: &'static str,
    variant_line: fn(&str) -> String,
    on_struct: &'static str,
    struct_lines: String,
    field_lines: fn(&Field) -> Vec<String>,
}

impl Default for Attributes {
    fn default() -> Self {
        Self {
            name: "Product{n}",
            on_enum: "",
            enum_lines: "",
            variant_line: |_| String::new(),
            on_struct: "",
            struct_lines: String::new(),
            field_lines: |_| Vec::new(),
        }
    }
}

/// The source of the enum and the struct.
fn items(shape: Shape, attributes: &Attributes) -> String {
    let Attributes { name, on_enum, enum_lines, on_struct, struct_lines, .. } = attributes;
    let mut text = format!(
        "\n/// How far a product has come.\n#[derive(Debug, Clone, PartialEq, Eq, {on_enum})]\n{enum_lines}\
         pub enum Status{{n}} {{\n"
    );
    for variant in ["Draft", "Active", "Retired"] {
        let line = (attributes.variant_line)(variant);
        let _ = writeln!(text, "    /// It is {variant}.\n    {line}{variant},");
    }
    let _ = write!(
        text,
        "}}\n\n/// A product in the catalogue.\n#[derive(Debug, Clone, PartialEq, {on_struct})]\n{struct_lines}\
         pub struct {name} {{\n"
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
        Subject::Crudcrate => (
            "router(db: &sea_orm::DatabaseConnection) -> axum::Router",
            "axum::Router::new()",
            ".nest(\"/products{n}\", product{n}::Product{n}::router(db).into())",
        ),
        Subject::EntityDerive => (
            "router() -> axum::Router<std::sync::Arc<sqlx::PgPool>>",
            "axum::Router::new()",
            ".merge(product{n}::product_{n}_router::<sqlx::PgPool>())",
        ),
    };
    let mut text = format!("\n/// Every resource's routes.\npub fn {signature} {{\n    {start}\n");
    for n in 0..size {
        let _ = writeln!(text, "        {}", mount.replace("{n}", &n.to_string()));
    }
    text.push_str("}\n");
    text
}
