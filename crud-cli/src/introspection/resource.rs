//! [`ResourceFile`]: a resource for a table or a view, before it is written.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crud_shared::catalogue::{Catalogue, Column, Kind, Table};

use super::field_type::{self, FieldType};
use super::naming::{self, ModelName, Taken};
use super::present::Present;
use super::relations::MAX_CHILDREN;
use super::report::Report;
use super::secrets;
use crate::names;

/// Maximum number of columns in a key.
const MAX_KEY: usize = 6;

/// Maximum number of `has_many` records expanded in each record of a page: a page of 20 has 2,000 at most.
const CHILDREN_ROWS: usize = MAX_CHILDREN;

/// The limit of `has_many` where none is stated.
const CHILDREN_LIMIT: usize = 20;

#[derive(Debug)]
pub(super) struct ResourceFile<'c> {
    pub(super) table: &'c Table,
    pub(super) schema: Option<&'c str>,
    pub(super) name: ModelName,
    /// The name of the resource's file, without its ending.
    pub(super) module: String,
    pub(super) fields: Vec<Field<'c>>,
    /// The indexes of the key's fields; empty where records have no key.
    pub(super) key: Vec<usize>,
    /// The fields of each unique constraint of several columns.
    pub(super) uniques: Vec<Vec<String>>,
    pub(super) soft_delete: bool,
    /// Records that refer to records of this resource: arguments of `has_many`.
    pub(super) children: Vec<Child>,
    /// Imported types, by the modules of their files.
    pub(super) imports: BTreeMap<String, BTreeSet<String>>,
    /// The resource that the project has for the table.
    pub(super) present: Option<&'c Present>,
}

#[derive(Debug)]
pub(super) struct Field<'c> {
    pub(super) column: &'c Column,
    pub(super) name: String,
    pub(super) ty: FieldType,
    /// The field's enum, if it has one.
    pub(super) enumeration: Option<Enumeration>,
    pub(super) nullable: bool,
    pub(super) role: Role,
    pub(super) is_key: bool,
    pub(super) unique: bool,
    pub(super) reference: Option<Reference>,
    pub(super) exposure: Exposure,
}

/// Whether answers have the values of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exposure {
    Shown,
    /// Not in answers: the values look like secrets.
    Secret,
}

impl Field<'_> {
    /// Whether no answer has the field's values.
    pub(super) fn is_secret(&self) -> bool {
        self.exposure == Exposure::Secret
    }

    /// Whether the database computes the field from other columns: as a key, it could neither be sent nor found after a
    /// create.
    fn is_computed(&self) -> bool {
        self.column.generated && !self.column.assigned
    }

    /// Whether the field is a secret that every record must have: the client sets it on create only.
    pub(super) fn is_set_once(&self) -> bool {
        self.is_secret() && self.role == Role::Client && !self.nullable
    }
}

/// The enum of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Enumeration {
    pub(super) name: String,
    /// Whether the enum has a file to itself, because it is a type of the database.
    pub(super) is_shared: bool,
}

/// Source of a field's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Client,
    /// The client sets a key that would otherwise be assigned.
    ClientKey,
    /// The database, where a request leaves it out.
    Default,
    /// The database alone.
    Generated,
    /// The service, by the attribute of this name.
    Service(&'static str),
    /// The client, though the field has the name of a timestamp that the service sets.
    Off(&'static str),
    /// The client or else the database, though the field has the name of a timestamp that the service sets.
    OffDefault(&'static str),
}

/// A reference to another resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    /// The name of the other struct.
    pub(super) target: String,
    /// Whether the database has no foreign key for the reference.
    pub(super) unconstrained: bool,
    /// The value of `on_delete`: what happens when the other record is deleted.
    pub(super) on_delete: Option<&'static str>,
    /// The name of the other record in requests, where it is not the field's name without `_id`.
    pub(super) relation: Option<String>,
    /// The fields that together refer to a composite key, this one last.
    pub(super) by: Vec<String>,
}

/// Records of another resource that refer to records of this resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Child {
    pub(super) name: String,
    pub(super) resource: String,
    pub(super) field: String,
}

impl ResourceFile<'_> {
    /// Whether the resource's records are only read.
    pub(super) fn is_read_only(&self) -> bool {
        self.table.kind == Kind::View || !self.table.writable || self.key.is_empty()
    }

    fn position(&self, column: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.column.name == column)
    }

    /// The limit of each list of `has_many`, where it is below the default.
    pub(super) fn children_limit(&self) -> Option<usize> {
        let most = CHILDREN_ROWS / self.children.len().max(1);
        (most < CHILDREN_LIMIT).then(|| most.max(1))
    }

    /// Whether the field is in the struct that the project has.
    pub(super) fn is_present(&self, field: &Field<'_>) -> bool {
        self.present
            .is_some_and(|present| present.fields.iter().any(|other| is_same(&other.column, &field.column.name)))
    }
}

/// Whether two names are of one column: SQL compares them without regard to case.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

/// The resources of a catalogue, without relations.
pub(super) fn of_catalogue<'c>(
    catalogue: &'c Catalogue,
    present: &'c [Present],
    enums: &mut SharedEnums,
    report: &mut Report,
) -> Vec<ResourceFile<'c>> {
    let mut taken = Taken::default();
    for resource in present {
        taken.take(&resource.name, resource.prefix.as_deref());
        taken.take_module(&resource.module);
    }
    for (module, _) in &enums.files {
        taken.take_module(module);
    }
    let schema = catalogue.schema.as_deref();
    let tables = || catalogue.tables.iter().filter(|table| can_be_named(&table.name));
    for table in catalogue.tables.iter().filter(|table| !can_be_named(&table.name)) {
        report.left_out(&table.name, "a struct cannot name a table without a name, or with a dot in it");
    }
    let there = |table: &Table| {
        present.iter().find(|resource| resource.table == table.name && resource.schema.as_deref() == schema)
    };
    // Structs of the project keep their names. Tables are then named before views.
    let mut names: Vec<Option<ModelName>> = tables()
        .map(|table| there(table).map(|there| ModelName { name: there.name.clone(), prefix: there.prefix.clone() }))
        .collect();
    for views in [false, true] {
        for (table, name) in tables().zip(&mut names) {
            if name.is_none() && (table.kind == Kind::View) == views {
                let enums = table.columns.iter().filter(|column| !column.ty.labels.is_empty());
                let enums: Vec<&str> = enums.map(|column| column.name.as_str()).collect();
                *name = Some(taken.model(&table.name, schema, &enums));
            }
        }
    }
    let mut files = Vec::new();
    for (table, name) in tables().zip(names) {
        let Some(name) = name else { continue };
        let there = there(table);
        let module = there.map_or_else(|| names::snake(&name.name), |there| there.module.clone());
        files.extend(of_table(catalogue, table, name, module, there, enums, &mut taken, report));
    }
    files
}

/// Whether the attribute `table` can name a table.
fn can_be_named(table: &str) -> bool {
    !table.is_empty() && !table.contains('.')
}

#[allow(clippy::too_many_arguments)] // Each is a part of the whole.
fn of_table<'c>(
    catalogue: &'c Catalogue,
    table: &'c Table,
    name: ModelName,
    module: String,
    present: Option<&'c Present>,
    enums: &mut SharedEnums,
    taken: &mut Taken,
    report: &mut Report,
) -> Option<ResourceFile<'c>> {
    let mut names_taken: HashSet<String> =
        present.iter().flat_map(|present| &present.fields).map(|field| field.name.clone()).collect();
    let mut fields: Vec<Field<'c>> = Vec::new();
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for column in &table.columns {
        let place = format!("{}.{}", table.name, column.name);
        if let Some(other) = fields.iter().find(|field| is_same(&field.column.name, &column.name)) {
            let other = &other.column.name;
            report.left_out(&place, &format!("its name differs from `{other}` in letter case alone"));
            continue;
        }
        let ty = match field_type::of(&catalogue.database, column) {
            _ if column.name.is_empty() => Err("a field cannot name a column without a name".to_owned()),
            found => found,
        };
        let ty = match ty {
            Ok(ty) => ty,
            Err(reason) => {
                report.left_out(&place, &reason);
                continue;
            }
        };
        if let Some(remark) = &ty.remark {
            report.remark(&place, remark);
        }
        let there =
            present.and_then(|present| present.fields.iter().find(|field| is_same(&field.column, &column.name)));
        let field = there.map_or_else(|| naming::field(&column.name, &names_taken), |there| there.name.clone());
        names_taken.insert(field.clone());
        // A column stays visible where the project has a field for it already.
        let is_secret = there.is_none() && secrets::is_secret(table, column, &ty);
        let enumeration = (!ty.labels.is_empty()).then(|| {
            if catalogue.database == "postgres" {
                let enumeration = enums.of_type(&column.ty.declared, &ty.labels, taken);
                let module = names::snake(&enumeration);
                imports.entry(module).or_default().insert(enumeration.clone());
                Enumeration { name: enumeration, is_shared: true }
            } else {
                Enumeration { name: own_enum(&name.name, &field), is_shared: false }
            }
        });
        fields.push(Field {
            column,
            name: field,
            ty,
            enumeration,
            nullable: !column.not_null,
            role: Role::Client,
            is_key: false,
            unique: false,
            reference: None,
            exposure: if is_secret { Exposure::Secret } else { Exposure::Shown },
        });
    }
    if fields.is_empty() {
        report.left_out(&table.name, "it has no column that a field could have");
        return None;
    }
    let schema = catalogue.schema.as_deref();
    let mut file = ResourceFile {
        table,
        schema,
        name,
        module,
        fields,
        key: Vec::new(),
        uniques: Vec::new(),
        soft_delete: false,
        children: Vec::new(),
        imports,
        present,
    };
    file.key = key(&file, report);
    leave_out_secrets(&mut file, report);
    for index in &file.key {
        let field = &mut file.fields[*index];
        (field.is_key, field.nullable) = (true, false);
        let is_assigned = file.key.len() == 1 && (field.column.assigned || field.column.has_default);
        // Keys that storage assigns are signed integers.
        match field.ty.rust.as_str() {
            "u32" | "u64" if is_assigned => "i64".clone_into(&mut field.ty.rust),
            "i8" | "u8" | "u16" if is_assigned => "i32".clone_into(&mut field.ty.rust),
            _ => {}
        }
    }
    uniques(&mut file);
    roles(&mut file, catalogue.database != "mysql", report);
    report_secrets(&file, report);
    if table.kind == Kind::Table && !table.writable {
        report.remark(&table.name, "it is read-only: the user may not write it");
    }
    Some(file)
}

/// Removes secrets from resources that are only read.
fn leave_out_secrets(file: &mut ResourceFile<'_>, report: &mut Report) {
    if !file.is_read_only() {
        return;
    }
    for secret in file.fields.iter().filter(|field| field.is_secret()) {
        let place = format!("{}.{}", file.table.name, secret.column.name);
        report.secret_left_out(&place, "it looks like a secret, and its records are only read");
    }
    let key: Vec<&str> = file.key.iter().map(|index| file.fields[*index].column.name.as_str()).collect();
    file.fields.retain(|field| !field.is_secret());
    file.key = key.into_iter().filter_map(|column| file.position(column)).collect();
}

/// Reports the secrets that fields have.
fn report_secrets(file: &ResourceFile<'_>, report: &mut Report) {
    for secret in file.fields.iter().filter(|field| field.is_secret()) {
        let remark = if secret.is_set_once() {
            "it looks like a secret, so a create sets it, and no request reads or changes it"
        } else {
            "it looks like a secret, so it is `hidden`: remove that if clients may read and change it"
        };
        report.secret(&format!("{}.{}", file.table.name, secret.column.name), remark);
    }
}

/// The name of an enum in the file of its model.
fn own_enum(model: &str, field: &str) -> String {
    let name = format!("{model}{}", names::camel(field));
    let is_derived = ["Fields", "Patch"].iter().any(|end| name == format!("{model}{end}"));
    if is_derived || names::is_used_type(&name) { format!("{name}Value") } else { name }
}

/// The fields of the key: from the primary key, or else from a unique constraint without nulls.
fn key(file: &ResourceFile<'_>, report: &mut Report) -> Vec<usize> {
    let table = file.table;
    let can_be_key = |index: &usize| {
        let field @ Field { ty, .. } = &file.fields[*index];
        !field.is_secret() && !field.is_computed() && ty.sortable && !["bool", "f32", "f64"].contains(&&*ty.rust)
    };
    let positions = |columns: &[String]| {
        let found: Option<Vec<usize>> = columns.iter().map(|column| file.position(column)).collect();
        found.filter(|found| (1..=MAX_KEY).contains(&found.len()) && found.iter().all(can_be_key))
    };
    let without_nulls = |found: &Vec<usize>| found.iter().all(|index| file.fields[*index].column.not_null);
    if let Some(key) = positions(&table.key) {
        return key;
    }
    let mut uniques: Vec<&Vec<String>> = table.uniques.iter().collect();
    uniques.sort_by_key(|columns| columns.len());
    if let Some(key) = uniques.iter().filter_map(|columns| positions(columns)).find(without_nulls) {
        let columns: Vec<&str> = key.iter().map(|index| file.fields[*index].column.name.as_str()).collect();
        report.remark(
            &table.name,
            &format!("its key is `{}`, which is unique: it has no primary key", columns.join("`, `")),
        );
        return key;
    }
    if table.kind == Kind::Table {
        let is_secret = |column: &String| file.position(column).is_some_and(|index| file.fields[index].is_secret());
        let is_computed = |column: &String| file.position(column).is_some_and(|index| file.fields[index].is_computed());
        let reason = match &table.key[..] {
            [] => "it has no key",
            key if key.iter().any(is_secret) => "its key looks like a secret",
            key if key.iter().any(is_computed) => "its key is computed",
            _ => "its key has columns that a path cannot name",
        };
        report.remark(&table.name, &format!("{reason}, so its records are listed, and not read or changed one by one"));
    }
    Vec::new()
}

fn uniques(file: &mut ResourceFile<'_>) {
    if file.is_read_only() {
        return;
    }
    let key: HashSet<&str> = file.key.iter().map(|index| file.fields[*index].column.name.as_str()).collect();
    let mut several: Vec<Vec<String>> = Vec::new();
    let mut single = Vec::new();
    for columns in &file.table.uniques {
        let is_key = columns.len() == key.len() && columns.iter().all(|column| key.contains(column.as_str()));
        let positions: Option<Vec<usize>> = columns.iter().map(|column| file.position(column)).collect();
        let Some(positions) = positions.filter(|_| !is_key) else { continue };
        if !positions.iter().all(|index| can_be_unique(&file.fields[*index])) {
            continue;
        }
        match positions[..] {
            [index] => single.push(index),
            _ => {
                let names: Vec<String> = positions.iter().map(|index| file.fields[*index].name.clone()).collect();
                if !several.contains(&names) {
                    several.push(names);
                }
            }
        }
    }
    for index in single {
        file.fields[index].unique = true;
    }
    file.uniques = several;
}

/// Whether `unique` keeps the column as it is: unique text without a maximum length would get one.
fn can_be_unique(field: &Field<'_>) -> bool {
    let has_length = field.ty.attributes.iter().any(|attribute| attribute.starts_with("length("));
    field.ty.comparable && (field.ty.rust != "String" || has_length)
}

/// Sets the role of each field: the source of its value.
fn roles(file: &mut ResourceFile<'_>, returns_keys: bool, report: &mut Report) {
    let read_only = file.is_read_only();
    let (has_key, single_key) = (!file.key.is_empty(), file.key.len() == 1);
    let is_soft_deleted = |field: &Field<'_>| {
        let condition = |condition: &String| {
            let plain: String = condition.chars().filter(|letter| !"()\"`[]".contains(*letter)).collect();
            plain.trim().eq_ignore_ascii_case(&format!("{} IS NULL", field.column.name))
        };
        field.name == "deleted_at"
            && field.nullable
            && field.ty.is_timestamp()
            && file.table.conditions.iter().any(condition)
    };
    let has_soft_delete = !read_only
        && file.fields.iter().any(is_soft_deleted)
        && !file.fields.iter().any(|field| field.name == "is_deleted");
    for field in &mut file.fields {
        let place = format!("{}.{}", file.table.name, field.column.name);
        let managed = ["created_at", "updated_at"].into_iter().find(|managed| *managed == field.name);
        let has_default = field.column.has_default || field.column.assigned;
        field.role = match managed {
            // Records without a key have no bodies.
            _ if !has_key => Role::Client,
            _ if field.column.generated && !field.is_key => Role::Generated,
            _ if has_soft_delete && field.name == "deleted_at" => Role::Client,
            _ if field.is_key && !single_key && has_default && !returns_keys => {
                const REMARK: &str =
                    "clients set it: MariaDB can fill it in, with `default(database)`; MySQL does not return it";
                report.remark(&place, REMARK);
                Role::Client
            }
            _ if field.is_key => key_role(field, single_key, has_default, refers(file.table, &field.column.name)),
            Some(managed) if read_only => Role::Off(managed),
            Some(managed) if !field.nullable && is_set_by_service(field, has_default) => {
                if field.ty.rust == "NaiveDateTime" {
                    let remark = format!("the service sets it, in UTC: write `{managed}(off)` if clients set it");
                    report.remark(&place, &remark);
                }
                Role::Service(managed)
            }
            Some(managed) if has_default => Role::OffDefault(managed),
            Some(managed) => Role::Off(managed),
            None if read_only => Role::Client,
            None if has_default => Role::Default,
            None => Role::Client,
        };
        if !read_only && !has_soft_delete && field.name == "deleted_at" && field.nullable && field.ty.is_timestamp() {
            let remark = "if it marks deleted records, add `soft_delete` to the struct: lists leave them out then";
            report.remark(&place, remark);
        }
    }
    file.soft_delete = has_soft_delete;
}

/// Source of a key's values. A key of several columns, and one that is a reference, comes from the client, unless the
/// database has a default.
fn key_role(field: &Field<'_>, is_single: bool, has_default: bool, is_reference: bool) -> Role {
    match field.ty.rust.as_str() {
        _ if !is_single && has_default => Role::Default,
        _ if !is_single => Role::Client,
        "Uuid" if is_reference => Role::ClientKey,
        // Storage assigns integer keys.
        _ if field.ty.is_integer() && has_default => Role::Client,
        "Uuid" | "String" if has_default => Role::Default,
        // The service assigns a UUID, and the client names a text.
        "Uuid" | "String" => Role::Client,
        _ => Role::ClientKey,
    }
}

/// Whether a column by itself is a foreign key.
fn refers(table: &Table, column: &str) -> bool {
    table.foreign_keys.iter().any(|key| matches!(key.columns.as_slice(), [only] if only == column))
}

/// Whether the service may set a timestamp: the column has a time zone, or no default that may be in another one.
fn is_set_by_service(field: &Field<'_>, has_default: bool) -> bool {
    match field.ty.rust.as_str() {
        "DateTime<Utc>" => true,
        // The clock of a default may be in another time zone.
        "NaiveDateTime" => !has_default,
        _ => false,
    }
}

/// The enums of the database's own types, each with a file.
#[derive(Debug, Default)]
pub(super) struct SharedEnums {
    /// Enums by the names of their types.
    pub(super) found: BTreeMap<String, SharedEnum>,
    /// Files of the project that have no resource, with their texts.
    pub(super) files: Vec<(String, String)>,
}

/// An enum of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SharedEnum {
    pub(super) name: String,
    pub(super) labels: Vec<String>,
}

impl SharedEnums {
    /// The name of the enum for a type of the database.
    fn of_type(&mut self, ty: &str, labels: &[String], taken: &mut Taken) -> String {
        if let Some(known) = self.found.get(ty) {
            return known.name.clone();
        }
        let mark = super::enum_file::mark(ty);
        let there = self.files.iter().find(|(_, text)| text.contains(&mark));
        let there = there
            .and_then(|(_, text)| text.lines().find_map(|line| line.strip_prefix("pub enum ")?.strip_suffix(" {")));
        let name = there.map_or_else(|| taken.enumeration(ty), str::to_owned);
        self.found.insert(ty.to_owned(), SharedEnum { name: name.clone(), labels: labels.to_vec() });
        name
    }
}
