//! SQL spelling of the parts that both fixed and assembled statements contain.
//!
//! The derive writes the fixed statements of a resource, the runtime assembles the others. Both take the spelling from
//! the [`Dialect`] of the database.

use crate::table::split;

/// A database's spelling of identifiers, placeholders and returned rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dialect {
    /// The character that encloses an identifier, doubled within it.
    pub quote: char,
    /// The spelling of a placeholder.
    pub placeholder: Placeholder,
    /// The text after the table in an insert that binds no value.
    pub no_values: &'static str,
    /// The changes that return the rows that they wrote.
    pub returning: Returning,
    /// Spelling of a cast between text and the type that a field names.
    pub casts: Casts,
}

/// Spelling of a cast between text and the type that a field names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Casts {
    /// No casts: a column keeps any value.
    None,
    /// `"ip"::text`, `$1::inet`.
    Colons,
    /// ``CAST(`ip` AS CHAR)``; text is converted where it is stored and compared.
    Char,
}

/// The spelling of a placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placeholder {
    /// `?`: each placeholder stands for the next value.
    Positional,
    /// `$1`: each placeholder has the number of its value, from 1.
    Numbered,
}

/// Changes that return the rows that they wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returning {
    /// `RETURNING` follows every change.
    Always,
    /// MariaDB's inserts return rows, from 10.5; MySQL's do not. The clause stands in a comment that MariaDB alone
    /// executes.
    MariaDbInserts,
}

impl Returning {
    /// The text before and after the columns that a change returns.
    pub const fn clause(self) -> (&'static str, &'static str) {
        match self {
            Self::Always => (" RETURNING ", ""),
            Self::MariaDbInserts => (" /*M!100500 RETURNING ", " */"),
        }
    }
}

/// SQLite. A placeholder has no number: SQLite and sqlx look through all placeholders for each numbered one.
/// Identifiers are in backticks: SQLite takes a double-quoted one that it does not know for a text.
pub const SQLITE: Dialect = Dialect {
    quote: '`',
    placeholder: Placeholder::Positional,
    no_values: "DEFAULT VALUES",
    returning: Returning::Always,
    casts: Casts::None,
};

/// PostgreSQL.
pub const POSTGRES: Dialect =
    Dialect { quote: '"', placeholder: Placeholder::Numbered, casts: Casts::Colons, ..SQLITE };

/// MySQL and MariaDB.
pub const MYSQL: Dialect =
    Dialect { no_values: "() VALUES ()", returning: Returning::MariaDbInserts, casts: Casts::Char, ..SQLITE };

impl Dialect {
    /// Appends an identifier in quotes, which are doubled inside.
    ///
    /// ```
    /// use crud_shared::dialect::{MYSQL, POSTGRES};
    ///
    /// let mut text = String::new();
    /// POSTGRES.push_identifier(&mut text, "order");
    /// MYSQL.push_identifier(&mut text, "a`b");
    /// assert_eq!(text, "\"order\"`a``b`");
    /// ```
    #[inline]
    pub fn push_identifier(self, text: &mut String, name: &str) {
        text.push(self.quote);
        for (position, part) in name.split(self.quote).enumerate() {
            if position > 0 {
                text.extend([self.quote, self.quote]);
            }
            text.push_str(part);
        }
        text.push(self.quote);
    }

    /// Appends the name of a table, its schema before it where the name states one.
    ///
    /// ```
    /// let mut text = String::new();
    /// crud_shared::dialect::POSTGRES.push_table(&mut text, "sales.invoices");
    /// assert_eq!(text, "\"sales\".\"invoices\"");
    /// ```
    #[inline]
    pub fn push_table(self, text: &mut String, table: &str) {
        let (schema, own) = split(table);
        if let Some(schema) = schema {
            self.push_identifier(text, schema);
            text.push('.');
        }
        self.push_identifier(text, own);
    }

    /// Appends the placeholder of the value with this number, from 1.
    ///
    /// ```
    /// let mut text = String::from("id = ");
    /// crud_shared::dialect::POSTGRES.push_placeholder(&mut text, 1);
    /// assert_eq!(text, "id = $1");
    /// ```
    #[inline]
    pub fn push_placeholder(self, text: &mut String, number: usize) {
        match self.placeholder {
            Placeholder::Positional => text.push('?'),
            Placeholder::Numbered => {
                text.push('$');
                push_number(text, number);
            }
        }
    }
}

impl Dialect {
    /// Appends a column, quoted, as text, or as a list of texts.
    ///
    /// ```
    /// use crud_shared::dialect::{MYSQL, POSTGRES};
    ///
    /// let mut text = String::new();
    /// POSTGRES.push_as_text(&mut text, "title", "citext", false);
    /// MYSQL.push_as_text(&mut text, "ip", "inet6", false);
    /// assert_eq!(text, "\"title\"::textCAST(`ip` AS CHAR)");
    /// ```
    pub fn push_as_text(self, text: &mut String, column: &str, sql_type: &str, is_list: bool) {
        match self.casts {
            Casts::None => self.push_identifier(text, column),
            Casts::Colons => {
                self.push_identifier(text, column);
                text.push_str(text_cast(sql_type, is_list));
            }
            Casts::Char => {
                text.push_str("CAST(");
                self.push_identifier(text, column);
                text.push_str(" AS CHAR)");
            }
        }
    }

    /// Appends the cast of a placeholder of text to a type, without its bounds.
    pub fn push_cast(self, text: &mut String, sql_type: &str) {
        if self.casts == Casts::Colons {
            text.push_str("::");
            text.push_str(unbounded(sql_type));
        }
    }
}

/// Whether a text can be the name of a type in a statement: it has only characters of names, bounds and lists.
///
/// ```
/// use crud_shared::dialect::is_type_name;
///
/// assert!(is_type_name("character varying(3)") && is_type_name("\"Sales\".mood[]"));
/// assert!(!is_type_name("numeric(3,-2)") && !is_type_name(""));
/// ```
pub fn is_type_name(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || "_.\"(), []".contains(letter))
}

/// PostgreSQL's cast to text, for a value of this type or a list of them. A direct cast of `inet` adds a mask that the
/// value does not show; a cast through `name` keeps `192.168.0.1`, which is not `192.168.0.1/32`.
///
/// ```
/// use crud_shared::dialect::text_cast;
///
/// assert_eq!(text_cast("citext", false), "::text");
/// assert_eq!(text_cast("inet", false), "::name::text");
/// assert_eq!(text_cast("INET[]", true), "::name[]::text[]");
/// ```
#[must_use]
pub fn text_cast(sql_type: &str, is_list: bool) -> &'static str {
    let element = sql_type.trim_end_matches("[]").trim();
    let is_address = ["inet", "pg_catalog.inet"].iter().any(|name| element.eq_ignore_ascii_case(name));
    match (is_address, is_list) {
        (false, false) => "::text",
        (false, true) => "::text[]",
        (true, false) => "::name::text",
        (true, true) => "::name[]::text[]",
    }
}

/// The type that text is cast to for a column of a type with bounds: a cast to `character(3)` makes `abc` of `abcd`, so
/// that a condition finds another record. The column still refuses values that are too long for it.
///
/// ```
/// use crud_shared::dialect::unbounded;
///
/// assert_eq!(unbounded("character(3)"), "bpchar");
/// assert_eq!(unbounded("bit varying(8)"), "bit varying");
/// assert_eq!(unbounded("inet"), "inet");
/// ```
pub const fn unbounded(sql_type: &str) -> &str {
    let bytes = sql_type.as_bytes();
    let mut end = 0;
    while end < bytes.len() && bytes[end] != b'(' {
        end += 1;
    }
    if end == bytes.len() || bytes[bytes.len() - 1] != b')' {
        return sql_type;
    }
    match bytes.split_at(end).0 {
        // Without bounds, `character` has one letter.
        b"character" | b"char" | b"bpchar" => "bpchar",
        b"bit varying" | b"varbit" => "bit varying",
        b"character varying" | b"varchar" => "character varying",
        b"numeric" | b"decimal" => "numeric",
        _ => sql_type,
    }
}

/// Appends a number. Statements have dozens of them: this takes a fraction of the time of formatting.
pub fn push_number(text: &mut String, number: usize) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    text.push(char::from(b"0123456789"[number % 10]));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identifier(dialect: Dialect, name: &str) -> String {
        let mut text = String::new();
        dialect.push_identifier(&mut text, name);
        text
    }

    #[test]
    fn a_quote_in_an_identifier_is_doubled() {
        assert_eq!(identifier(SQLITE, "order"), "`order`");
        assert_eq!(identifier(SQLITE, "a`; DROP TABLE x; --"), "`a``; DROP TABLE x; --`");
        assert_eq!(identifier(POSTGRES, "a\"b\""), r#""a""b""""#);
        assert_eq!(identifier(MYSQL, "a`b\""), "`a``b\"`");
    }

    #[test]
    fn postgres_alone_numbers_its_placeholders() {
        let placeholder = |dialect: Dialect| {
            let mut text = String::new();
            dialect.push_placeholder(&mut text, 12);
            text
        };
        assert_eq!([SQLITE, POSTGRES, MYSQL].map(placeholder), ["?", "$12", "?"]);
    }

    #[test]
    fn a_number_has_all_its_digits() {
        let mut text = String::new();
        for number in [0, 9, 10, 1_090, usize::MAX] {
            push_number(&mut text, number);
        }
        assert_eq!(text, format!("09101090{}", usize::MAX));
    }
}
