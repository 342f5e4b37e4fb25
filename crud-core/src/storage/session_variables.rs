//! [`SessionVariables`]: settings of the database for the statements of one caller.

use std::fmt;

/// Variables that the database has while it works for one caller, and that policies of row-level security read: on
/// PostgreSQL, `current_setting('app.user')`.
///
/// A variable of the program has a dot in its name. One without is a setting of the server: `role` is the role whose rights
/// the statements have, which the service's user must be a member of. Names are the program's and values may be a
/// client's: both are bound, and neither becomes text of a statement.
///
/// ```
/// use crud_runtime::SessionVariables;
///
/// let variables = SessionVariables::new().set("app.user", 7).set("app.team", "north");
/// assert_eq!(variables.names().collect::<Vec<_>>(), ["app.user", "app.team"]);
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SessionVariables {
    names: Vec<String>,
    values: Vec<String>,
}

impl SessionVariables {
    /// No variables yet.
    pub const fn new() -> Self {
        Self { names: Vec::new(), values: Vec::new() }
    }

    /// Sets a variable, as text. The last value of a name counts.
    #[must_use]
    #[allow(clippy::needless_pass_by_value, reason = "a number is as good as a text")]
    pub fn set(mut self, name: impl Into<String>, value: impl ToString) -> Self {
        let (name, value) = (name.into(), value.to_string());
        match self.names.iter().position(|known| *known == name) {
            Some(index) => self.values[index] = value,
            None => {
                self.names.push(name);
                self.values.push(value);
            }
        }
        self
    }

    /// The names, in the order in which they were set.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The names and the values, each list in the order of the other.
    #[doc(hidden)]
    pub fn lists(&self) -> (&[String], &[String]) {
        (&self.names, &self.values)
    }
}

/// Only the names: a value may be a secret of the caller's.
impl fmt::Debug for SessionVariables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SessionVariables").field(&self.names).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_value_of_a_name_counts_and_no_value_is_shown() {
        let variables = SessionVariables::new().set("app.user", 7).set("app.team", "north").set("app.user", "ann");
        assert_eq!(
            variables.lists(),
            (&["app.user", "app.team"].map(str::to_owned)[..], &["ann", "north"].map(str::to_owned)[..])
        );
        assert_eq!(format!("{variables:?}"), r#"SessionVariables(["app.user", "app.team"])"#);
    }
}
