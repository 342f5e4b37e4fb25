//! A service's records, users and audit log, for the program's own code.

use std::sync::Arc;

use super::builder::Service;
use crate::audit::AuditLog;
#[cfg(feature = "auth")]
use crate::auth::{PasswordHasher, Users};
use crate::model::resource::Resource;
use crate::store::mounted_resource::MountedResource;
use crate::store::resource_options::ResourceOptions;
use crate::store::typed_store::Store;

impl Service {
    /// The typed store of a resource, for the program's own handlers and jobs.
    ///
    /// # Panics
    /// Never with a derived resource: the derive has compiled its patterns.
    pub fn store<R: Resource>(&self) -> Store<R> {
        let is_wanted = |options: &&ResourceOptions| std::ptr::eq(options.descriptor, R::DESCRIPTOR);
        let options = self.resources.iter().find(is_wanted).cloned();
        let mounted = MountedResource::new(options.unwrap_or_else(|| ResourceOptions::new(R::DESCRIPTOR)));
        Store::new(self.adapter.clone(), Arc::new(mounted.expect("the derive's patterns compile")))
    }

    /// The users in the service's own database. Their table exists if the service's authentication issues tokens.
    #[cfg(feature = "auth")]
    pub fn users(&self) -> Users {
        let hasher = self.auth.as_ref().map_or_else(PasswordHasher::new, |auth| auth.password_hasher().clone());
        Users::new(self.adapter.clone(), hasher)
    }

    /// The audit log, for the program's own entries.
    pub fn audit_log(&self) -> AuditLog {
        AuditLog::new(self.adapter.clone())
    }
}
