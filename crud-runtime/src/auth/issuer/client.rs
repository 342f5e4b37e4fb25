//! [`IssuerClient`]: a client of an issuer at which people log in.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Map, Value as Json};
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::discovery::{self, Configuration};
use super::fetch::Fetch;
use super::keys::IssuerKeys;
use super::trusted::verified;
use crate::auth::token::verification::invalid_token;
use crate::model::problem::{Code, Problem};
use crate::storage::error::{Error, Result};
use crate::store::app::App;

/// Age at which the configuration is fetched again.
const DUE: TimeDelta = TimeDelta::hours(1);

/// Limit of the time that a request waits for the configuration.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// Tolerated difference of the issuer's clock.
const LEEWAY: TimeDelta = TimeDelta::seconds(60);

/// A client of an issuer at which people log in (`OpenID` Connect Core 1.0): its endpoints, the exchange of a code, and
/// the verification of ID tokens by the issuer's keys. A plugin or a program builds the routes of a login with it.
///
/// Requests have the limits of those for an [`Issuer`](super::Issuer)'s keys: `https`, no redirects, 5 seconds, 1 MB.
///
/// ```no_run
/// use crud_runtime::auth::IssuerClient;
/// # async fn of(code: &str, verifier: &str, nonce: &str) -> Result<(), Box<dyn std::error::Error>> {
/// let client = IssuerClient::new("https://id.example/realms/shop", "shop")?;
/// let form = [("grant_type", "authorization_code"), ("code", code), ("code_verifier", verifier)];
/// let answer = client.redeem(&form, None).await?;
/// let claims = client.verify_id_token(answer["id_token"].as_str().unwrap_or_default(), nonce).await?;
/// println!("{} has logged in", claims["sub"]);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct IssuerClient(Arc<Parts>);

struct Parts {
    issuer: String,
    client_id: String,
    fetch: Fetch,
    keys: Arc<IssuerKeys>,
    /// The configuration, and when it was fetched.
    configuration: Mutex<Option<(Arc<Configuration>, DateTime<Utc>)>>,
}

impl fmt::Debug for IssuerClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IssuerClient").field("issuer", &self.0.issuer).finish_non_exhaustive()
    }
}

impl IssuerClient {
    /// The client with this id at the issuer with this URL.
    ///
    /// # Errors
    /// [`Error::Setup`] for a URL that is neither `https` nor on loopback.
    pub fn new(issuer: &str, client_id: &str) -> Result<Self> {
        Self::trusting(issuer, client_id, &[])
    }

    /// [`new`](Self::new), which trusts these certificate authorities in PEM beside those of Mozilla's list.
    ///
    /// # Errors
    /// Errors of [`new`](Self::new); [`Error::Setup`] for a text that has no certificate.
    pub fn trusting(issuer: &str, client_id: &str, root_certificates: &[String]) -> Result<Self> {
        discovery::configuration_url(issuer).map_err(|why| Error::Setup(format!("the issuer `{issuer}`: {why}")))?;
        Ok(Self(Arc::new(Parts {
            issuer: issuer.to_owned(),
            client_id: client_id.to_owned(),
            fetch: Fetch::new(root_certificates)?,
            keys: Arc::new(IssuerKeys::new(issuer, client_id, root_certificates)?),
            configuration: Mutex::default(),
        })))
    }

    /// Sets the clock of a service, which its tests set.
    pub fn set_clock_of(&self, app: &App) {
        self.0.keys.set_clock(app.clock().clone());
    }

    /// The URL of the issuer.
    pub fn issuer(&self) -> &str {
        &self.0.issuer
    }

    /// The id of the client.
    pub fn client_id(&self) -> &str {
        &self.0.client_id
    }

    /// The URL at which people log in, and whether the issuer names itself in its answers (RFC 9207).
    ///
    /// # Errors
    /// `unavailable` when the issuer does not answer, or answers with the configuration of another.
    pub async fn authorization_endpoint(&self) -> Result<(String, bool), Problem> {
        let configuration = self.configuration().await?;
        let endpoint = configuration.authorization_endpoint.clone().ok_or_else(unavailable)?;
        Ok((endpoint, configuration.authorization_response_iss_parameter_supported))
    }

    /// Sends a form to the issuer's token endpoint, with the client's id, and its secret if there is one. Returns the
    /// answer.
    ///
    /// # Errors
    /// `unavailable` when the issuer does not answer; `authentication_failed` where it refuses the form.
    pub async fn redeem(&self, form: &[(&str, &str)], secret: Option<&str>) -> Result<Json, Problem> {
        let configuration = self.configuration().await?;
        let endpoint = configuration.token_endpoint.as_deref().ok_or_else(unavailable)?;
        let mut form: HashMap<&str, &str> = form.iter().copied().collect();
        form.insert("client_id", &self.0.client_id);
        if let Some(secret) = secret {
            form.insert("client_secret", secret);
        }
        let url = discovery::endpoint(&self.0.issuer, endpoint).map_err(|error| reported(&error))?;
        let answer = self.0.fetch.post_form(&url, &form).await.map_err(|error| reported(&error))?;
        answer.ok_or_else(|| Problem::new(Code::AuthenticationFailed, "the issuer refuses the login: begin it again"))
    }

    /// The claims of an ID token of this login (`OpenID` Connect Core 1.0, section 3.1.3.7): signed by a key of the issuer, with
    /// its `iss`, the client's `aud`, the `nonce` of the request, and in time.
    ///
    /// # Errors
    /// `invalid_token`; `unavailable` when the issuer's keys cannot be fetched.
    pub async fn verify_id_token(&self, token: &str, nonce: &str) -> Result<Map<String, Json>, Problem> {
        let claims = verified(&self.0.keys, token).await?;
        let now = self.0.keys.now();
        let time = |name: &str| claims.get(name).and_then(Json::as_f64);
        #[allow(clippy::cast_precision_loss, reason = "seconds are small")]
        let (now, leeway) = (now.timestamp() as f64, LEEWAY.num_seconds() as f64);
        let is_in_time = time("exp").is_some_and(|exp| exp > now - leeway)
            && time("iat").is_some_and(|iat| iat <= now + leeway)
            && time("nbf").is_none_or(|nbf| nbf <= now + leeway);
        let has_nonce = !nonce.is_empty() && claims.get("nonce").and_then(Json::as_str) == Some(nonce);
        // A token for several audiences says who asked for it.
        let is_of_several = claims.get("aud").and_then(Json::as_array).is_some_and(|all| all.len() > 1);
        let party = claims.get("azp").and_then(Json::as_str);
        let is_of_client = party.map_or(!is_of_several, |party| party == self.0.client_id);
        let has_subject = claims.get("sub").and_then(Json::as_str).is_some_and(|sub| !sub.is_empty());
        if is_in_time && has_nonce && is_of_client && has_subject { Ok(claims) } else { Err(invalid_token()) }
    }

    async fn configuration(&self) -> Result<Arc<Configuration>, Problem> {
        // The wait for the fetch of another request counts too.
        let found = timeout(TIME_LIMIT, self.current_configuration()).await;
        found.unwrap_or_else(|_| Err(reported(&format!("no answer within {} s", TIME_LIMIT.as_secs()))))
    }

    async fn current_configuration(&self) -> Result<Arc<Configuration>, Problem> {
        let mut cached = self.0.configuration.lock().await;
        let now = self.0.keys.now();
        if let Some((configuration, _)) = cached.as_ref().filter(|(_, at)| now - *at < DUE) {
            return Ok(configuration.clone());
        }
        let fetched = discovery::configuration(&self.0.fetch, &self.0.issuer).await;
        let configuration = Arc::new(fetched.map_err(|error| reported(&error))?);
        *cached = Some((configuration.clone(), now));
        Ok(configuration)
    }
}

/// The problem for an issuer's mistake, which is logged.
fn reported(error: &str) -> Problem {
    tracing::warn!(error, "the issuer of a login");
    unavailable()
}

fn unavailable() -> Problem {
    Problem::new(Code::Unavailable, "the issuer of the login does not answer as it should; try again later")
}
