//! A service with the plugin.

use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use own_plugin::Pins;

/// A note.
#[derive(Debug, Clone, Resource)]
#[crud(pagination)]
struct Note {
    id: i64,
    text: String,
}

#[tokio::main]
async fn main() -> crud_runtime::Result<()> {
    let build = |service: Service| service.plugin(Pins { days: 90 }).map(Service::resource::<Note>);
    crud_runtime::config::run_with_auth(build, Auth::builder()).await
}
