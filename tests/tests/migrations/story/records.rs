//! [`Shop`]: the records that the story expects, computed without a database.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crud_tests::{Backend, Database};

/// Kind of the values in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Whole,
    Text,
    /// A fraction that is stored as a binary float.
    Float,
    /// A decimal of two digits.
    Money,
    Time,
}

/// A value. Money is in cents, and a time is `2026-01-31 12:00:00`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cell {
    None,
    Number(i64),
    Text(String),
}

use Cell::{None, Number};

/// A column of a table.
#[derive(Debug, Clone)]
struct Column {
    name: &'static str,
    kind: Kind,
    /// Whether the program has a field for it: new records have no value otherwise.
    is_used: bool,
    is_required: bool,
}

/// A table, and its records in the order of their keys, which begin with 1.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    columns: Vec<Column>,
    records: Vec<Vec<Cell>>,
}

/// The tables by name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shop {
    tables: BTreeMap<&'static str, Table>,
    /// The states that an order can have.
    pub(crate) states: Vec<&'static str>,
}

/// Separator of the values in a record's text.
const SEPARATOR: char = '|';

/// Text of no value.
const NOTHING: &str = "-";

/// The time of records that have one.
pub(crate) const TIME: &str = "2026-01-31 12:00:00";

/// The order in which tables get records: a reference needs its target.
const ORDER: [&str; 6] = ["categories", "customers", "products", "orders", "purchases", "reviews"];

/// Most records of a statement.
const CHUNK: usize = 500;

impl Table {
    fn position(&self, column: &str) -> usize {
        self.columns.iter().position(|one| one.name == column).expect("a column of the table")
    }

    /// Adds a column, with the value of each record that is there by its number.
    pub(crate) fn add(&mut self, name: &'static str, kind: Kind, value: impl Fn(usize) -> Cell) {
        self.columns.push(Column { name, kind, is_used: true, is_required: false });
        for (number, record) in (1..).zip(&mut self.records) {
            record.push(value(number));
        }
    }

    /// Gives a column another name.
    pub(crate) fn rename(&mut self, from: &str, to: &'static str) {
        let position = self.position(from);
        self.columns[position].name = to;
    }

    /// Changes the values of a column.
    pub(crate) fn convert(&mut self, column: &str, kind: Kind, convert: impl Fn(&Cell) -> Cell) {
        let position = self.position(column);
        self.columns[position].kind = kind;
        for record in &mut self.records {
            record[position] = convert(&record[position]);
        }
    }

    /// Keeps a column that the program has no field for any more.
    pub(crate) fn disuse(&mut self, column: &str) {
        let position = self.position(column);
        self.columns[position].is_used = false;
    }

    /// Marks a column as one that each new record has a value in.
    pub(crate) fn require(&mut self, column: &str) {
        let position = self.position(column);
        self.columns[position].is_required = true;
    }

    /// Gives the records without a value in a column this one.
    pub(crate) fn fill(&mut self, column: &str, fill: &str) {
        let position = self.position(column);
        for record in &mut self.records {
            if record[position] == None {
                record[position] = Cell::Text(fill.to_owned());
            }
        }
    }

    /// Drops a column.
    pub(crate) fn drop(&mut self, column: &str) {
        let position = self.position(column);
        self.columns.remove(position);
        for record in &mut self.records {
            record.remove(position);
        }
    }

    /// The texts of the records, as [`Table::query`] selects them.
    fn texts(&self, backend: Backend) -> Vec<String> {
        let text = |(column, cell): (&Column, &Cell)| column.kind.text(backend, cell);
        let record = |(number, record): (usize, &Vec<Cell>)| {
            let cells = self.columns.iter().zip(record).map(text);
            let cells: Vec<String> = std::iter::once(number.to_string()).chain(cells).collect();
            cells.join(&SEPARATOR.to_string())
        };
        (1..).zip(&self.records).map(record).collect()
    }

    /// The text of a record, as an expression.
    fn record(&self, backend: Backend) -> String {
        let text = |kind: Kind, name: &str| {
            let column = format!("\"{name}\"");
            let text = match (kind, backend) {
                (Kind::Time, Backend::Postgres) => {
                    format!("to_char({column} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')")
                }
                (Kind::Time, Backend::MySql) => format!("DATE_FORMAT({column}, '%Y-%m-%d %H:%i:%s')"),
                (Kind::Time, _) => format!("replace(substr({column}, 1, 19), 'T', ' ')"),
                (_, Backend::MySql) => format!("CAST({column} AS CHAR)"),
                _ => format!("CAST({column} AS TEXT)"),
            };
            format!("COALESCE({text}, '{NOTHING}')")
        };
        let columns = self.columns.iter().map(|column| text(column.kind, column.name));
        let columns: Vec<String> = std::iter::once(text(Kind::Whole, "id")).chain(columns).collect();
        match backend {
            Backend::MySql => format!("CONCAT_WS('{SEPARATOR}', {})", columns.join(", ")),
            _ => columns.join(&format!(" || '{SEPARATOR}' || ")),
        }
    }

    /// The query of the records' texts.
    fn query(&self, backend: Backend, name: &str) -> String {
        format!("SELECT {} FROM \"{name}\" ORDER BY \"id\"", self.record(backend))
    }

    /// The query of the records' texts as one.
    fn joined(&self, backend: Backend, name: &str) -> String {
        let record = self.record(backend);
        match backend {
            Backend::Postgres => {
                format!("SELECT COALESCE(string_agg({record}, chr(10) ORDER BY \"id\"), '') FROM \"{name}\"")
            }
            Backend::MySql => {
                format!("SELECT COALESCE(GROUP_CONCAT({record} ORDER BY \"id\" SEPARATOR '\n'), '') FROM \"{name}\"")
            }
            _ => format!(
                "SELECT COALESCE(group_concat(record, char(10)), '') \
                 FROM (SELECT {record} AS record FROM \"{name}\" ORDER BY \"id\")"
            ),
        }
    }
}

impl Kind {
    /// The text of a value as the database casts it.
    fn text(self, backend: Backend, cell: &Cell) -> String {
        let cents = |cents: &i64| format!("{}.{:02}", cents / 100, cents % 100);
        match (self, cell) {
            (_, None) => NOTHING.to_owned(),
            // A decimal is stored in units there.
            (Self::Money, Number(number)) if backend == Backend::Sqlite => number.to_string(),
            (Self::Money | Self::Float, Number(number)) => cents(number),
            (_, Number(number)) => number.to_string(),
            (_, Cell::Text(text)) => text.clone(),
        }
    }

    /// A value as a literal.
    fn literal(self, backend: Backend, cell: &Cell) -> String {
        let text = self.text(backend, cell);
        match (self, cell) {
            (_, None) => "NULL".to_owned(),
            (Self::Time, _) if backend == Backend::Sqlite => format!("'{}.000000Z'", text.replace(' ', "T")),
            (Self::Time, _) if backend == Backend::Postgres => format!("'{text}+00'"),
            (Self::Time | Self::Text, _) => format!("'{}'", text.replace('\'', "''")),
            _ => text,
        }
    }
}

impl Shop {
    /// Adds a table.
    pub(crate) fn create(&mut self, name: &'static str, columns: &[(&'static str, Kind)]) {
        let columns =
            columns.iter().map(|&(name, kind)| Column { name, kind, is_used: true, is_required: false }).collect();
        self.tables.insert(name, Table { columns, records: Vec::new() });
    }

    /// A table.
    pub(crate) fn table(&mut self, name: &str) -> &mut Table {
        self.tables.get_mut(name).expect("a table of the shop")
    }

    /// Gives a table another name.
    pub(crate) fn rename(&mut self, from: &str, to: &'static str) {
        let table = self.tables.remove(from).expect("a table of the shop");
        self.tables.insert(to, table);
    }

    /// The number of records of a table.
    pub(crate) fn count(&self, table: &str) -> usize {
        self.tables[table].records.len()
    }

    /// The number of all records.
    pub(crate) fn len(&self) -> usize {
        self.tables.values().map(|table| table.records.len()).sum()
    }

    /// Adds records to each table, here and in the database.
    pub(crate) async fn grow(&mut self, count: usize, database: &Database) {
        let mut statements = Vec::new();
        for name in ORDER {
            let Some(table) = self.tables.get_mut(name) else { continue };
            let first = table.records.len() + 1;
            for number in first..first + count {
                let cell = |column: &Column| {
                    if column.is_used { value(name, column, number, &self.states) } else { None }
                };
                table.records.push(table.columns.iter().map(cell).collect());
            }
            let columns: Vec<String> = table.columns.iter().map(|column| format!("\"{}\"", column.name)).collect();
            let backend = database.backend();
            for (index, records) in table.records[first - 1..].chunks(CHUNK).enumerate() {
                let record = |(number, record): (usize, &Vec<Cell>)| {
                    let cells = table.columns.iter().zip(record);
                    let cells: Vec<String> = cells.map(|(column, cell)| column.kind.literal(backend, cell)).collect();
                    format!("({number}, {})", cells.join(", "))
                };
                let records: Vec<String> = (first + index * CHUNK..).zip(records).map(record).collect();
                let insert = format!("INSERT INTO \"{name}\" (\"id\", {}) VALUES ", columns.join(", "));
                statements.push(insert + &records.join(", "));
            }
            if backend == Backend::Postgres {
                let last = table.records.len();
                statements.push(format!("SELECT setval(pg_get_serial_sequence('{name}', 'id'), {last})"));
            }
        }
        // A packet of MySQL has a limit.
        for statements in statements.chunks(20) {
            database.execute(&statements.join(";\n")).await;
        }
    }

    /// The checksums that the tables must have.
    pub(crate) fn sums(&self, backend: Backend) -> Sums {
        // The longest text that it joins.
        let longest = "SET SESSION group_concat_max_len = 1000000000".to_owned();
        let begin = (backend == Backend::MySql).then_some(longest);
        let queries = begin.into_iter().chain(self.tables.iter().map(|(name, table)| table.joined(backend, name)));
        let sums = self.tables.iter().map(|(name, table)| (*name, checksum(&table.texts(backend).join("\n"))));
        Sums { queries: queries.collect(), sums: sums.collect() }
    }

    /// Compares the database with these records. `Err` names the first one that differs.
    pub(crate) async fn compare(&self, database: &Database) -> Result<(), String> {
        let backend = database.backend();
        let Some(name) = self.sums(backend).differing(database).await else { return Ok(()) };
        let table = &self.tables[name];
        let (expected, found) = (table.texts(backend), database.texts(&table.query(backend, name)).await);
        let differing = expected.iter().zip(&found).find(|(expected, found)| expected != found);
        let counts = (expected.len(), found.len());
        Err(format!("`{name}`: expected and found: {differing:?}, numbers of records: {counts:?}"))
    }
}

/// Checksums of a shop's tables.
#[derive(Debug, Clone)]
pub(crate) struct Sums {
    queries: Vec<String>,
    sums: Vec<(&'static str, u64)>,
}

impl Sums {
    /// The first table of the database that has another one.
    pub(crate) async fn differing(&self, database: &Database) -> Option<&'static str> {
        let found = database.texts_of_each(&self.queries).await;
        let found: Vec<u64> = found.iter().flatten().map(|text| checksum(text)).collect();
        assert_eq!(found.len(), self.sums.len(), "a text for each table");
        self.sums.iter().zip(found).find(|((_, sum), found)| sum != found).map(|((name, _), _)| *name)
    }
}

fn checksum(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The value of a new record.
fn value(table: &str, column: &Column, number: usize, states: &[&str]) -> Cell {
    let some = |text: String| Cell::Text(text);
    let whole = |number: usize| Number(i64::try_from(number).expect("a small number"));
    let unless = |is_none: bool, cell: Cell| if is_none { None } else { cell };
    // A reference is to one of the first records, of which there are so many.
    let reference = |records: usize| whole(1 + number % records);
    match (table, column.name) {
        (_, "created_at" | "updated_at") => some(TIME.to_owned()),
        (_, "deleted_at") => unless(!number.is_multiple_of(10), some(TIME.to_owned())),
        ("customers", "name") => some(format!("{} {}", first_name(number), last_name(number))),
        ("customers", "first_name") => some(first_name(number)),
        ("customers", "last_name") => some(last_name(number)),
        ("customers", "phone" | "telephone") => some(format!("+358 {number}")),
        ("customers", "email") => unless(number.is_multiple_of(3), some(format!("Ada{number}@example.org"))),
        ("customers", "country") => some(["FI", "SE"][number % 2].to_owned()),
        ("customers", "loyalty") => unless(number.is_multiple_of(5), whole(number * 7)),
        ("customers", "shop_id") => whole(1 + number % 2),
        ("products", "name") => some(format!("Lamp {number}")),
        ("products", "price") => whole(number * 100 + 25),
        ("products", "stock") => whole(10 + number % 90),
        ("products", "brand") => {
            unless(number.is_multiple_of(4) && !column.is_required, some(format!("It's brand {}", number % 7)))
        }
        ("products", "category_id") => unless(number.is_multiple_of(3), reference(2)),
        ("orders" | "purchases", "number") => some(format!("A-{number}")),
        ("orders" | "purchases", "status") => some(states[number % states.len()].to_owned()),
        ("orders" | "purchases", "customer_id") | ("reviews", "product_id") => reference(10),
        ("orders" | "purchases", "total") if column.kind == Kind::Money => whole(number * 100 + 99),
        ("orders" | "purchases", "total") => whole(number),
        ("orders" | "purchases", "shop_id") => whole(1),
        ("reviews", "stars") => whole(1 + number % 5),
        ("reviews", "text") => some(format!("Review {number}: ärlig — \"good\"")),
        ("categories", "name") => some(format!("Category {number}")),
        (table, column) => panic!("no values for {table}.{column}"),
    }
}

/// The first name of a customer.
pub(crate) fn first_name(number: usize) -> String {
    format!("Zoë{number}")
}

/// The last name of a customer.
pub(crate) fn last_name(number: usize) -> String {
    format!("O'Brien {number}")
}
