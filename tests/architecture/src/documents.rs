//! [`Page`]: a Markdown file as its readers use it: headings with their anchors, links, blocks of code.

use std::collections::BTreeMap;

/// A Markdown file.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// The anchors of its headings.
    pub(crate) anchors: Vec<String>,
    /// The targets of its links and images, in order.
    pub(crate) links: Vec<String>,
    /// The languages of its fenced blocks, such as `rust,no_run`.
    pub(crate) blocks: Vec<String>,
}

impl Page {
    /// Reads a file's text.
    pub(crate) fn of(text: &str) -> Self {
        let mut page = Self::default();
        let mut seen = BTreeMap::<String, usize>::new();
        let mut fence = None;
        for line in text.lines() {
            let start = line.trim_start();
            let marks = start.len() - start.trim_start_matches('`').len();
            match fence {
                Some(open) if marks >= open && start[marks..].trim().is_empty() => fence = None,
                Some(_) => {}
                None if marks >= 3 => {
                    fence = Some(marks);
                    page.blocks.push(start[marks..].trim().to_owned());
                }
                None => page.read_line(line, &mut seen),
            }
        }
        page
    }

    /// Whether the page has a block that `cargo test` compiles.
    pub(crate) fn has_rust(&self) -> bool {
        self.blocks.iter().any(|language| language.split(',').next() == Some("rust"))
    }

    fn read_line(&mut self, line: &str, seen: &mut BTreeMap<String, usize>) {
        let level = line.len() - line.trim_start_matches('#').len();
        if (1..=6).contains(&level) && line[level..].starts_with(' ') {
            let anchor = anchor(line[level..].trim());
            let count = seen.entry(anchor.clone()).or_default();
            self.anchors.push(if *count == 0 { anchor } else { format!("{anchor}-{count}") });
            *count += 1;
        }
        // Text in code has no links.
        let text: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        self.links.extend(targets.map(|(target, _)| target.to_owned()));
    }
}

/// The anchor of a heading, as mdBook and GitHub make it: lower case, spaces as `-`, without punctuation.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}
