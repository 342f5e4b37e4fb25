//! The stores and the transaction of a hook.

use super::{Tx, TxStore};
use crate::model::resource::Resource;
use crate::store::hooks::cx::Cx;

impl Cx<'_> {
    /// The transaction of the change.
    pub fn tx(&mut self) -> Tx<'_> {
        Tx::within(self.app, self.transaction.clone(), self.writes_of)
    }

    /// The store of a resource, in the transaction of the change. Hooks of that resource run too.
    ///
    /// Writing another resource than the hook's needs `other_writes` in the attribute: `hooks(after = bill,
    /// other_writes)`.
    ///
    /// # Panics
    /// Never with a derived resource: the derive has compiled its patterns.
    pub fn store<R: Resource>(&self) -> TxStore<'_, R> {
        TxStore::new(self.app, self.transaction.clone(), self.writes_of)
    }
}

#[cfg(feature = "auth")]
impl Tx<'_> {
    /// What a hook works with that accompanies a change in the transaction.
    pub(crate) fn cx(&self) -> Cx<'_> {
        Cx { app: self.app, transaction: &self.transaction, writes_of: None, principal: None, index: 0 }
    }
}
