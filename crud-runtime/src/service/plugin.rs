//! [`Plugin`]: a capability that a crate adds to services.

use std::any::type_name;
use std::ops::Range;
use std::sync::Arc;

use super::builder::Service;
use super::plugin_command::PluginCommand;
use super::plugin_settings::PluginSettings;
use super::plugin_tables::OwnedTable;
use crate::http::model::Model;
use crate::http::routing::mounted::MountedRoute;
use crate::http::routing::route::routes::Routes;
use crate::http::state::ServiceState;
use crate::storage::error::{Error, Result};
use crate::storage::future::BoxFuture;
use crate::store::tables::owner::TableOwner;

/// A capability that a crate adds to services: tables, routes, jobs, pages. [`Service::plugin`] adds it.
///
/// A service calls a plugin in three phases. [`install`](Self::install) registers, in the program's order, and reads
/// nothing: resources may come later. [`routes`](Self::routes) gets the model of all resources. [`ready`](Self::ready)
/// is last, before the service serves.
///
/// ```
/// use crud_runtime::access::Access;
/// use crud_runtime::axum::Json;
/// use crud_runtime::routing::{Routes, get};
/// use crud_runtime::{Model, Plugin};
/// # use crud_runtime::prelude::*;
/// # #[derive(Debug, Clone, Resource)]
/// # struct Book { id: i64 }
///
/// /// Serves the names of all resources at `/names`.
/// struct Names;
///
/// impl Plugin for Names {
///     fn name(&self) -> &'static str {
///         "names"
///     }
///
///     fn routes(&self, model: &Model) -> crud_runtime::Result<Routes> {
///         let names: Vec<_> = model.resources().map(|resource| resource.descriptor().name).collect();
///         let route = get(move || std::future::ready(Json(names.clone())));
///         Ok(Routes::new().route("/names", route.access(Access::Public)))
///     }
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.plugin(Names)?.resource::<Book>();
/// # Ok(()) }
/// ```
pub trait Plugin: Send + Sync + 'static {
    /// The name, in errors and in the log: unique in a service.
    fn name(&self) -> &'static str;

    /// Names of the plugins that the service must have as well, before or after this one. A missing plugin is an error
    /// at start.
    fn requires(&self) -> &'static [&'static str] {
        &[]
    }

    /// Reads the plugin's settings, before [`install`](Self::install): those of `crud.toml` and the environment, which
    /// override the program's.
    ///
    /// # Errors
    /// Errors of the settings, and of the plugin for values that it cannot use.
    fn configure(&mut self, _settings: &mut PluginSettings) -> Result<()> {
        Ok(())
    }

    /// Registers the plugin's resources, jobs, layers and routes by the public methods of [`Service`], and reads
    /// nothing from it.
    ///
    /// # Errors
    /// Errors of the registered resources, jobs and routes.
    fn install(&self, service: Service) -> Result<Service> {
        Ok(service)
    }

    /// The plugin's routes for the finished model, which has no routes of plugins yet. This is called whenever routes
    /// are collected (for the router, the document, the table of access), and must always return the same routes.
    ///
    /// # Errors
    /// [`Error::Setup`] where the model lacks what the routes need.
    fn routes(&self, _model: &Model) -> Result<Routes> {
        Ok(Routes::new())
    }

    /// Checks the finished service before it serves: after migrations, where the program runs them.
    /// [`serve`](Service::serve), [`Background::run`](crate::Background::run) and a service under test call this;
    /// [`into_router`](Service::into_router) alone does not.
    ///
    /// # Errors
    /// Any error: the service does not start then.
    fn ready<'a>(&'a self, _state: &'a ServiceState) -> BoxFuture<'a, Result<()>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Commands that the plugin adds to a program of [`config::run`](crate::config::run), behind its name:
    /// `shop board count`.
    fn commands(&self) -> Vec<PluginCommand> {
        Vec::new()
    }
}

/// A plugin of a service, with what it has registered.
pub(super) struct InstalledPlugin {
    pub(super) plugin: Arc<dyn Plugin>,
    /// The path of the plugin's type, for errors.
    type_name: &'static str,
    /// The plugin's routes among the service's own routes.
    routes: Range<usize>,
    /// The plugin's resources among the service's.
    resources: Range<usize>,
}

/// # Plugins
///
/// Capabilities that crates add.
impl Service {
    /// Adds a plugin: see [`Plugin`].
    ///
    /// # Errors
    /// [`Error::Setup`] where the service has a plugin of this name, and the errors of [`Plugin::install`]. At start,
    /// two plugins with the same path or table are an error that names both, and so is a missing plugin that another
    /// one [requires](Plugin::requires).
    pub fn plugin<P: Plugin>(self, mut plugin: P) -> Result<Self> {
        let mut settings = self.settings_of(plugin.name());
        plugin.configure(&mut settings)?;
        settings.finish()?;
        self.install(&(Arc::new(plugin) as Arc<dyn Plugin>), type_name::<P>())
    }

    fn install(mut self, plugin: &Arc<dyn Plugin>, type_name: &'static str) -> Result<Self> {
        let name = plugin.name();
        if let Some(other) = self.plugins.iter().find(|other| other.plugin.name() == name) {
            return Err(Error::Setup(format!(
                "two plugins have the name `{name}`, {} and {type_name}: remove one `Service::plugin`",
                other.type_name
            )));
        }
        let (index, routes, resources) = (self.plugins.len(), self.own_routes.len(), self.resources.len());
        // The plugin is added before its installation, so that one that adds itself again is an error.
        self.plugins.push(InstalledPlugin { plugin: plugin.clone(), type_name, routes: 0..0, resources: 0..0 });
        let mut service = plugin.install(self)?;
        let (all_routes, all_resources) = (service.own_routes.len(), service.resources.len());
        let Some(installed) = service.plugins.get_mut(index) else {
            return Err(Error::Setup(format!("the plugin `{name}` returns another service than it was given")));
        };
        installed.routes = routes..all_routes;
        installed.resources = resources..all_resources;
        Ok(service)
    }

    /// The plugin that has registered a route by its index: the innermost, where one has added another.
    pub(super) fn plugin_of_route(&self, index: usize) -> Option<&'static str> {
        self.innermost(|plugin| &plugin.routes, index)
    }

    /// The plugin that has registered a resource by its index.
    pub(super) fn plugin_of_resource(&self, index: usize) -> Option<&'static str> {
        self.innermost(|plugin| &plugin.resources, index)
    }

    fn innermost(&self, of: impl Fn(&InstalledPlugin) -> &Range<usize>, index: usize) -> Option<&'static str> {
        let found =
            self.plugins.iter().filter(|plugin| of(plugin).contains(&index)).min_by_key(|plugin| of(plugin).len());
        found.map(|installed| installed.plugin.name())
    }

    /// The commands of plugins, each with the plugin's name.
    #[cfg(feature = "config")]
    pub(super) fn plugin_commands(&self) -> Vec<(&'static str, PluginCommand)> {
        let plugins = self.plugins.iter().map(|installed| &installed.plugin);
        plugins.flat_map(|plugin| plugin.commands().into_iter().map(|command| (plugin.name(), command))).collect()
    }

    /// Adds the routes of plugins for the finished model.
    ///
    /// # Errors
    /// Errors of [`Plugin::routes`], and [`Error::Setup`] for a route that does not fit.
    pub(super) fn add_plugin_routes(&self, all: &mut Vec<MountedRoute>) -> Result<()> {
        if self.plugins.is_empty() {
            return Ok(());
        }
        let model = self.model_with(all);
        for InstalledPlugin { plugin, .. } in &self.plugins {
            for (path, route) in plugin.routes(&model)? {
                self.add_own_route(all, &path, Arc::new(route), Some(plugin.name()))?;
            }
        }
        Ok(())
    }

    /// The plugins, to be checked before the service serves.
    pub(super) fn ready_plugins(&self, state: &ServiceState) -> ReadyPlugins {
        let plugins = self.plugins.iter().map(|installed| installed.plugin.clone()).collect();
        ReadyPlugins { plugins, tables: self.tables_to_note(), state: state.clone() }
    }
}

/// The plugins of a service, to be checked before it serves.
pub(super) struct ReadyPlugins {
    plugins: Vec<Arc<dyn Plugin>>,
    /// The plugins' tables, whose owners the database records.
    tables: Vec<OwnedTable>,
    state: ServiceState,
}

impl ReadyPlugins {
    /// Calls [`Plugin::ready`] of each, in the program's order.
    ///
    /// # Errors
    /// That of the first [`Plugin::ready`] that fails.
    pub(super) async fn check(&self) -> Result<()> {
        if !self.tables.is_empty() {
            TableOwner::note(self.state.app(), &self.tables).await?;
        }
        for plugin in &self.plugins {
            plugin.ready(&self.state).await?;
        }
        Ok(())
    }
}
