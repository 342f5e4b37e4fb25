//! Text of a resource's fixed statements, which the derive writes, and the runtime for a table of another schema.

use crate::dialect::{Dialect, Returning};

/// A table as its fixed statements have it.
#[derive(Debug, Clone, Copy)]
pub struct Table<'a> {
    /// Spelling of the statements.
    pub dialect: Dialect,
    /// Name, its schema before it where it has one.
    pub name: &'a str,
    /// The expressions that a record is read from: `"id", "address"::text`.
    pub columns: &'a str,
}

/// A column whose value a statement binds.
#[derive(Debug, Clone, Copy)]
pub struct Bound<'a> {
    /// Name of the column.
    pub column: &'a str,
    /// Type that its placeholder, of a text, is cast to.
    pub cast: Option<&'a str>,
}

impl Table<'_> {
    /// The statement that reads the record of a key; empty without a key.
    ///
    /// ```
    /// use crud_shared::dialect::POSTGRES;
    /// use crud_shared::statement::{Bound, Table};
    ///
    /// let table = Table { dialect: POSTGRES, name: "sales.orders", columns: r#""id", "total""# };
    /// let key = [Bound { column: "id", cast: None }];
    /// assert_eq!(table.get(&key), r#"SELECT "id", "total" FROM "sales"."orders" WHERE "id" = $1"#);
    /// ```
    pub fn get(self, key: &[Bound<'_>]) -> String {
        self.of_key(format!("SELECT {} FROM ", self.columns), key)
    }

    /// The statement that removes the record of a key, and returns it where deletes return records; empty without a key.
    pub fn delete(self, key: &[Bound<'_>]) -> String {
        let mut text = self.of_key("DELETE FROM ".to_owned(), key);
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

    /// The condition on the record of a key after a beginning and the table: `… "lines" WHERE "order_id" = $1 AND "line" = $2`.
    fn of_key(self, mut text: String, key: &[Bound<'_>]) -> String {
        if key.is_empty() {
            return String::new();
        }
        self.dialect.push_table(&mut text, self.name);
        for (position, bound) in key.iter().enumerate() {
            text.push_str(if position == 0 { " WHERE " } else { " AND " });
            self.dialect.push_identifier(&mut text, bound.column);
            text.push_str(" = ");
            self.push_placeholder(&mut text, position, bound);
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
