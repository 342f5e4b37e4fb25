//! The page at `/` for browsers: what the service is, with links to its paths.

use super::escape;
use crate::http::openapi::Info;

/// A resource on the page: its path, and its description.
pub(crate) type Entry<'a> = (&'a str, &'a str);

/// The page of a service that is mounted under this path.
pub(super) fn page(info: &Info, mount: &str, resources: &[Entry<'_>]) -> String {
    let mount = escape(mount);
    let item = |(prefix, description): &Entry<'_>| {
        let path = format!("{mount}{}", escape(prefix));
        let first = description.lines().next().unwrap_or_default();
        format!("    <li><a href=\"{path}\">{path}</a><span>{}</span></li>\n", escape(first))
    };
    format!(
        include_str!("home.html"),
        title = escape(&info.title),
        description = escape(&info.description),
        resources = resources.iter().map(item).collect::<String>(),
        mount = mount,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_escaped() {
        let mut info = Info::new("<b>{description}", "1");
        info.description = "\"<script>\" & {title}".to_owned();
        let page = page(&info, "/\"api'", &[("/things", "<i>A thing.</i>\nMore.")]);
        assert!(page.contains("<h1>&lt;b&gt;{description}</h1>"), "{page}");
        assert!(page.contains("<p>&quot;&lt;script&gt;&quot; &amp; {title}</p>"), "{page}");
        assert!(page.contains("href=\"/&quot;api&#39;/things\""), "{page}");
        assert!(page.contains("<span>&lt;i&gt;A thing.&lt;/i&gt;</span>"), "{page}");
        assert!(!page.contains("<script") && !page.contains("More."), "{page}");
    }
}
