//! [`Capabilities`]: what a storage can do beyond reading and changing single records.

use crate::model::adapter_error::AdapterError;

/// Writes the struct, and a `with_…` method for each capability.
macro_rules! capabilities {
    (
        $(#[$about:meta])*
        pub struct Capabilities {
            $($(#[$doc:meta])* $field:ident: $with:ident $(and $other:ident)?;)+
        }
    ) => {
        $(#[$about])*
        pub struct Capabilities {
            $($(#[$doc])* pub $field: bool,)+
        }

        impl Capabilities {
            /// No capability.
            pub const fn new() -> Self {
                Self { $($field: false,)+ }
            }

            $(
                #[doc = concat!("With [`", stringify!($field), "`](Self::", stringify!($field), ").")]
                $(#[doc = concat!("It includes [`", stringify!($other), "`](Self::", stringify!($other), ").")])?
                #[must_use]
                pub const fn $with(self) -> Self {
                    Self { $field: true, $($other: true,)? ..self }
                }
            )+
        }
    };
}

capabilities! {
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
        transactions: with_transactions;
        /// Transactions of several calls ([`Adapter::begin`](super::adapter::Adapter::begin)), on which the program's own
        /// transactions and hooks rely.
        interactive: with_interactive and transactions;
        /// One transaction writes at a time, and every other writer waits for it.
        one_writer: with_one_writer;
        /// Tables change by written migrations ([`Administration::migrations`](super::administration::Administration::migrations)).
        migrations: with_migrations;
        /// Replicas replay what is written, and storage knows the position of each
        /// ([`Adapter::position`](super::adapter::Adapter::position)).
        replicas: with_replicas;
        /// Group commit: changes of several requests share a transaction when many write at once.
        group_commit: with_group_commit;
        /// Conditions on the records of another resource ([`Predicate::InSubquery`](crate::query::Predicate::InSubquery)) and
        /// orders by their fields ([`ListQuery::joined`](crate::query::ListQuery::joined)), and the first records of each value
        /// of a column ([`ListQuery::limit_per`](crate::query::ListQuery::limit_per)).
        subqueries: with_subqueries;
        /// Views: resources whose records storage computes by a query of the program's.
        views: with_views;
        /// Full-text search ([`Predicate::Search`](crate::query::Predicate::Search)).
        full_text: with_full_text;
        /// Storage fills in the default of a column that a create leaves out, because only another struct of the table
        /// has its field.
        defaults: with_defaults;
        /// SQL expressions: the values of computed fields ([`Computed`](crate::descriptor::Computed)).
        expressions: with_expressions;
        /// Orders by the declaration of an enum that is stored as texts.
        ranks: with_ranks;
        /// Tables are in schemas, or in databases of one server, that a statement can name.
        schemas: with_schemas;
        /// Variables of one transaction, which policies of row-level security read
        /// ([`Adapter::session`](super::adapter::Adapter::session)).
        session_variables: with_session_variables;
        /// Each shard assigns keys by itself: keys ascend within a shard, and a later record of another shard may have
        /// a smaller key.
        keys_by_shards: with_keys_by_shards;
        /// [`Adapter::ping`](super::adapter::Adapter::ping) writes to the disk after a change that failed because of
        /// the disk, and fails until it succeeds. Without this, a service is not ready for some seconds after each such
        /// change.
        disk_probe: with_disk_probe;
    }
}

impl Capabilities {
    /// Refuses an atomic change of this many records where storage has no transactions.
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
