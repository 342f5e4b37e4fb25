//! Plugins of other crates: the interface by public items alone.
//!
//! | Promise | Modules |
//! |---|---|
//! | Two plugins that want one name, path or table are an error at start that names both | `conflicts` |
//! | A plugin's routes see resources that are added after it, and `ready` is asked before the service serves | `phases` |
//! | The model is that of the service, by caller | `model` |
//! | A table without routes is its plugin's, also after the plugin is removed | `tables` |
//! | Embedded files are public, and have entity tags | `files` |

#![cfg(all(feature = "testing", feature = "auth", feature = "pages", feature = "sqlite"))]
// Struct fields and derives make items that tests do not name.
#![allow(dead_code, reason = "descriptions alone are used of some resources")]

mod conflicts;
mod files;
mod model;
mod phases;
mod tables;

use crud_runtime::adapter::BoxFuture;
use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_runtime::routing::Routes;
use crud_runtime::{Model, Plugin, Result, Service, ServiceState};

/// A service with authentication.
async fn service() -> Service {
    let auth =
        Auth::builder().secret("a secret of at least thirty-two bytes").build().expect("the secret is long enough");
    Service::connect("sqlite::memory:").await.expect("a database in memory").auth(auth)
}

/// The message of an error.
fn message<T>(result: Result<T>) -> String {
    result.err().expect("it is refused").to_string()
}

/// A plugin by functions.
struct By {
    name: &'static str,
    requires: &'static [&'static str],
    install: fn(Service) -> Result<Service>,
    routes: fn(&Model) -> Result<Routes>,
    ready: fn(&ServiceState) -> Result<()>,
}

impl By {
    const fn named(name: &'static str) -> Self {
        Self { name, requires: &[], install: Ok, routes: |_| Ok(Routes::new()), ready: |_| Ok(()) }
    }
}

impl Plugin for By {
    fn name(&self) -> &'static str {
        self.name
    }

    fn requires(&self) -> &'static [&'static str] {
        self.requires
    }

    fn install(&self, service: Service) -> Result<Service> {
        (self.install)(service)
    }

    fn routes(&self, model: &Model) -> Result<Routes> {
        (self.routes)(model)
    }

    fn ready<'a>(&'a self, state: &'a ServiceState) -> BoxFuture<'a, Result<()>> {
        Box::pin(std::future::ready((self.ready)(state)))
    }
}

/// A book.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter(title),
    sort(title),
    pagination(default_limit = 5, max_limit = 50),
    access(read(public), write(role("editor")), delete(role("admin")))
)]
struct Book {
    id: i64,
    title: String,
    #[crud(visible(role("admin")))]
    cost: Option<i64>,
    #[crud(write_only)]
    secret: Option<String>,
}
