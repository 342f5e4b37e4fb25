//! The transaction of a hook, which states whose records its stores have.

use std::borrow::Cow;

use super::Tx;
use super::sql::TxSql;
use crate::model::resource::Resource;
use crate::store::app::App;
use crate::store::hooks::context::HookContext;
use crate::store::typed::store::Store;

impl<'c> HookContext<'c> {
    /// The transaction of the change, whose stores have the records that the caller of the change sees: the sender of
    /// the request, or the principal of the [store](Store::of) that makes it. In a change of the program's own code,
    /// they have all of the program's records.
    pub fn as_caller(&self) -> Tx<'c> {
        let own = self.app.scope().as_caller().map(|scope| self.app.scoped(scope));
        self.tx_of(own.unwrap_or_else(|| self.program()))
    }

    /// The transaction of the change, whose stores have the program's records: all of the changed record's tenant, also
    /// where the change is made [across tenants](Store::across_tenants) or by a caller without a tenant. Where that
    /// record has no tenant, all of the caller's tenant, or of the one that the [store](Store::tenant) of the program
    /// names.
    ///
    /// A rule about all records, such as "no two bookings of a room overlap", needs these: the caller may see none of the
    /// others.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// #[derive(Debug, Clone, Resource)]
    /// #[crud(hooks(before(is_free)))]
    /// struct Stay { id: i64, room: i32, night: NaiveDate }
    ///
    /// async fn is_free(changeset: &mut Changeset<'_, Stay>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    ///     let fields = Stay::FIELDS;
    ///     let (Some(room), Some(night)) = (changeset.get(fields.room), changeset.get(fields.night)) else { return Ok(()) };
    ///     let same = fields.room.eq(room).and(fields.night.eq(night));
    ///     match ctx.as_program().store::<Stay>().count(same).await? {
    ///         0 => Ok(()),
    ///         _ => Err(Problem::at(fields.room, "taken", "is taken that night")),
    ///     }
    /// }
    /// ```
    pub fn as_program(&self) -> Tx<'c> {
        self.tx_of(self.program())
    }

    /// A statement of the program's own: see [`Tx::sql`].
    pub fn sql(&mut self, text: &'static str) -> TxSql<'_> {
        TxSql::new(self.transaction, text)
    }

    /// A call is a compile error that names the missing `as_caller` or `as_program`.
    #[doc(hidden)]
    pub fn store<R: Resource>(&self) -> Store<R>
    where
        Self: HasVisibility,
    {
        self.as_program().store()
    }

    /// A call is a compile error, as of [`store`](Self::store).
    #[doc(hidden)]
    pub fn tx(&self) -> Tx<'c>
    where
        Self: HasVisibility,
    {
        self.as_program()
    }

    fn program(&self) -> App {
        self.app.of_program(self.tenant.as_ref())
    }

    fn tx_of(&self, app: App) -> Tx<'c> {
        Tx::within(Cow::Owned(app), self.transaction.clone())
    }
}

/// A context that states whose records its stores have; the context of a hook does not.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say whose records it reads",
    label = "the caller's, or the program's?",
    note = "call `.as_caller()` or `.as_program()` before: `ctx.as_program().store::<Booking>()`"
)]
pub trait HasVisibility {}

#[cfg(feature = "auth")]
impl Tx<'_> {
    /// Context of a hook that accompanies a change in the transaction.
    pub(crate) fn ctx(&self) -> HookContext<'_> {
        HookContext { app: &self.app, transaction: &self.transaction, tenant: None, index: 0 }
    }
}
