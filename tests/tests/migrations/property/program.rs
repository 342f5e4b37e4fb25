//! The program of a release: a description of each struct, as the derive would make it.

use std::sync::RwLock;

use crud_runtime::column::{Kind, Value};
use crud_runtime::descriptor::{
    ColumnDescriptor, Descriptor, Former, Literal, OnDelete, Operation, Operations, Role, Rule, Search, Tenant,
    UniqueGroup, Uniqueness, View,
};
use crud_runtime::prelude::*;
use crud_tests::{Backend, Database};

use super::releases::{Field, Release, Table, Type, Variants};

/// Records of each table that both structs have.
const RECORDS: i64 = 3;

/// The column of the tenant, and the tenant of every record.
const TENANT: (&str, i64) = ("shop", 7);

/// The second column of a key, and its value in every record.
const PART: (&str, i32) = ("part", 7);

/// An enum of one release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(rename_all = "snake_case")]
enum Colour {
    Red,
    Green,
}

/// An enum of a release with a variant more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(rename_all = "snake_case")]
enum MoreColours {
    Red,
    Green,
    Blue,
}

/// Targets of the references of a release: one for each back end and each of its two releases.
static PARENTS: RwLock<[Option<&'static Descriptor>; 8]> = RwLock::new([None; 8]);

fn parent<const SLOT: usize>() -> &'static Descriptor {
    PARENTS.read().expect("no test fails with it")[SLOT].expect("it is set before a reference is followed")
}

const TARGETS: [&[fn() -> &'static Descriptor]; 8] = [
    &[parent::<0>],
    &[parent::<1>],
    &[parent::<2>],
    &[parent::<3>],
    &[parent::<4>],
    &[parent::<5>],
    &[parent::<6>],
    &[parent::<7>],
];

fn leak<T>(values: Vec<T>) -> &'static [T] {
    Box::leak(values.into_boxed_slice())
}

fn text(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

fn id() -> ColumnDescriptor {
    ColumnDescriptor::new::<i64>("id", "id", "\"id\":", "id").role(Role::Id)
}

fn part() -> ColumnDescriptor {
    ColumnDescriptor::new::<i32>(PART.0, PART.0, "\"part\":", PART.0).role(Role::Id).given()
}

impl Field {
    fn is_short_text(&self) -> bool {
        matches!(self.ty, Type::Text(Some(_)))
    }

    fn column(&self, slot: usize) -> ColumnDescriptor {
        let (name, key) = (self.name, text(format!("\"{}\":", self.name)));
        macro_rules! of {
            ($type:ty) => {
                if self.nullable {
                    ColumnDescriptor::new::<Option<$type>>(name, name, key, name)
                } else {
                    ColumnDescriptor::new::<$type>(name, name, key, name)
                }
            };
        }
        let mut column = match self.ty {
            Type::Bool => of!(bool),
            Type::I32 => of!(i32),
            Type::I64 | Type::Reference => of!(i64),
            Type::F64 => of!(f64),
            Type::Decimal => of!(Decimal).digits(12, 2),
            Type::Text(_) => of!(String),
            Type::Enum(Variants::Two) => of!(Colour),
            Type::Enum(Variants::Three) => of!(MoreColours),
        };
        let value: fn() -> Value = match self.ty {
            Type::Bool => || Value::Bool(true),
            Type::I32 | Type::I64 | Type::Reference => || Value::Int(7),
            Type::F64 => || Value::Float(1.5),
            Type::Decimal => || Value::Decimal(Decimal::new(150, 2)),
            Type::Text(_) => || Value::Text("it's new".to_owned()),
            Type::Enum(_) => || Value::Text("red".to_owned()),
        };
        let mut rules = Vec::new();
        if self.minimum {
            rules.push(Rule::Min(Literal::Int(1)));
        }
        if let Type::Text(Some(most)) = self.ty {
            rules.push(Rule::MaxLength(most));
        }
        column.filterable = self.filter;
        column.sortable = self.sort;
        column.unique = self.unique.then_some(Uniqueness::All);
        column.case_insensitive = self.unique && self.any_case && self.is_short_text();
        column.default = self.default.then_some(value);
        column.backfill = self.backfill.then_some(value);
        column.renamed_from = self.renamed_from;
        column = column.rules(leak(rules));
        if self.ty == Type::Reference {
            let on_delete = if self.cascade { OnDelete::Cascade } else { OnDelete::Restrict };
            column = column.references(TARGETS[slot][0], on_delete);
        }
        column
    }

    /// The value of a record, as a literal.
    fn literal(&self, record: i64) -> String {
        match self.ty {
            _ if self.nullable && record == 2 => "NULL".to_owned(),
            Type::Bool => ["TRUE", "FALSE"][usize::from(record % 2 == 0)].to_owned(),
            Type::I32 | Type::I64 => (record * 11).to_string(),
            Type::Reference => record.to_string(),
            Type::F64 => format!("{record}.25"),
            Type::Decimal => format!("{record}.50"),
            Type::Text(_) => format!("'it''s {record}'"),
            Type::Enum(_) => ["'red'", "'green'"][usize::from(record % 2 == 0)].to_owned(),
        }
    }
}

impl Table {
    fn descriptor(&self, slot: usize) -> &'static Descriptor {
        let tenant = self.tenant.then(|| {
            let (name, key) = (TENANT.0, text(format!("\"{}\":", TENANT.0)));
            let mut column = ColumnDescriptor::new::<i64>(name, name, key, name);
            column.backfill = Some(|| Value::Int(TENANT.1));
            column
        });
        let key = if self.composite { vec![id().given(), part()] } else { vec![id()] };
        // The fields are behind the key and the tenant.
        let (of_tenant, first) = (key.len(), key.len() + usize::from(self.tenant));
        let fields = self.fields.iter().map(|field| field.column(slot));
        let columns: Vec<ColumnDescriptor> = key.into_iter().chain(tenant).chain(fields).collect();
        let texts = columns.iter().enumerate().filter(|(_, column)| matches!(column.kind, Kind::Text));
        let texts: Vec<usize> = texts.map(|(index, _)| index).collect();
        let mut descriptor = Descriptor::new(
            text(format!("Model{}", self.name)),
            "tests",
            text(format!("/{}", self.name)),
            self.name,
            leak(columns),
            0,
        );
        let former = self.renamed_from.map(|from| Former::new(text(format!("Model{from}")), from));
        descriptor.formers = leak(former.into_iter().collect());
        descriptor.tenant = self.tenant.then(|| Tenant::new(of_tenant, None));
        descriptor.composite = if self.composite { &[0, 1] } else { &[] };
        let uniques = self.unique_groups().into_iter().map(|(group, fields)| {
            let folded = fields.iter().filter(|field| group.any_case && self.fields[**field].is_short_text());
            let folded: Vec<usize> = folded.map(|field| first + field).collect();
            let columns = leak(fields.iter().map(|field| first + field).collect());
            UniqueGroup::new(columns, Uniqueness::All).case_insensitive(leak(folded))
        });
        descriptor.uniques = leak(uniques.collect());
        let indexes = self.index_groups().into_iter();
        let indexes = indexes.map(|(_, fields)| leak(fields.iter().map(|field| first + field).collect()));
        descriptor.indexes = leak(indexes.collect());
        if self.search && !texts.is_empty() {
            descriptor.search = Some(Search::new(leak(texts)));
        }
        Box::leak(Box::new(descriptor))
    }

    /// The statement that inserts a record.
    fn insert(&self, record: i64, backend: Backend) -> String {
        let columns = self.fields.iter().map(|field| field.name);
        let tenant = self.tenant.then_some(TENANT);
        let part = self.composite.then_some(PART);
        let key = std::iter::once("id").chain(part.map(|(name, _)| name));
        let columns = key.chain(tenant.map(|(name, _)| name)).chain(columns);
        let columns: Vec<&str> = columns.collect();
        let values = self.fields.iter().map(|field| match (field.ty, backend) {
            (Type::Bool, Backend::Sqlite) => field.literal(record).replace("TRUE", "1").replace("FALSE", "0"),
            (Type::Decimal, Backend::Sqlite) => field.literal(record).replace('.', ""),
            _ => field.literal(record),
        });
        let values = tenant.map(|(_, value)| value.to_string()).into_iter().chain(values);
        let key = std::iter::once(record.to_string()).chain(part.map(|(_, value)| value.to_string()));
        let values: Vec<String> = key.chain(values).collect();
        format!("INSERT INTO {} ({}) VALUES ({})", self.name, columns.join(", "), values.join(", "))
    }
}

impl Release {
    /// The service of the release on a database.
    pub(crate) async fn service(&self, database: &Database, slot: usize) -> Service {
        let mut service = database.service().await;
        for (number, table) in self.tables.iter().enumerate() {
            let descriptor = table.descriptor(slot);
            if number == 0 {
                PARENTS.write().expect("no test fails with it")[slot] = Some(descriptor);
            }
            service = service.described_resource(descriptor);
        }
        // A view of records with tenants would need theirs.
        if self.view && !self.tables[0].tenant {
            let columns = leak(vec![id()]);
            let Table { name, fields, .. } = &self.tables[0];
            let condition: Vec<String> = fields.iter().map(|field| format!("{} IS NOT NULL", field.name)).collect();
            let condition = if condition.is_empty() { "1 = 1".to_owned() } else { condition.join(" OR ") };
            let query = text(format!("SELECT id FROM {name} WHERE {condition}"));
            let view = View::new(TARGETS[slot]).sql(query);
            let mut descriptor = Descriptor::new("Seen", "tests", "/seen", "seen", columns, 0).view(view);
            descriptor.operations = Operations::NONE.with(Operation::List);
            service = service.described_resource(Box::leak(Box::new(descriptor)));
        }
        service
    }

    pub(crate) async fn insert(&self, database: &Database) {
        for record in 1..=RECORDS {
            for table in &self.tables {
                database.execute(&table.insert(record, database.backend())).await;
            }
        }
    }
}
