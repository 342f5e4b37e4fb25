//! Text of a resource's fixed statements, written by the derive, and by the runtime for a table in another schema.

use crate::dialect::{Dialect, Returning};

/// A table in its fixed statements.
#[derive(Debug, Clone, Copy)]
pub struct Table<'a> {
    /// Spelling of the statements.
    pub dialect: Dialect,
    /// The name of the table, after its schema where it has one.
    pub name: &'a str,
    /// The expressions that a record is read from: `"id", "address"::text`.
    pub columns: &'a str,
}

/// A column whose value a statement binds.
#[derive(Debug, Clone, Copy)]
pub struct Bound<'a> {
    /// Name of the column.
    pub column: &'a str,
    /// Type that the text placeholder is cast to.
    pub cast: Option<&'a str>,
}

/// The columns whose values a statement compares to find one record: those of its key, and its tenant's where records
/// have tenants. So a record of another tenant is never found, whatever else guards the statement.
///
/// ```sql
/// … WHERE "id" = $1 AND "team_id" = $2
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Identity<'a> {
    /// The columns of the key, in its order; empty for records without a key.
    pub key: &'a [Bound<'a>],
    /// The column of the tenant; `None` in the statement that finds records of every tenant.
    pub tenant: Option<Bound<'a>>,
}

impl<'a> Identity<'a> {
    /// The columns, in the order in which their values are bound.
    fn columns(self) -> impl Iterator<Item = Bound<'a>> {
        self.key.iter().copied().chain(self.tenant)
    }
}

impl Table<'_> {
    /// The statement that reads one record; empty without a key.
    ///
    /// ```
    /// use crud_shared::dialect::POSTGRES;
    /// use crud_shared::statement::{Bound, Identity, Table};
    ///
    /// let table = Table { dialect: POSTGRES, name: "sales.orders", columns: r#""id", "total""# };
    /// let key = [Bound { column: "id", cast: None }];
    /// let text = r#"SELECT "id", "total" FROM "sales"."orders" WHERE "id" = $1"#;
    /// assert_eq!(table.get(Identity { key: &key, tenant: None }), text);
    /// let tenant = Some(Bound { column: "shop_id", cast: None });
    /// assert_eq!(table.get(Identity { key: &key, tenant }), format!(r#"{text} AND "shop_id" = $2"#));
    /// ```
    pub fn get(self, record: Identity<'_>) -> String {
        self.of_record(format!("SELECT {} FROM ", self.columns), record)
    }

    /// The statement that removes one record, and returns it where deletes return records; empty without a key.
    pub fn delete(self, record: Identity<'_>) -> String {
        let mut text = self.of_record("DELETE FROM ".to_owned(), record);
        if self.dialect.returning == Returning::Always && !text.is_empty() {
            self.push_returning(&mut text);
        }
        text
    }

    /// The statement that inserts a record of these columns, and returns it where inserts return records.
    pub fn insert(self, columns: &[Bound<'_>]) -> String {
        let mut text = "INSERT INTO ".to_owned();
        self.dialect.push_table(&mut text, self.name);
        text.push(' ');
        if columns.is_empty() {
            text.push_str(self.dialect.no_values);
        }
        for (position, bound) in columns.iter().enumerate() {
            text.push_str(if position == 0 { "(" } else { ", " });
            self.dialect.push_identifier(&mut text, bound.column);
        }
        for (position, bound) in columns.iter().enumerate() {
            text.push_str(if position == 0 { ") VALUES (" } else { ", " });
            self.push_placeholder(&mut text, position, bound);
        }
        if !columns.is_empty() {
            text.push(')');
        }
        self.push_returning(&mut text);
        text
    }

    /// Appends the table and the condition on one record: `… "lines" WHERE "order_id" = $1 AND "line" = $2`.
    fn of_record(self, mut text: String, record: Identity<'_>) -> String {
        if record.key.is_empty() {
            return String::new();
        }
        self.dialect.push_table(&mut text, self.name);
        for (position, bound) in record.columns().enumerate() {
            text.push_str(if position == 0 { " WHERE " } else { " AND " });
            self.dialect.push_identifier(&mut text, bound.column);
            text.push_str(" = ");
            self.push_placeholder(&mut text, position, &bound);
        }
        text
    }

    fn push_placeholder(self, text: &mut String, position: usize, bound: &Bound<'_>) {
        self.dialect.push_placeholder(text, position + 1);
        if let Some(sql_type) = bound.cast {
            self.dialect.push_cast(text, sql_type);
        }
    }

    fn push_returning(self, text: &mut String) {
        let (before, after) = self.dialect.returning.clause();
        text.extend([before, self.columns, after]);
    }
}
