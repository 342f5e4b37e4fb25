//! Numbers without gaps, such as those of invoices: `next_number`.

use std::fmt;

use super::Tx;
use crate::model::problem::Code;
use crate::storage::error::{Error, Result};
use crate::store::hooks::context::HookContext;
use crate::store::tables::counter::{Counter, CounterPatch, NewCounter};
use crate::store::typed::increment::Increment;

impl Tx<'_> {
    /// The next number of a counter in a period: 1, 2, 3, without gaps, because a transaction that is rolled back gives
    /// its number back. Transactions that take a number of the same counter and period therefore run one after another.
    ///
    /// In a service that is [sharded by tenant](crate::Service::shard_by_tenant), a counter belongs to the
    /// transaction's tenant.
    ///
    /// The table of counters exists when the service has hooks, jobs or
    /// [`ExtensionOptions::counters`](crate::ExtensionOptions::counters).
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// let app = Service::connect("sqlite::memory:").await?.extend(|options| options.counters()).migrate().await?.app();
    /// let mut tx = app.begin().await?;
    /// assert_eq!(tx.next_number("invoice", 2026).await?, 1);
    /// assert_eq!(tx.next_number("invoice", 2026).await?, 2);
    /// assert_eq!(tx.next_number("invoice", 2027).await?, 1);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `validation_failed` when name and period have more than 254 characters together; those of a change.
    pub async fn next_number(&mut self, name: &str, period: impl fmt::Display) -> Result<i64> {
        let id = match self.shared_tenant().await? {
            Some(tenant) => format!("{tenant}/{name}/{period}"),
            None => format!("{name}/{period}"),
        };
        let counters = self.store::<Counter>();
        loop {
            let next = CounterPatch::default().add(Counter::FIELDS.value, 1);
            match counters.update(id.as_str(), next).await {
                Err(Error::Problem(problem)) if problem.code() == Code::NotFound => {}
                updated => return Ok(updated?.value),
            }
            // `None`: another transaction has created the counter since.
            if let Some(created) = counters.create_if_absent(NewCounter { id: id.clone(), value: 1 }).await? {
                return Ok(created.value);
            }
        }
    }
}

impl HookContext<'_> {
    /// The next number of a counter in a period, without gaps: see [`Tx::next_number`].
    ///
    /// # Errors
    /// Errors of [`Tx::next_number`].
    pub async fn next_number(&mut self, name: &str, period: impl fmt::Display) -> Result<i64> {
        self.as_program().next_number(name, period).await
    }
}
