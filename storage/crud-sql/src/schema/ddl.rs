//! The statements that create a resource's table and indexes.

use std::fmt::Write;

use rust_decimal::Decimal;

use super::folded;
use super::foreign_key;
use crate::catalogue::table::{ForeignKey, Table};
use crate::dialect::Dialect;
use crate::identifier::{identifier, identifiers, table_identifier};
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Literal, Role, Rule};
use crate::model::value::{Kind, Value};
use crate::storage::indexes::{DeletionState, Index, RecordSet, Unique, indexes, unique_indexes, uniques};
use crate::table_dialect::InTable;

/// The column that is 1 in the records that are not deleted and null in the others, where a database has no partial
/// indexes: what is unique together with it is unique among those.
pub(crate) const ACTIVE: &str = "crud_active";

/// The name of the CHECK constraint of a column, which may belong to no field: its violation is recognized by it.
pub(crate) fn check_name<D: Dialect>(resource: &Descriptor, column: &str) -> String {
    (D::TABLES.shorten)(if D::TABLES.checks_of_table {
        format!("check_{column}")
    } else {
        format!("check_{}__{column}", resource.own_table())
    })
}

/// The name of the foreign key of a column.
pub(crate) fn foreign_key_name<D: Dialect>(resource: &Descriptor, column: &str) -> String {
    (D::TABLES.shorten)(format!("{}_{column}_fkey", resource.own_table()))
}

/// The columns that the table has for the resource.
pub(crate) fn stored_columns(resource: &Descriptor) -> impl Iterator<Item = &ColumnDescriptor> {
    resource.columns.iter().filter(|column| column.is_stored())
}

/// The field of a column of this name.
pub(crate) fn field<'r, D: Dialect>(resource: &'r Descriptor, name: &str) -> Option<&'r ColumnDescriptor> {
    resource.columns.iter().find(|column| (D::TABLES.is_same_name)(column.column, name))
}

/// The unique constraints and the indexes of a resource's new table.
pub(crate) fn wanted_indexes<D: Dialect>(resource: &Descriptor) -> (Vec<Unique>, Vec<Index>) {
    let uniques = uniques(resource);
    let key_implied = (D::TABLES.key_implied)(resource, None);
    let indexes = indexes(resource, key_implied, D::TABLES.active_by, &unique_indexes(&uniques));
    (uniques, indexes)
}

/// The statements that create a resource's table with every constraint that the database can check as the service
/// does, and its indexes. `later`: the tables that are created after it, to which it has no foreign keys yet.
pub(crate) fn create<D: Dialect>(resource: &Descriptor, later: &[&str]) -> Vec<String> {
    let (uniques, indexes) = wanted_indexes::<D>(resource);
    let named = uniques.iter().filter(|unique| !is_in_table::<D>(resource, unique));
    let named = named.map(|unique| definition_of_unique::<D>(resource, unique));
    let named = named.chain(indexes.iter().map(|index| definition_of_index::<D>(resource, index)));
    let (within, apart): (Vec<IndexDefinition>, Vec<IndexDefinition>) =
        named.partition(|_| D::TABLES.in_table == InTable::Indexes);
    let mut lines = table_lines::<D>(resource, None, Vec::new(), &uniques, later);
    lines.extend(within.iter().map(IndexDefinition::in_table::<D>));
    let end = if resource.has_database_collation { D::TABLES.table_end_of_database } else { D::TABLES.table_end };
    let table = format!("CREATE TABLE {} (\n  {}\n){end}", table_identifier::<D>(resource.table), lines.join(",\n  "));
    std::iter::once(table).chain(apart.iter().map(|index| index.create_on::<D>(resource.table))).collect()
}

/// Whether a unique constraint is a line of the table's definition. That of the tenant and the key is: the table may
/// refer to itself by it.
pub(crate) fn is_in_table<D: Dialect>(resource: &Descriptor, unique: &Unique) -> bool {
    let is_key = resource.tenant.is_some_and(|tenant| unique.columns == [tenant.column, resource.id]);
    match D::TABLES.in_table {
        InTable::Uniques => unique.active.is_none() && unique.case_insensitive.is_empty(),
        // Its indexes are lines of the table anyway.
        InTable::Indexes => false,
        InTable::Nothing => is_key,
    }
}

/// The lines of a table's definition; `others` are columns that no field has, and `later` tables that are not there yet.
/// `present`: the table in whose place it is, whose defaults stay.
pub(crate) fn table_lines<D: Dialect>(
    resource: &Descriptor,
    present: Option<&Table>,
    others: Vec<String>,
    uniques: &[Unique],
    later: &[&str],
) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut constraints: Vec<String> = Vec::new();
    let names = |columns: &[usize]| identifiers::<D>(columns.iter().map(|column| resource.columns[*column].column));
    if resource.key().len() > 1 {
        constraints.push(format!("PRIMARY KEY ({})", names(resource.key())));
    }
    for (index, column) in resource.columns.iter().enumerate().filter(|(_, column)| column.is_stored()) {
        let default = present.and_then(|table| table.column::<D>(column.column)?.default.clone());
        let key_and_not_null = [resource.key() == [index], !column.nullable];
        let (line, apart) = column_line::<D>(resource, column, key_and_not_null, default, later);
        lines.push(line);
        constraints.extend(apart);
    }
    if let Some(active) = uniques.iter().find_map(|unique| unique.active).filter(|_| !D::TABLES.partial_indexes()) {
        lines.push(active_line::<D>(resource, active));
    }
    let generated = folded::columns::<D>(resource, uniques).into_iter();
    lines.extend(generated.map(|column| folded::line::<D>(resource, column)));
    lines.extend(others);
    lines.extend(constraints);
    let in_table = uniques.iter().filter(|unique| is_in_table::<D>(resource, unique));
    lines.extend(in_table.map(|unique| format!("UNIQUE ({})", names(&unique.columns))));
    lines
}

/// A column in a table's definition, and its table constraints; `later` are tables that are not there yet. `default`: that of a
/// column without any by its field.
pub(crate) fn column_line<D: Dialect>(
    resource: &Descriptor,
    column: &ColumnDescriptor,
    [key, not_null]: [bool; 2],
    default: Option<String>,
    later: &[&str],
) -> (String, Vec<String>) {
    let mut line = column_definition::<D>(resource, column, key, not_null, default);
    let check = check_constraint::<D>(resource, column);
    let key = foreign_key::wanted(resource, column).filter(|_| !refers_to(column, later));
    if !D::TABLES.constraints_in_columns {
        return (line, check.into_iter().chain(key.map(|key| key.line::<D>())).collect());
    }
    let (apart, own): (Vec<ForeignKey>, Vec<ForeignKey>) = key.into_iter().partition(|key| key.columns.len() > 1);
    for constraint in check.into_iter().chain(own.iter().map(|key| key.parts::<D>().1)) {
        line.push(' ');
        line.push_str(&constraint);
    }
    (line, apart.iter().map(ForeignKey::line::<D>).collect())
}

/// Whether the foreign key of a column has several columns.
#[cfg(any(feature = "migrations", feature = "sqlite"))]
pub(crate) fn is_composite(resource: &Descriptor, column: &ColumnDescriptor) -> bool {
    foreign_key::columns(resource, column).is_some_and(|columns| columns.len() > 1)
}

/// Whether a column refers to one of these tables.
pub(crate) fn refers_to(column: &ColumnDescriptor, tables: &[&str]) -> bool {
    column.constraint().is_some_and(|reference| tables.contains(&(reference.target)().table))
}

/// The column [`ACTIVE`]. `deleted_at`: that of the deletion timestamp.
pub(crate) fn active_line<D: Dialect>(resource: &Descriptor, deleted_at: usize) -> String {
    let (name, active) = (identifier::<D>(ACTIVE), deletion::<D>(&resource.columns[deleted_at], false));
    format!("{name} TINYINT GENERATED ALWAYS AS (IF({active}, 1, NULL)) VIRTUAL")
}

/// Before the name of an index that is created or dropped while others write to its table.
#[cfg(any(feature = "migrations", feature = "postgres"))]
pub(crate) const CONCURRENTLY: &str = "CONCURRENTLY ";

/// Definition of an index.
#[derive(Debug, Clone)]
pub(crate) struct IndexDefinition {
    pub(crate) unique: bool,
    /// Its name, not quoted.
    pub(crate) name: String,
    /// Its keys, quoted.
    pub(crate) columns: String,
    pub(crate) condition: Option<String>,
}

impl IndexDefinition {
    /// As a statement on a table.
    pub(crate) fn create_on<D: Dialect>(&self, table: &str) -> String {
        self.statement::<D>(table, "")
    }

    /// As a statement that creates it while others write to the table.
    #[cfg(any(feature = "migrations", feature = "postgres"))]
    pub(crate) fn create_concurrently_on<D: Dialect>(&self, table: &str) -> String {
        self.statement::<D>(table, CONCURRENTLY)
    }

    fn statement<D: Dialect>(&self, table: &str, concurrently: &str) -> String {
        let (name, table) = (identifier::<D>(&self.name), table_identifier::<D>(table));
        let condition = self.condition.as_ref().map_or(String::new(), |condition| format!(" WHERE {condition}"));
        format!("CREATE {} {concurrently}{name} ON {table} ({}){condition}", self.kind(), self.columns)
    }

    /// As a line of a table's definition.
    pub(crate) fn in_table<D: Dialect>(&self) -> String {
        format!("{} {} ({})", self.kind(), identifier::<D>(&self.name), self.columns)
    }

    const fn kind(&self) -> &'static str {
        if self.unique { "UNIQUE INDEX" } else { "INDEX" }
    }
}

#[cfg(feature = "migrations")]
impl IndexDefinition {
    /// By another name.
    pub(crate) fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// An index that is there, of which a statement names nothing but its name.
    #[cfg(any(feature = "mysql", feature = "sqlite"))]
    pub(crate) fn of_name(index: &crate::catalogue::table::Index) -> Self {
        Self { name: index.name.clone(), unique: index.unique, columns: String::new(), condition: None }
    }
}

pub(crate) fn definition_of_index<D: Dialect>(resource: &Descriptor, index: &Index) -> IndexDefinition {
    let columns = index.columns.iter().map(|column| {
        let column = &resource.columns[*column];
        identifier::<D>(column.column) + (D::TABLES.index_column)(resource, column)
    });
    index_definition::<D>(false, index.name(resource), resource, columns, index.among)
}

/// Definition of a unique index; of the records that are not deleted, where that is wanted.
pub(crate) fn definition_of_unique<D: Dialect>(resource: &Descriptor, unique: &Unique) -> IndexDefinition {
    let columns = unique.columns.iter().map(|index| {
        let column = &resource.columns[*index];
        let ignores_case = unique.ignores_case(*index);
        let key = if ignores_case { folded::key::<D>(column) } else { identifier::<D>(column.column) };
        key + (D::TABLES.index_column)(resource, column)
    });
    index_definition::<D>(true, unique.name(resource), resource, columns, unique.among())
}

/// Definition of a unique index by the resource's columns alone; none where its condition or its expression needs another one.
pub(crate) fn definition_without_column<D: Dialect>(resource: &Descriptor, unique: &Unique) -> Option<IndexDefinition> {
    let has_condition = unique.active.is_none() || D::TABLES.partial_indexes();
    let is_possible = has_condition && (unique.case_insensitive.is_empty() || D::TABLES.folded.is_some());
    is_possible.then(|| definition_of_unique::<D>(resource, unique))
}

fn index_definition<D: Dialect>(
    unique: bool,
    name: String,
    resource: &Descriptor,
    columns: impl Iterator<Item = String>,
    among: RecordSet,
) -> IndexDefinition {
    let among_active = (among != RecordSet::ALL && !D::TABLES.partial_indexes()).then(|| identifier::<D>(ACTIVE));
    IndexDefinition {
        unique,
        name: (D::TABLES.shorten)(name),
        columns: list(columns.chain(among_active)),
        condition: condition::<D>(resource, among).filter(|_| D::TABLES.partial_indexes()),
    }
}

/// The condition of the records that an index has, if it is not all of them.
pub(crate) fn condition<D: Dialect>(resource: &Descriptor, among: RecordSet) -> Option<String> {
    let state = match among.state {
        DeletionState::Any => None,
        DeletionState::Active(deleted_at) => Some(deletion::<D>(&resource.columns[deleted_at], false)),
        DeletionState::Deleted(deleted_at) => Some(deletion::<D>(&resource.columns[deleted_at], true)),
    };
    let some = among.some.map(|some| format!("{} IS NOT NULL", identifier::<D>(resource.columns[some].column)));
    let terms = state.into_iter().chain(some);
    terms.reduce(|before, term| format!("{before} AND {term}"))
}

/// The condition of soft delete's column in records that are deleted, or are not.
fn deletion<D: Dialect>(column: &ColumnDescriptor, deleted: bool) -> String {
    let name = identifier::<D>(column.column);
    match stored::<D>(column, &Value::Bool(deleted)).filter(|_| column.kind == Kind::Bool) {
        Some(literal) => format!("{name} = {literal}"),
        None => format!("{name} IS {}NULL", if deleted { "NOT " } else { "" }),
    }
}

/// A list in SQL.
pub(crate) fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

/// A column without its constraints. `default`: that of a column without any by its field.
pub(crate) fn column_definition<D: Dialect>(
    resource: &Descriptor,
    column: &ColumnDescriptor,
    key: bool,
    not_null: bool,
    default: Option<String>,
) -> String {
    let mut text = format!("{} {}", identifier::<D>(column.column), D::TABLES.declared(resource, column));
    if key {
        let is_counted = column.kind.integer_range().is_some() && column.is_assigned();
        text.push_str(if is_counted { D::TABLES.assigned_key } else { " PRIMARY KEY" });
    }
    if not_null {
        text.push_str(" NOT NULL");
    }
    if let Some(default) = column_default::<D>(column).map(D::TABLES.default_value).or(default) {
        text.push_str(" DEFAULT ");
        text.push_str(&default);
    }
    text
}

/// The CHECK constraint of a column's values, if there is something to check.
pub(crate) fn check_constraint<D: Dialect>(resource: &Descriptor, column: &ColumnDescriptor) -> Option<String> {
    let name = identifier::<D>(&check_name::<D>(resource, column.column));
    check::<D>(column).map(|check| format!("CONSTRAINT {name} CHECK ({check})"))
}

/// The default of the column in its table: that of the field, or else the value of the records that a migration adds the
/// column to. Programs of before, which do not know the column, insert records while it rolls out.
pub(crate) fn column_default<D: Dialect>(column: &ColumnDescriptor) -> Option<String> {
    default::<D>(column).or_else(|| backfill::<D>(column).filter(|_| !column.nullable))
}

/// The column's default as a literal, if it is a constant one.
pub(crate) fn default<D: Dialect>(column: &ColumnDescriptor) -> Option<String> {
    if column.role == Role::DeletedAt && column.kind == Kind::Bool {
        return stored::<D>(column, &Value::Bool(false));
    }
    stored::<D>(column, &column.constant_default()?)
}

/// The value of the records that a migration adds the column to, as a literal, if it is a constant one.
pub(crate) fn backfill<D: Dialect>(column: &ColumnDescriptor) -> Option<String> {
    let backfill = column.backfill?;
    let value = backfill();
    if value == backfill() { stored::<D>(column, &value) } else { None }
}

/// A value of the column as a literal, if the column can store it.
pub(crate) fn stored<D: Dialect>(column: &ColumnDescriptor, value: &Value) -> Option<String> {
    let operand = D::operand(column, value);
    if operand.exact { (D::TABLES.literal)(&operand.argument) } else { None }
}

/// The CHECK condition of the column's kind and rules, as far as the database can check them. Null passes.
pub(crate) fn check<D: Dialect>(column: &ColumnDescriptor) -> Option<String> {
    let mut conditions: Vec<String> = Vec::new();
    let name = identifier::<D>(column.column);
    conditions.extend((D::TABLES.kind_check)(column, &name));
    conditions.extend(column.rules.iter().filter_map(|rule| rule_check::<D>(column, &name, rule)));
    (!conditions.is_empty()).then(|| conditions.join(" AND "))
}

fn rule_check<D: Dialect>(column: &ColumnDescriptor, name: &str, rule: &Rule) -> Option<String> {
    let length = (D::TABLES.length)(column, name);
    match rule {
        Rule::Min(bound) => number::<D>(column, *bound).map(|bound| format!("{name} >= {bound}")),
        Rule::Max(bound) => number::<D>(column, *bound).map(|bound| format!("{name} <= {bound}")),
        Rule::MinLength(least) => length.map(|length| format!("{length} >= {least}")),
        Rule::MaxLength(most) => length.map(|length| format!("{length} <= {most}")),
        Rule::OneOf(values) => {
            let values: Option<Vec<String>> = values.iter().map(|value| literal::<D>(column, *value)).collect();
            values.map(|values| is_one_of(name, values.into_iter()))
        }
        // A database has no such check: patterns, addresses, the program's functions.
        _ => None,
    }
}

/// `IN` with the values of an enum: the integers that they are stored as, or texts by the dialect's own literals.
pub(crate) fn enum_check(column: &ColumnDescriptor, name: &str, texts: &[&str], literal: fn(&str) -> String) -> String {
    if column.is_coded() {
        return is_one_of(name, column.codes.iter().map(i64::to_string));
    }
    is_one_of(name, texts.iter().map(|text| literal(text)))
}

fn is_one_of(name: &str, literals: impl Iterator<Item = String>) -> String {
    format!("{name} IN ({})", list(literals))
}

/// Text in quotes.
pub(crate) fn text_literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A name of at most so many bytes: a longer one is truncated and ends with a hash of the whole.
#[cfg(any(feature = "mysql", feature = "postgres"))]
pub(crate) fn shortened(name: String, most: usize) -> String {
    if name.len() <= most {
        return name;
    }
    let hash = format!("_{:08x}", xxhash_rust::xxh3::xxh3_64(name.as_bytes()) >> 32);
    let mut short = name;
    short.truncate(short.floor_char_boundary(most - hash.len()));
    short + &hash
}

/// Whether a type with this precision and scale, such as `18,4`, holds the column's values with exactly its scale.
#[cfg(any(feature = "mysql", feature = "postgres"))]
pub(crate) fn has_digits(column: &ColumnDescriptor, bounds: &str) -> bool {
    let (precision, scale) = bounds.split_once(',').unwrap_or((bounds, "0"));
    let (Ok(precision), Ok(scale)) = (precision.parse::<u32>(), scale.parse::<u32>()) else { return false };
    scale == column.scale && precision >= column.precision
}

/// Bytes in hexadecimal.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02X}");
    }
    text
}

/// A number that the column's values can be compared with.
fn number<D: Dialect>(column: &ColumnDescriptor, bound: Literal) -> Option<String> {
    match (column.kind, bound) {
        (Kind::Decimal, bound) => stored::<D>(column, &Value::Decimal(decimal(bound)?)),
        (Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 | Kind::F32 | Kind::F64, Literal::Int(v)) => Some(v.to_string()),
        (Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 | Kind::F32 | Kind::F64, Literal::Float(v)) => {
            stored::<D>(column, &Value::Float(v))
        }
        _ => None,
    }
}

fn literal<D: Dialect>(column: &ColumnDescriptor, value: Literal) -> Option<String> {
    match (column.kind, value) {
        (Kind::Text | Kind::Enum(_), Literal::Text(v)) => stored::<D>(column, &Value::Text(v.to_owned())),
        _ => number::<D>(column, value),
    }
}

fn decimal(value: Literal) -> Option<Decimal> {
    match value {
        Literal::Int(v) => Some(v.into()),
        Literal::Float(v) => format!("{v}").parse().ok(),
        Literal::Text(v) => v.parse().ok(),
    }
}
