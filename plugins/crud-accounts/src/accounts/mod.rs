//! [`Accounts`]: a plugin for people who sign up.

mod address;
mod factor;
mod invitation;
mod letter_token;
pub(crate) mod mail;
#[cfg(feature = "oidc")]
pub(crate) mod oidc;
mod pages;
mod proved_address;
mod routes;
mod session_record;
mod slot;
mod state;
mod sweep;
mod token;

use std::future::ready;
use std::sync::{Arc, OnceLock};

use crud_runtime::adapter::BoxFuture;
#[cfg(feature = "oidc")]
use crud_runtime::auth::IssuerClient;
use crud_runtime::routing::Routes;
use crud_runtime::{BoxError, Error, Model, Plugin, PluginSettings, Result, Service, ServiceState};

use self::factor::challenge::Challenge;
use self::factor::gate::FactorGate;
use self::factor::record::Factor;
use self::factor::recovery::RecoveryCode;
use self::invitation::Invitation;
use self::letter_token::LetterToken;
use self::mail::job::SendLetter;
use self::mail::letter::Letter;
use self::mail::mailer::{Mail, Mailer};
use self::mail::printer::Printer;
use self::mail::template::Templates;
#[cfg(feature = "oidc")]
use self::oidc::login_issuer::LoginIssuer;
use self::pages::Pages;
use self::proved_address::ProvedAddress;
use self::session_record::{SessionKeeper, SessionRecord};
use self::slot::Slot;
use self::state::AccountsState;
use self::sweep::Sweep;

/// Accounts of people: sign-up, verified addresses, new passwords, invitations, sessions, second factors.
///
/// ```
/// use crud_accounts::Accounts;
/// use crud_runtime::auth::Auth;
/// use crud_runtime::prelude::*;
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let auth = Auth::builder().secret("a secret of at least thirty-two bytes").logout().build()?;
/// let service = Service::connect("sqlite://shop.db")
///     .await?
///     .server(|server| server.public_url("http://127.0.0.1:8000"))
///     .auth(auth)
///     .plugin(Accounts::new().roles(["customer"]))?;
/// # let _ = service; Ok(()) }
/// ```
#[derive(Clone)]
#[must_use = "accounts are served by `Service::plugin`"]
pub struct Accounts {
    roles: Vec<String>,
    invite_role: String,
    factor_roles: Vec<String>,
    templates: Templates,
    mailer: Option<Arc<dyn Mailer>>,
    path: String,
    /// The pages; `None` where the program has its own.
    pages: Option<Pages>,
    public_url: Option<String>,
    /// Whether mails may be printed to the log although the service is not on this machine.
    prints_mail: bool,
    /// The issuers that people log in with, and their clients once the configuration is checked.
    #[cfg(feature = "oidc")]
    issuers: Vec<LoginIssuer>,
    #[cfg(feature = "oidc")]
    clients: Arc<OnceLock<Vec<IssuerClient>>>,
}

impl std::fmt::Debug for Accounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Accounts").field("roles", &self.roles).field("path", &self.path).finish_non_exhaustive()
    }
}

impl Default for Accounts {
    fn default() -> Self {
        Self::new()
    }
}

impl Accounts {
    /// Accounts whose people sign up by themselves, without roles.
    pub fn new() -> Self {
        Self {
            roles: Vec::new(),
            invite_role: "admin".to_owned(),
            factor_roles: Vec::new(),
            templates: Templates::default(),
            mailer: None,
            path: "/account".to_owned(),
            pages: Some(Pages { style: None, home: "/".to_owned() }),
            public_url: None,
            prints_mail: false,
            #[cfg(feature = "oidc")]
            issuers: Vec::new(),
            #[cfg(feature = "oidc")]
            clients: Arc::default(),
        }
    }

    /// Sets the roles of people who sign up; none if never called.
    pub fn roles<T: Into<String>>(self, roles: impl IntoIterator<Item = T>) -> Self {
        Self { roles: roles.into_iter().map(Into::into).collect(), ..self }
    }

    /// Sets the role that may invite people; `admin` if never called. Inviters can give only roles that they have
    /// themselves.
    pub fn invite_role(self, role: impl Into<String>) -> Self {
        Self { invite_role: role.into(), ..self }
    }

    /// Sets the roles whose users must log in with a second factor. For other users it is optional.
    pub fn second_factor_for<T: Into<String>>(self, roles: impl IntoIterator<Item = T>) -> Self {
        Self { factor_roles: roles.into_iter().map(Into::into).collect(), ..self }
    }

    /// Replaces the text of a mail: a line with the subject, an empty line, and the body. `{link}`, `{service}`,
    /// `{address}` and, in an invitation, `{inviter}` are filled in.
    pub fn template(mut self, letter: Letter, text: impl Into<String>) -> Self {
        self.templates.set(letter, text.into());
        self
    }

    /// Sets the mailer. Without one, mails are sent by the server in `smtp` of `[accounts]` (feature `smtp`); without
    /// that setting, they are printed to the log.
    pub fn mailer(self, mailer: impl Mailer) -> Self {
        Self { mailer: Some(Arc::new(mailer)), ..self }
    }

    /// Replaces the stylesheet of the pages.
    pub fn style(mut self, css: impl Into<String>) -> Self {
        if let Some(pages) = &mut self.pages {
            pages.style = Some(css.into());
        }
        self
    }

    /// Sets the page that a person sees after signing in, by its path in the service or by its URL; `/` if never
    /// called. The page gets an access token by `POST {path}/session/refresh`.
    pub fn home(mut self, home: impl Into<String>) -> Self {
        if let Some(pages) = &mut self.pages {
            pages.home = home.into();
        }
        self
    }

    /// Leaves the pages out: the program serves its own, at the paths that links in mails lead to (`{path}/verify`,
    /// `/invitation`, `/reset`, `/address`, `/sign-in`), with the token in the fragment.
    pub fn without_pages(self) -> Self {
        Self { pages: None, ..self }
    }

    /// Sets the path of the pages, which begins the paths of links in mails; `/account` if never called.
    pub fn path(self, path: impl Into<String>) -> Self {
        Self { path: path.into(), ..self }
    }

    /// Sets the URL that links in mails begin with; the service's
    /// [`public_url`](crud_runtime::ServerOptions::public_url) if never called. The `Host` of a request is not used: a
    /// forged one would lead people to an attacker's page.
    pub fn public_url(self, url: impl Into<String>) -> Self {
        Self { public_url: Some(url.into()), ..self }
    }

    /// Lets people log in with an issuer, by a button on the sign-in page.
    #[cfg(feature = "oidc")]
    pub fn issuer(mut self, issuer: LoginIssuer) -> Self {
        self.issuers.push(issuer);
        self
    }

    /// The issuers' aliases, each with the name on its button.
    #[cfg(feature = "oidc")]
    fn buttons(&self) -> Vec<(String, String)> {
        self.issuers.iter().map(|issuer| (issuer.alias.clone(), issuer.label().to_owned())).collect()
    }

    #[cfg(not(feature = "oidc"))]
    #[expect(clippy::unused_self, reason = "the feature's function takes it")]
    const fn buttons(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Creates the clients of the issuers. Refuses two issuers with the same alias.
    #[cfg(feature = "oidc")]
    fn make_clients(&self) -> Result<()> {
        let clients = self.issuers.iter().map(LoginIssuer::client).collect::<Result<Vec<_>>>()?;
        let mut aliases: Vec<&str> = self.issuers.iter().map(|issuer| issuer.alias.as_str()).collect();
        aliases.sort_unstable();
        let count = aliases.len();
        aliases.dedup();
        if aliases.len() < count {
            return Err(Error::Setup("two issuers of accounts have the same alias".to_owned()));
        }
        drop(self.clients.set(clients));
        Ok(())
    }

    /// The routes of logins with issuers.
    #[cfg(feature = "oidc")]
    fn issuer_routes(&self, auth: &str) -> Routes {
        let clients = self.clients.get().cloned().unwrap_or_default();
        let all: Vec<_> = self.issuers.iter().cloned().zip(clients).collect();
        if all.is_empty() { Routes::new() } else { oidc::routes::all(auth, &all) }
    }

    /// Sets the mailer from the settings, if `smtp` is set.
    fn configure_mailer(&mut self, settings: &mut PluginSettings) -> Result<()> {
        let (url, from) = (settings.text("smtp")?, settings.text("from")?);
        let Some(url) = url else { return Ok(()) };
        let missing =
            || Error::Setup("`smtp` of `[accounts]` needs `from`, such as `Shop <shop@example.com>`".to_owned());
        self.mailer = Some(smtp(&url, &from.ok_or_else(missing)?)?);
        Ok(())
    }

    /// Checks that links in mails have a safe URL, and that there is a mailer where one is needed.
    fn check(&self, state: &AccountsState) -> Result<()> {
        let Some(url) = state.public_url.get() else {
            return Err(Error::Setup(
                "links in mails need the URL of the service: add `.server(|server| server.public_url(\"https://…\"))`, or \
                 `public_url` to `[accounts]`"
                    .to_owned(),
            ));
        };
        let is_here = is_loopback(url);
        if !url.starts_with("https://") && !is_here {
            return Err(Error::Setup(format!("links in mails have secrets: `{url}` must begin with `https://`")));
        }
        if self.mailer.is_some() {
            return Ok(());
        }
        if !is_here && !self.prints_mail {
            return Err(Error::Setup(
                "no mail can be sent: add `smtp` and `from` to `[accounts]`, or `Accounts::mailer`; `print_mail = true` \
                 writes mails to the log, with their secret links"
                    .to_owned(),
            ));
        }
        tracing::warn!("mails are written to the log, with their secret links, and not sent: for development alone");
        Ok(())
    }
}

#[cfg(feature = "smtp")]
fn smtp(url: &str, from: &str) -> Result<Arc<dyn Mailer>> {
    Ok(Arc::new(self::mail::smtp::Smtp::new(url, from)?))
}

#[cfg(not(feature = "smtp"))]
fn smtp(_: &str, _: &str) -> Result<Arc<dyn Mailer>> {
    Err(Error::Setup("`smtp` of `[accounts]` needs the feature `smtp` of crud-accounts: turn it on".to_owned()))
}

/// Whether the host of a URL is this machine.
fn is_loopback(url: &str) -> bool {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://")).unwrap_or_default();
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    ["localhost", "127.0.0.1", "[::1]"]
        .iter()
        .any(|here| host.strip_prefix(here).is_some_and(|port| port.is_empty() || port.starts_with(':')))
}

struct Shared(Arc<dyn Mailer>);

impl Mailer for Shared {
    fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Result<(), BoxError>> {
        self.0.send(mail)
    }
}

impl Plugin for Accounts {
    fn name(&self) -> &'static str {
        "accounts"
    }

    fn configure(&mut self, settings: &mut PluginSettings) -> Result<()> {
        self.configure_mailer(settings)?;
        let Self { invite_role, path, .. } = self;
        *invite_role = settings.text("invite_role")?.unwrap_or_else(|| std::mem::take(invite_role));
        *path = settings.text("path")?.unwrap_or_else(|| std::mem::take(path));
        self.public_url = settings.text("public_url")?.or(self.public_url.take());
        self.prints_mail = settings.flag("print_mail")?.unwrap_or(self.prints_mail);
        Ok(())
    }

    fn install(&self, service: Service) -> Result<Service> {
        self.templates.check()?;
        #[cfg(feature = "oidc")]
        self.make_clients()?;
        let mailer: Box<dyn Mailer> = match &self.mailer {
            Some(mailer) => Box::new(Shared(mailer.clone())),
            None => Box::new(Printer),
        };
        let public_url = OnceLock::new();
        if let Some(url) = &self.public_url {
            drop(public_url.set(url.trim_end_matches('/').to_owned()));
        }
        let state = AccountsState {
            mailer,
            templates: self.templates.clone(),
            roles: self.roles.clone(),
            invite_role: self.invite_role.clone(),
            factor_roles: self.factor_roles.clone(),
            path: self.path.clone(),
            public_url,
            title: OnceLock::new(),
        };
        #[cfg(feature = "oidc")]
        let service = if self.issuers.is_empty() { service } else { service.table::<oidc::identity::Identity>() };
        service
            .extension(state)
            .table::<ProvedAddress>()
            .table::<LetterToken>()
            .table::<Invitation>()
            .table::<SessionRecord>()
            .table::<Slot>()
            .table::<Factor>()
            .table::<RecoveryCode>()
            .table::<Challenge>()
            .extend(|options| options.session_observer(FactorGate).session_observer(SessionKeeper))
            .job::<SendLetter>()
            .schedule("17 * * * *", Sweep {})
    }

    fn routes(&self, model: &Model) -> Result<Routes> {
        let missing = || Error::Setup("accounts are of users: add `Service::auth` with a key".to_owned());
        let has = |path: &str| {
            let routes = model.access_table();
            routes.routes().iter().any(|route| route.method == "POST" && route.path == path)
        };
        let login = model.path("/auth/login").filter(|login| has(login)).ok_or_else(missing)?;
        let has_sessions = model.path("/auth/logout").is_some_and(|logout| has(&logout));
        let auth = login.strip_suffix("/login").unwrap_or("/auth");
        let routes = routes::all(auth, &self.invite_role, has_sessions);
        #[cfg(feature = "oidc")]
        let routes = routes.merge(self.issuer_routes(auth));
        Ok(match &self.pages {
            Some(pages) => routes.merge(pages.routes(&self.path, auth, model.title(), &self.buttons())),
            None => routes,
        })
    }

    fn ready<'a>(&'a self, service: &'a ServiceState) -> BoxFuture<'a, Result<()>> {
        let checked = || -> Result<()> {
            let state = service.app().extension::<AccountsState>()?;
            if let Some(url) = service.public_url() {
                state.public_url.get_or_init(|| url.to_owned());
            }
            state.title.get_or_init(|| service.model().title().to_owned());
            #[cfg(feature = "oidc")]
            self.clients.get().into_iter().flatten().for_each(|client| client.set_clock_of(service.app()));
            self.check(state)
        };
        Box::pin(ready(checked()))
    }
}
