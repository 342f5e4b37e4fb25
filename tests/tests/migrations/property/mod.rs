//! Random pairs of structs with rows: the difference is written, applied, reverted, and nothing is left to write or lost.
//!
//! Structs are data here: a description for each, as the derive would make it.

use std::collections::BTreeMap;
use std::sync::RwLock;

use crud_runtime::descriptor::{
    ColumnDescriptor, Descriptor, Literal, OnDelete, Operation, Operations, Role, Rule, Search, UniqueGroup,
    Uniqueness, View,
};
use crud_runtime::prelude::*;
use crud_runtime::schema::Difference;
use crud_runtime::{Kind, Value};
use crud_tests::{Backend, Database, amount, on_each_sql_backend};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::support::Directory;

/// Records of each table that both structs have.
const RECORDS: i64 = 3;

/// Type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Bool,
    I32,
    I64,
    F64,
    Decimal,
    /// A text of at most so many characters, if there is a bound.
    Text(Option<usize>),
    /// To the table before.
    Reference,
}

/// A field, as its attributes would say.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // Each is an independent attribute.
struct Field {
    name: &'static str,
    ty: Type,
    nullable: bool,
    unique: bool,
    filter: bool,
    sort: bool,
    default: bool,
    backfill: bool,
    minimum: bool,
    renamed_from: Option<&'static str>,
    cascade: bool,
}

/// A struct.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Table {
    fields: Vec<Field>,
    /// Whether the first two fields are unique together.
    pair: bool,
    /// Whether its texts are searched.
    search: bool,
}

/// The structs of a program, and whether a view of the first is among them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Release {
    tables: Vec<Table>,
    view: bool,
}

const NAMES: [&str; 5] = ["alpha", "beta", "gamma", "delta", "epsilon"];
const OTHER_NAMES: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];
const TABLES: [&str; 2] = ["parents", "children"];

fn field(name: &'static str, with_reference: bool) -> impl Strategy<Value = Field> {
    let kinds = prop_oneof![
        Just(Type::Bool),
        Just(Type::I32),
        Just(Type::I64),
        Just(Type::F64),
        Just(Type::Decimal),
        Just(Type::Text(None)),
        Just(Type::Text(Some(20))),
        Just(if with_reference { Type::Reference } else { Type::I64 }),
    ];
    (kinds, any::<[bool; 8]>()).prop_map(
        move |(ty, [nullable, unique, filter, sort, default, backfill, minimum, cascade])| {
            let is_comparable = !matches!(ty, Type::Bool | Type::F64 | Type::Text(None));
            Field {
                name,
                ty,
                nullable,
                unique: unique && is_comparable && ty != Type::Decimal,
                filter,
                sort: sort && ty != Type::Reference,
                // A default or a fill is one value for all records.
                default: default && ty != Type::Reference && !unique,
                backfill: backfill && ty != Type::Reference && !unique,
                minimum: minimum && matches!(ty, Type::I32 | Type::I64 | Type::Decimal),
                renamed_from: None,
                cascade,
            }
        },
    )
}

fn table(with_reference: bool) -> impl Strategy<Value = Table> {
    let fields: Vec<_> = NAMES.iter().map(|name| field(name, with_reference)).collect();
    (fields, 2..=5_usize, any::<[bool; 2]>()).prop_map(|(mut fields, length, [pair, search])| {
        fields.truncate(length);
        Table { fields, pair, search }
    })
}

fn release() -> impl Strategy<Value = Release> {
    (table(false), table(true), any::<bool>())
        .prop_map(|(first, second, view)| Release { tables: vec![first, second], view })
}

/// A change of a field.
#[derive(Debug, Clone)]
enum Change {
    Keep,
    Remove,
    Rename,
    /// Takes the attributes of another.
    Become(Field),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = prop_oneof![
        3 => Just(Change::Keep),
        1 => Just(Change::Remove),
        1 => Just(Change::Rename),
        2 => field("", true).prop_map(Change::Become),
    ];
    proptest::collection::vec(change, NAMES.len())
}

/// The next release of a table.
fn changed(table: &Table, changes: &[Change], other: &Table) -> Table {
    let mut fields = Vec::new();
    for (index, (field, change)) in table.fields.iter().zip(changes).enumerate() {
        match change {
            Change::Keep => fields.push(field.clone()),
            Change::Remove => {}
            Change::Rename => {
                fields.push(Field { name: OTHER_NAMES[index], renamed_from: Some(field.name), ..field.clone() });
            }
            Change::Become(to) => {
                let ty = match (field.ty, to.ty) {
                    (Type::I32, Type::I64) => Type::I64,
                    (Type::Text(_), Type::Text(None)) => Type::Text(None),
                    // Any other change of the type is a proposal.
                    (from, _) => from,
                };
                let is_unique = to.unique && field.ty != Type::Reference && unique_fits(ty);
                let nullable = to.nullable || (field.nullable && (is_unique || ty == Type::Reference));
                fields.push(Field {
                    name: field.name,
                    ty,
                    unique: is_unique,
                    sort: to.sort && ty != Type::Reference,
                    minimum: to.minimum && matches!(ty, Type::I32 | Type::I64 | Type::Decimal),
                    // A required field has a value for the records without one.
                    backfill: ty != Type::Reference && !is_unique,
                    default: to.default && ty != Type::Reference && !is_unique,
                    nullable,
                    renamed_from: None,
                    ..to.clone()
                });
            }
        }
    }
    for field in other.fields.iter().skip(table.fields.len()) {
        // The records that are there need a value.
        let nullable = field.nullable || field.unique || field.ty == Type::Reference;
        fields.push(Field { nullable, backfill: field.backfill || (!nullable && !field.default), ..field.clone() });
    }
    // Two fields that are filled in have one pair of values.
    let is_filled = fields.first().is_none_or(|first| table.fields.iter().all(|field| field.name != first.name));
    Table { pair: other.pair && !is_filled, fields, ..other.clone() }
}

fn unique_fits(ty: Type) -> bool {
    matches!(ty, Type::I32 | Type::I64 | Type::Text(Some(_)))
}

/// Two releases of a program.
fn pair() -> impl Strategy<Value = (Release, Release)> {
    (release(), release(), changes(), changes()).prop_map(|(old, other, first, second)| {
        let tables = old.tables.iter().zip([first, second]).zip(&other.tables);
        let tables = tables.map(|((table, changes), other)| changed(table, &changes, other)).collect();
        let new = Release { tables, view: other.view };
        (old, new)
    })
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

impl Field {
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
        };
        let value: fn() -> Value = match self.ty {
            Type::Bool => || Value::Bool(true),
            Type::I32 | Type::I64 | Type::Reference => || Value::Int(7),
            Type::F64 => || Value::Float(1.5),
            Type::Decimal => || Value::Decimal(Decimal::new(150, 2)),
            Type::Text(_) => || Value::Text("it's new".to_owned()),
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
        }
    }
}

impl Release {
    /// The service of the release on a database.
    async fn service(&self, database: &Database, slot: usize) -> Service {
        let mut service = database.service().await;
        let mut first = None;
        for (name, table) in TABLES.into_iter().zip(&self.tables) {
            let mut columns = vec![ColumnDescriptor::new::<i64>("id", "id", "\"id\":", "id").role(Role::Id)];
            columns.extend(table.fields.iter().map(|field| field.column(slot)));
            let texts = columns.iter().enumerate().filter(|(_, column)| matches!(column.kind, Kind::Text));
            let texts: Vec<usize> = texts.map(|(index, _)| index).collect();
            let mut descriptor = Descriptor::new(
                text(format!("Model{name}")),
                "tests",
                text(format!("/{name}")),
                name,
                leak(columns),
                0,
            );
            let is_short = |field: &Field| unique_fits(field.ty);
            if table.pair && table.fields.len() > 1 && table.fields[..2].iter().all(is_short) {
                descriptor.uniques = leak(vec![UniqueGroup::new(&[1, 2], Uniqueness::All)]);
            }
            if table.search && !texts.is_empty() {
                descriptor.search = Some(Search::new(leak(texts)));
            }
            let descriptor: &'static Descriptor = Box::leak(Box::new(descriptor));
            if first.is_none() {
                PARENTS.write().expect("no test fails with it")[slot] = Some(descriptor);
                first = Some(descriptor);
            }
            service = service.described_resource(descriptor);
        }
        if self.view {
            let columns = leak(vec![ColumnDescriptor::new::<i64>("id", "id", "\"id\":", "id").role(Role::Id)]);
            let names: Vec<&str> = self.tables[0].fields.iter().map(|field| field.name).collect();
            let condition: Vec<String> = names.iter().map(|name| format!("{name} IS NOT NULL")).collect();
            let condition = if condition.is_empty() { "1 = 1".to_owned() } else { condition.join(" OR ") };
            let query = text(format!("SELECT id FROM parents WHERE {condition}"));
            let view = View::new(TARGETS[slot]).sql(query);
            let mut descriptor = Descriptor::new("Seen", "tests", "/seen", "seen", columns, 0).view(view);
            descriptor.operations = Operations::NONE.with(Operation::List);
            service = service.described_resource(Box::leak(Box::new(descriptor)));
        }
        service
    }

    async fn insert(&self, database: &Database) {
        for record in 1..=RECORDS {
            for (name, table) in TABLES.iter().zip(&self.tables) {
                let columns = table.fields.iter().map(|field| field.name.to_owned());
                let columns: Vec<String> = std::iter::once("id".to_owned()).chain(columns).collect();
                let values = table.fields.iter().map(|field| match (field.ty, database.backend()) {
                    (Type::Bool, Backend::Sqlite) => field.literal(record).replace("TRUE", "1").replace("FALSE", "0"),
                    (Type::Decimal, Backend::Sqlite) => field.literal(record).replace('.', ""),
                    _ => field.literal(record),
                });
                let values: Vec<String> = std::iter::once(record.to_string()).chain(values).collect();
                let (columns, values) = (columns.join(", "), values.join(", "));
                database.execute(&format!("INSERT INTO {name} ({columns}) VALUES ({values})")).await;
            }
        }
    }
}

/// The values of each record of a column as texts; nothing is an empty one.
async fn values(database: &Database, table: &str, column: &str) -> Vec<String> {
    let text = if database.backend() == Backend::MySql { "CHAR" } else { "TEXT" };
    database.texts(&format!("SELECT COALESCE(CAST(\"{column}\" AS {text}), '') FROM \"{table}\" ORDER BY \"id\"")).await
}

/// The values that a release has, by table and column.
async fn records(database: &Database, release: &Release) -> BTreeMap<(&'static str, &'static str), Vec<String>> {
    let mut all = BTreeMap::new();
    for (name, table) in TABLES.into_iter().zip(&release.tables) {
        for field in &table.fields {
            all.insert((name, field.name), values(database, name, field.name).await);
        }
    }
    all
}

/// Whether every value that was there still is. What was filled in stays.
fn keeps(before: &[String], after: &[String]) -> bool {
    before.len() == after.len() && before.iter().zip(after).all(|(before, after)| before.is_empty() || before == after)
}

/// The differences that a migration has to mend.
async fn differences(service: &Service) -> Vec<String> {
    let found = service.diff().await.expect("a comparison");
    found.iter().filter(|one| !one.is_unused()).map(Difference::to_string).collect()
}

async fn there_and_back(database: &Database, slots: usize, (old, new): &(Release, Release)) {
    let (first, second) = (slots, slots + 1);
    let directory = Directory::new();
    let service = old.service(database, first).await;
    directory.write_migration(&service).await;
    directory.apply(&service).await;
    assert_eq!(differences(&service).await, [] as [&str; 0], "the first migration makes what the structs need");
    drop(service);
    old.insert(database).await;
    drop(old.service(database, first).await.migrations(directory.path()).migrate().await.expect("the program starts"));
    let before = records(database, old).await;

    let service = new.service(database, second).await;
    let Some(written) = directory.write_if_needed(&service).await else {
        assert_eq!(differences(&service).await, [] as [&str; 0]);
        return;
    };
    let texts = || format!("\n{}\n{}", written.up(), written.down());
    if let Err(error) = service.apply_migrations(directory.path()).await {
        panic!("{error}{}", texts());
    }
    assert_eq!(differences(&service).await, [] as [&str; 0], "{}", texts());
    assert_eq!(service.unwritten_migration(directory.path()).await.expect("a comparison"), None, "{}", texts());
    assert_eq!(service.plan().await.expect("a plan"), [] as [&str; 0], "{}", texts());
    drop(service.migrations(directory.path()).migrate().await.expect("the program starts"));
    for (table, fields) in TABLES.into_iter().zip(&new.tables) {
        for field in &fields.fields {
            let after = values(database, table, field.name).await;
            let before = before.get(&(table, field.renamed_from.unwrap_or(field.name)));
            let is_kept = before.is_none_or(|before| keeps(before, &after));
            assert!(is_kept, "{table}.{}: {before:?} {after:?}{}", field.name, texts());
        }
    }

    let service = new.service(database, second).await;
    if let Err(error) = directory.try_revert(&service).await {
        panic!("{error}{}", texts());
    }
    drop(service);
    let service = old.service(database, first).await;
    assert_eq!(differences(&service).await, [] as [&str; 0], "{}", texts());
    drop(service.migrate().await.expect("the old program starts"));
    let after = records(database, old).await;
    for (name, before) in &before {
        assert!(keeps(before, &after[name]), "{name:?}: {before:?} {:?}{}", after[name], texts());
    }
}

/// Plays random changes on databases that are made by `fresh`.
async fn play(name: &str, cases: usize, slots: usize, fresh: impl Fn() -> Database) {
    // The cases of a run are those of the next one.
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    for case in 0..cases {
        let pair = pair().new_tree(&mut runner).expect("a value").current();
        eprintln!("{name} case {case}: {pair:?}");
        there_and_back(&fresh(), slots, &pair).await;
    }
}

/// Number of pairs that the default part plays.
const CASES: usize = 8;

#[test]
fn random_changes_are_applied_and_reverted_without_loss() {
    let cases = amount("migrations", CASES, 600);
    on_each_sql_backend(async |database| {
        let backend = database.backend();
        let slots = 2 * [Backend::Sqlite, Backend::Postgres, Backend::MySql]
            .iter()
            .position(|one| *one == backend)
            .expect("SQL");
        play(backend.name(), cases, slots, || backend.fresh()).await;
    });
}

#[tokio::test]
async fn random_changes_are_applied_and_reverted_through_a_pool_of_the_program() {
    play("a pool of sqlite", CASES, 6, Database::in_sqlite_pool).await;
}
