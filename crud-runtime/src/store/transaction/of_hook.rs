//! The stores and the transaction of a hook, which says with whose eyes it reads.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::shared::SharedTransaction;
use super::sql::TxSql;
use super::{Tx, TxStore};
use crate::model::column::IntoColumn;
use crate::model::resource::Resource;
use crate::model::value::Value;
use crate::store::app::App;
use crate::store::hooks::context::HookContext;

impl HookContext<'_> {
    /// The transaction of the change; the hook says with whose eyes its stores read.
    pub fn tx(&mut self) -> HookTx<'_> {
        HookTx(self.eyes())
    }

    /// The store of a resource, in the transaction of the change; the hook says with whose eyes it reads. Hooks of that
    /// resource run too.
    pub fn store<R: Resource>(&self) -> HookStore<'_, R> {
        HookStore { eyes: self.eyes(), resource: PhantomData }
    }

    /// A statement of the program's own: see [`Tx::sql`].
    pub fn sql(&mut self, text: &'static str) -> TxSql<'_> {
        TxSql::new(self.transaction, text)
    }

    fn eyes(&self) -> Eyes<'_> {
        let Self { app, transaction, ref tenant, .. } = *self;
        Eyes { app, transaction, tenant: tenant.as_ref() }
    }
}

/// The store of a resource in a hook, before the hook says with whose eyes it reads: [`as_caller`](Self::as_caller) or
/// [`as_program`](Self::as_program).
///
/// A rule about all records, such as "no two bookings of a room overlap", needs the program's eyes: the caller may see none
/// of the others.
#[must_use = "say with whose eyes it reads: `as_caller` or `as_program`"]
pub struct HookStore<'t, R> {
    eyes: Eyes<'t>,
    resource: PhantomData<fn() -> R>,
}

impl<R: Resource> fmt::Debug for HookStore<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HookStore").field(&R::DESCRIPTOR.name).finish()
    }
}

impl<'t, R: Resource> HookStore<'t, R> {
    /// The records that the caller of the change reaches: the sender of the request, or the principal of the
    /// [store](crate::Store::of) that makes it. Of a change of the program's own code they are the program's.
    ///
    /// # Panics
    /// Never with a derived resource: the derive has compiled its patterns.
    pub fn as_caller(&self) -> TxStore<'t, R> {
        self.eyes.store(&self.eyes.caller())
    }

    /// The program's records: all of the tenant of the record that is changed, also where the change is made
    /// [across tenants](crate::Store::across_tenants) or by a caller of no tenant. Where that record has none, all of the
    /// caller's tenant, or of the one that the [store](crate::Store::tenant) of the program names.
    ///
    /// # Panics
    /// Never with a derived resource: the derive has compiled its patterns.
    pub fn as_program(&self) -> TxStore<'t, R> {
        self.eyes.store(&self.eyes.program())
    }
}

/// A store or a transaction of a hook that says with whose eyes it reads: a [`HookStore`] and a [`HookTx`] do not.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say with whose eyes it reads",
    label = "the caller's, or the program's?",
    note = "call `.as_caller()` or `.as_program()` before"
)]
pub trait SaysWhoseEyes {}

crate::store::unsaid::methods_before!(SaysWhoseEyes, impl['t, R: Resource] for HookStore<'t, R>);

/// The transaction of a hook, before the hook says with whose eyes its stores read: [`as_caller`](Self::as_caller) or
/// [`as_program`](Self::as_program).
#[must_use = "say with whose eyes its stores read: `as_caller` or `as_program`"]
pub struct HookTx<'t>(Eyes<'t>);

impl fmt::Debug for HookTx<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HookTx").field(self.0.transaction).finish()
    }
}

impl<'t> HookTx<'t> {
    /// The transaction whose stores read as [`HookStore::as_caller`].
    pub fn as_caller(self) -> Tx<'t> {
        self.0.tx(self.0.caller())
    }

    /// The transaction whose stores read as [`HookStore::as_program`].
    pub fn as_program(self) -> Tx<'t> {
        self.0.tx(self.0.program())
    }

    #[doc(hidden)]
    pub fn store<R: Resource>(&self) -> TxStore<'t, R>
    where
        Self: SaysWhoseEyes,
    {
        self.0.store(&self.0.program())
    }
}

/// The handle of a hook and its transaction.
struct Eyes<'t> {
    app: &'t App,
    transaction: &'t Arc<SharedTransaction>,
    /// The tenant of the record that is changed, where it has one.
    tenant: Option<&'t Value>,
}

impl<'t> Eyes<'t> {
    fn caller(&self) -> App {
        self.app.scope().as_caller().map_or_else(|| self.program(), |scope| self.app.scoped(scope))
    }

    fn program(&self) -> App {
        self.app.of_program(self.tenant)
    }

    fn store<R: Resource>(&self, app: &App) -> TxStore<'t, R> {
        TxStore::new(app, self.transaction.clone())
    }

    fn tx(&self, app: App) -> Tx<'t> {
        Tx::within(Cow::Owned(app), self.transaction.clone())
    }
}

#[cfg(feature = "auth")]
impl Tx<'_> {
    /// Context of a hook that accompanies a change in the transaction.
    pub(crate) fn ctx(&self) -> HookContext<'_> {
        HookContext { app: &self.app, transaction: &self.transaction, tenant: None, index: 0 }
    }
}
