//! The pages for people: plain HTML, one script and one style.

use crud_runtime::routing::{CookieSession, Routes, StaticFiles};

/// Scripts, styles and requests are allowed for the service's own origin only, and no text becomes a script or markup.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src \
    'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types \
    'none'";

/// The pages, each with its path, title and content.
const PAGES: [(&str, &str, &str); 7] = [
    ("sign-in", "Sign in", include_str!("../../assets/pages/sign-in.html")),
    ("sign-up", "Sign up", include_str!("../../assets/pages/sign-up.html")),
    ("forgot", "Forgot the password?", include_str!("../../assets/pages/forgot.html")),
    ("verify", "Choose your password", include_str!("../../assets/pages/verify.html")),
    ("invitation", "You are invited", include_str!("../../assets/pages/invitation.html")),
    ("reset", "Choose a new password", include_str!("../../assets/pages/reset.html")),
    ("address", "Confirm your new address", include_str!("../../assets/pages/address.html")),
];

/// Parts that several pages share, by the placeholders that they replace.
const STEPS: [(&str, &str); 3] = [
    ("{factor}", include_str!("../../assets/pages/factor-steps.html")),
    ("{sent}", include_str!("../../assets/pages/sent.html")),
    ("{over}", include_str!("../../assets/pages/over.html")),
];

/// The stylesheet of the pages.
const STYLE: &str = include_str!("../../assets/account.css");

/// The options of the pages.
#[derive(Debug, Clone)]
pub(super) struct Pages {
    /// A stylesheet that replaces the crate's.
    pub(super) style: Option<String>,
    /// The page that a person sees after signing in.
    pub(super) home: String,
}

impl Pages {
    /// The routes of the pages, below `path`. The pages call the login routes, which are below `auth`.
    pub(super) fn routes(&self, path: &str, auth: &str, service: &str, issuers: &[(String, String)]) -> Routes {
        // URLs are relative, so that the pages work where the service is mounted below another path.
        let root = "../".repeat(path.matches('/').count());
        let auth = format!("{root}{}", auth.trim_start_matches('/'));
        let home = self.home.strip_prefix('/').map_or_else(|| self.home.clone(), |home| format!("{root}{home}"));
        let buttons: String = issuers.iter().map(|(alias, name)| button(&auth, alias, name)).collect();
        let style = self.style.clone().unwrap_or_else(|| STYLE.to_owned());
        let folder = files().file("account.css", style);
        let folder = folder.file("account.js", include_str!("../../assets/account.js"));
        let routes = Routes::new().files(path, folder).merge(CookieSession::routes(&format!("{path}/session")));
        PAGES.into_iter().fold(routes, |routes, (name, title, main)| {
            let main = STEPS.into_iter().fold(main.to_owned(), |main, (word, step)| main.replace(word, step));
            // Values are inserted last, so that placeholders in a value stay as they are.
            let page =
                include_str!("../../assets/page.html").replace("{main}", main.trim_end()).replace("{page}", name);
            let page = page.replace("{title}", title).replace("{auth}", &escape(&auth));
            let page = page
                .replace("{issuers}", &buttons)
                .replace("{home}", &escape(&home))
                .replace("{service}", &escape(service));
            routes.files(&format!("{path}/{name}"), files().index("text/html; charset=utf-8", page))
        })
    }
}

/// The button of an issuer.
fn button(auth: &str, alias: &str, name: &str) -> String {
    // Braces are escaped too, so that a name such as `{home}` is not filled in.
    let name = escape(name).replace('{', "&#123;").replace('}', "&#125;");
    format!(
        "      <p><a class=\"button\" href=\"{}/oidc/{}\">Sign in with {name}</a></p>\n",
        escape(auth),
        escape(alias)
    )
}

fn files() -> StaticFiles {
    StaticFiles::new().content_security_policy(CONTENT_SECURITY_POLICY)
}

/// Escapes text for HTML.
fn escape(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_has_no_inline_script_and_no_word_in_braces() {
        for (name, _, main) in PAGES {
            let main = STEPS.into_iter().fold(main.to_owned(), |main, (word, step)| main.replace(word, step));
            let main = main.replace("{issuers}", "");
            for inline in ["{", "<script", "style=", "onclick", "onload", "onsubmit", "javascript:"] {
                assert!(!main.contains(inline), "{name} has {inline}");
            }
        }
    }

    #[test]
    fn each_field_has_a_label_and_each_form_says_what_is_wrong() {
        for (name, _, main) in PAGES.into_iter().chain(STEPS.map(|(word, main)| (word, "", main))) {
            assert_eq!(main.matches("<input").count(), main.matches("<label").count(), "{name}");
            let forms = main.matches("<form>").count() - usize::from(main.contains("data-codes"));
            assert_eq!(forms, main.matches("role=\"alert\"").count(), "{name}");
        }
    }
}
