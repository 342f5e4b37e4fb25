//! [`StoredUsers`]: users in a resource of the program.

use std::fmt;

use crate::auth::{User, UserStore};
use crate::model::key::{Key, RecordKey};
use crate::model::resource::Resource;
use crate::query::Field;
use crate::storage::adapter::BoxFuture;
use crate::storage::error::Result;
use crate::store::typed::store::Store;

/// Users whose accounts are records of the program; the key is the subject of their tokens.
pub(in crate::auth) struct StoredUsers<R> {
    pub(in crate::auth) store: Store<R>,
    /// The field that has the names of logins.
    pub(in crate::auth) name: Field<R, String>,
    pub(in crate::auth) user: fn(R) -> User,
}

impl<R: Resource> fmt::Debug for StoredUsers<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StoredUsers").field(&R::DESCRIPTOR.name).finish()
    }
}

impl<R: Resource> UserStore for StoredUsers<R> {
    fn find_by_username<'a>(&'a self, username: &'a str) -> BoxFuture<'a, Result<Option<User>>> {
        Box::pin(async move { Ok(self.store.first(self.name.eq(username)).await?.map(self.user)) })
    }

    fn find_by_subject<'a>(&'a self, subject: &'a str) -> BoxFuture<'a, Result<Option<User>>> {
        Box::pin(async move {
            // The subject of another issuer's token may not be a key.
            let Ok(id) = Key::parse(R::DESCRIPTOR, subject).and_then(|key| R::Id::from_key(&key)) else {
                return Ok(None);
            };
            Ok(self.store.find(id).await?.map(self.user))
        })
    }
}
