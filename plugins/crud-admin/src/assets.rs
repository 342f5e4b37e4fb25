//! The page's files, embedded in the program.

use std::sync::LazyLock;

use crud_runtime::routing::StaticFiles;

use crate::linker::{Module, linked};

macro_rules! embedded {
    ($($path:literal)+) => { &[$(($path, include_str!(concat!("../assets/", $path)))),+] };
}

/// The modules of the page.
pub(crate) const MODULES: &[Module] = embedded! {
    "api.js" "app.js" "file/bytes.js" "file/fact.js" "file/field.js" "file/send.js" "file/value.js" "file/words.js" "format.js" "home.js" "json.js" "live.js" "login.js" "lookup.js" "modules.js" "palette.js" "router.js" "schema.js"
    "shell.js" "theme.js"
    "list/bulk.js" "list/fields.js" "list/filters.js" "list/import.js" "list/list.js" "list/live.js" "list/operators.js" "list/pages.js"
    "list/summary.js" "list/table.js" "list/window.js"
    "record/children.js" "record/conflict.js" "record/form.js" "record/history.js" "record/inputs.js" "record/links.js" "record/live.js" "record/nested.js"
    "record/picker.js" "record/record.js" "record/save.js"
    "service/jobs.js" "service/keys.js" "service/log.js" "service/names.js" "service/user.js" "service/user_form.js" "service/users.js"
    "ui/hooks.js" "ui/icon.js" "ui/parts.js" "ui/title.js"
};

/// The other files.
const OTHERS: &[Module] = embedded! { "early.js" "icon.svg" "vendor/events.js" "vendor/preact.js" };

/// The files that all pages share, linked and compressed once in a process.
static FILES: LazyLock<StaticFiles> = LazyLock::new(|| {
    let files = StaticFiles::new().content_security_policy(StaticFiles::PAGE_POLICY);
    let files = OTHERS.iter().fold(files, |files, (path, text)| files.file(*path, *text));
    let style = tight(include_str!("../assets/style.css"));
    files.file("app.js", linked(MODULES, "app.js")).file("style.css", style)
});

/// The stylesheet without comments, which are on separate lines, and without spaces for readability.
fn tight(style: &str) -> String {
    let lines = style.lines().map(str::trim).filter(|line| !line.starts_with("/*"));
    let style: String = lines.collect();
    [(" { ", "{"), (" {", "{"), ("; }", "}"), (": ", ":"), ("; ", ";"), (", ", ",")]
        .iter()
        .fold(style, |style, (from, to)| style.replace(from, to))
}

/// Values in a page: its path, its title and the path of another sign-in page.
pub(crate) struct PageValues<'w> {
    pub(crate) path: &'w str,
    pub(crate) title: &'w str,
    /// The path of another page at which people sign in; empty for none.
    pub(crate) sign_in: &'w str,
}

/// The files of a page, with the program's modules.
pub(crate) fn files<'m>(words: &PageValues<'_>, modules: impl Iterator<Item = (String, &'m String)>) -> StaticFiles {
    let folder = words.path.rsplit('/').next().unwrap_or_default();
    let page = include_str!("../assets/page.html").replace("{folder}", folder).replace("{path}", words.path);
    let page = page.replace("{sign_in}", &escape(words.sign_in)).replace("{title}", &escape(words.title));
    let files = FILES.clone().index("text/html; charset=utf-8", page);
    modules.fold(files, |files, (name, text)| files.file(name, text.clone()))
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
    fn stylesheet_keeps_the_spaces_that_separate_selectors() {
        let style =
            "/* A note. */\ntd .thumb { margin: 0 1px; color: red; }\n@media (max-width: 1px) {\n  a { top: 0; }\n}\n";
        assert_eq!(tight(style), "td .thumb{margin:0 1px;color:red}@media (max-width:1px){a{top:0}}");
    }
}
