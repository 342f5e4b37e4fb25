#![doc = include_str!("../README.md")]

mod assets;
mod link;
mod linker;
mod place;
mod schema;
mod session;

use crud_runtime::access::Access;
use crud_runtime::routing::{Context, CookieSession, RouteRule, Routes, get, role};
use crud_runtime::{Error, Model, Plugin, PluginSettings, Result};

use crate::link::Link;

/// The role that sees the page, unless [`Admin::role`] names another.
const ROLE: &str = "admin";

/// The admin page of a service, at `/admin`.
///
/// ```
/// use crud_admin::Admin;
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(filter(name), sort(name), search(name), pagination, audit)]
/// struct Book { id: i64, name: String }
///
/// # async fn build(auth: crud_runtime::auth::Auth) -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:")
///     .await?
///     .auth(auth)
///     .plugin(Admin::new().role("support").link("Grafana", "https://grafana.example/"))?
///     .resource::<Book>();
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
#[must_use = "a page is served by `Service::plugin`"]
pub struct Admin {
    role: String,
    path: String,
    links: Vec<Link>,
    modules: Vec<String>,
    sign_in: Option<String>,
}

impl Default for Admin {
    fn default() -> Self {
        Self::new()
    }
}

impl Admin {
    /// The page at `/admin`, for the role `admin`.
    pub fn new() -> Self {
        Self { role: ROLE.to_owned(), path: "/admin".to_owned(), links: Vec::new(), modules: Vec::new(), sign_in: None }
    }

    /// Sets the role that may use the page. Its users see and change there only what the API admits.
    pub fn role(self, role: impl Into<String>) -> Self {
        Self { role: role.into(), ..self }
    }

    /// Sets the path; `/admin` if never called.
    pub fn path(self, path: impl Into<String>) -> Self {
        Self { path: path.into(), ..self }
    }

    /// Adds a link to another page, by `https:`, `http:` or a path.
    pub fn link(mut self, label: impl Into<String>, url: impl Into<String>) -> Self {
        self.links.push(Link { label: label.into(), url: url.into() });
        self
    }

    /// Adds a JavaScript module, whose default export gets the page's parts and adds pages, cells, inputs and actions:
    ///
    /// ```
    /// # use crud_admin::Admin;
    /// let admin = Admin::new().module(
    ///     "export default ({ page, html }) => page('report', 'Report', () => html`<h1>Report</h1>`);",
    /// );
    /// ```
    pub fn module(mut self, source: impl Into<String>) -> Self {
        self.modules.push(source.into());
        self
    }

    /// Sets another sign-in page, such as `/account/sign-in` of `crud-accounts`, for logins with a second factor or by
    /// an issuer. The login form links to it with `?to=` and the admin page's path.
    pub fn sign_in(self, path: impl Into<String>) -> Self {
        Self { sign_in: Some(path.into()), ..self }
    }

    /// The access rule of the page's data. A service without authentication is open to everyone, as a warning at start
    /// says. The page shows no more than that.
    fn rule(&self, model: &Model) -> RouteRule {
        if model.has_principals() { role(self.role.as_str()) } else { Access::Public.into() }
    }

    /// Paths of the program's modules, relative to the page.
    fn module_paths(&self) -> Vec<String> {
        (0..self.modules.len()).map(|index| format!("module/{index}.js")).collect()
    }
}

impl Plugin for Admin {
    fn name(&self) -> &'static str {
        "admin"
    }

    /// Reads `role`, `path` and `sign_in` from `[admin]` in `crud.toml`. They override the program's.
    fn configure(&mut self, settings: &mut PluginSettings) -> Result<()> {
        let Self { role, path, .. } = self;
        *role = settings.text("role")?.unwrap_or_else(|| std::mem::take(role));
        *path = settings.text("path")?.unwrap_or_else(|| std::mem::take(path));
        self.sign_in = settings.text("sign_in")?.or_else(|| self.sign_in.take());
        Ok(())
    }

    fn routes(&self, model: &Model) -> Result<Routes> {
        if let Some(link) = self.links.iter().find(|link| !link.is_safe()) {
            return Err(Error::Setup(format!(
                "the admin page links to `{}`: expected `https://…`, `http://…` or a path such as `/docs`",
                link.url
            )));
        }
        if let Some(sign_in) = self.sign_in.iter().find(|path| !path.starts_with('/') || path.starts_with("//")) {
            return Err(Error::Setup(format!(
                "people sign in for the admin page at `{sign_in}`: expected a path such as `/account/sign-in`"
            )));
        }
        let path = &self.path;
        let page = schema::ProgramParts { links: self.links.clone(), modules: self.module_paths() };
        let described = get(move |ctx: Context| std::future::ready(schema::of_caller(&ctx, &page)))
            .access(self.rule(model))
            .no_store()
            .undocumented();
        let words =
            assets::PageValues { path, title: model.title(), sign_in: self.sign_in.as_deref().unwrap_or_default() };
        let routes = Routes::new()
            .files(path, assets::files(&words, self.module_paths().into_iter().zip(&self.modules)))
            .route(format!("{path}/schema"), described);
        Ok(if session::is_possible(model) {
            routes.merge(CookieSession::routes(&format!("{path}/session")))
        } else {
            routes
        })
    }
}
