//! [`Capabilities`]: what a storage can do beyond reading and changing single records.

use crate::model::adapter_error::AdapterError;

/// Capabilities of a storage beyond reading and changing single records.
///
/// A storage states what it has. What it lacks is refused where a request asks for it, with 422 and the code
/// `unsupported_here`, and where the program asks for it, when the service starts. Without
/// [`transactions`](Self::transactions), for example, an atomic batch takes one item, and the OpenAPI document says so.
///
/// ```
/// use crud_runtime::adapter::Capabilities;
///
/// const MINE: Capabilities = Capabilities::new().with_transactions();
/// assert!(MINE.transactions && !MINE.replicas);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // each is a capability for itself
pub struct Capabilities {
    /// Changes of several records happen all together or not at all.
    pub transactions: bool,
    /// Transactions of several calls ([`Adapter::begin`](super::adapter::Adapter::begin)), on which the program's own
    /// transactions and hooks rely.
    pub interactive: bool,
    /// One transaction writes at a time, and every other writer waits for it.
    pub one_writer: bool,
    /// Tables change by written migrations ([`Adapter::migrations`](super::adapter::Adapter::migrations)).
    pub migrations: bool,
    /// Replicas take over what is written, and storage knows how far each is
    /// ([`Adapter::position`](super::adapter::Adapter::position)).
    pub replicas: bool,
    /// Group commit: changes of several requests share a transaction when many write at once.
    pub group_commit: bool,
    /// Conditions on the records of another resource ([`Predicate::InSubquery`](crate::query::Predicate::InSubquery)) and
    /// orders by their fields ([`ListQuery::joined`](crate::query::ListQuery::joined)), and the first records of each value
    /// of a column ([`ListQuery::limit_per`](crate::query::ListQuery::limit_per)).
    pub subqueries: bool,
    /// Views: resources whose records storage computes by a query of the program's.
    pub views: bool,
    /// Full-text search ([`Predicate::Search`](crate::query::Predicate::Search)).
    pub full_text: bool,
    /// Storage fills in the default of a column that a create leaves out: that of another struct of the same table.
    pub defaults: bool,
    /// SQL expressions: the values of computed fields ([`Computed`](crate::descriptor::Computed)).
    pub expressions: bool,
    /// Orders by the declaration of an enum, whose values are stored as texts.
    pub ranks: bool,
    /// Tables are in schemas, or in databases of one server, that a statement can name.
    pub schemas: bool,
    /// Variables of one transaction, which policies of row-level security read
    /// ([`Adapter::session`](super::adapter::Adapter::session)).
    pub session_variables: bool,
}

impl Capabilities {
    /// None of them.
    pub const fn new() -> Self {
        Self {
            transactions: false,
            interactive: false,
            one_writer: false,
            migrations: false,
            replicas: false,
            group_commit: false,
            subqueries: false,
            views: false,
            full_text: false,
            defaults: false,
            expressions: false,
            ranks: false,
            schemas: false,
            session_variables: false,
        }
    }

    /// With [`transactions`](Self::transactions).
    #[must_use]
    pub const fn with_transactions(self) -> Self {
        Self { transactions: true, ..self }
    }

    /// With [`interactive`](Self::interactive), and [`transactions`](Self::transactions) with it.
    #[must_use]
    pub const fn with_interactive(self) -> Self {
        Self { transactions: true, interactive: true, ..self }
    }

    /// With [`one_writer`](Self::one_writer).
    #[must_use]
    pub const fn with_one_writer(self) -> Self {
        Self { one_writer: true, ..self }
    }

    /// With [`migrations`](Self::migrations).
    #[must_use]
    pub const fn with_migrations(self) -> Self {
        Self { migrations: true, ..self }
    }

    /// With [`replicas`](Self::replicas).
    #[must_use]
    pub const fn with_replicas(self) -> Self {
        Self { replicas: true, ..self }
    }

    /// With [`group_commit`](Self::group_commit).
    #[must_use]
    pub const fn with_group_commit(self) -> Self {
        Self { group_commit: true, ..self }
    }

    /// With [`subqueries`](Self::subqueries).
    #[must_use]
    pub const fn with_subqueries(self) -> Self {
        Self { subqueries: true, ..self }
    }

    /// With [`views`](Self::views).
    #[must_use]
    pub const fn with_views(self) -> Self {
        Self { views: true, ..self }
    }

    /// With [`full_text`](Self::full_text).
    #[must_use]
    pub const fn with_full_text(self) -> Self {
        Self { full_text: true, ..self }
    }

    /// With [`defaults`](Self::defaults).
    #[must_use]
    pub const fn with_defaults(self) -> Self {
        Self { defaults: true, ..self }
    }

    /// With [`expressions`](Self::expressions).
    #[must_use]
    pub const fn with_expressions(self) -> Self {
        Self { expressions: true, ..self }
    }

    /// With [`ranks`](Self::ranks).
    #[must_use]
    pub const fn with_ranks(self) -> Self {
        Self { ranks: true, ..self }
    }

    /// With [`schemas`](Self::schemas).
    #[must_use]
    pub const fn with_schemas(self) -> Self {
        Self { schemas: true, ..self }
    }

    /// With [`session_variables`](Self::session_variables).
    #[must_use]
    pub const fn with_session_variables(self) -> Self {
        Self { session_variables: true, ..self }
    }

    /// Refuses an atomic change of so many records where storage has no transactions.
    ///
    /// # Errors
    /// [`AdapterError::Unsupported`] for two or more.
    #[doc(hidden)]
    pub const fn check_atomic(self, records: u64) -> Result<(), AdapterError> {
        if self.transactions || records < 2 {
            return Ok(());
        }
        Err(AdapterError::Unsupported { what: "atomic changes of several records: send one record per request" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_transactions_an_atomic_change_has_one_record() {
        let without = Capabilities::new().with_migrations();
        assert!(without.check_atomic(0).is_ok() && without.check_atomic(1).is_ok());
        assert!(matches!(without.check_atomic(2), Err(AdapterError::Unsupported { .. })));
        assert!(without.with_transactions().check_atomic(1_000).is_ok());
    }
}
