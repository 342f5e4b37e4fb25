//! [`Log`]: the lines of a service's log on slow lists and on the indexes of plans.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};

use serde_json::{Map, Value};

/// The lines of a service's log on slow lists and on the indexes of plans.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// The time of the first start of the service in the log.
    pub(super) start: Option<String>,
    /// The indexes that plans used.
    pub(super) used: BTreeSet<String>,
    /// Whether the service met more statements than it records the indexes of.
    pub(super) is_cut: bool,
    slow: BTreeMap<(String, String, String), SlowList>,
}

/// A kind of list that took long.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SlowList {
    pub(super) resource: String,
    pub(super) filter: String,
    pub(super) sort: String,
    /// The number of the list's lines in the log, at most one a minute for each process.
    pub(super) lines: u64,
    /// The longest time, in milliseconds.
    pub(super) ms: u64,
    /// The database's plan at that time.
    pub(super) plan: String,
    /// The attribute of the index that serves the list, or an empty text.
    pub(super) index: String,
}

impl Log {
    /// Reads a log to its end. Lines of other programs are skipped.
    pub(super) fn read(mut log: impl BufRead) -> io::Result<Self> {
        let mut read = Self::default();
        let mut line = Vec::new();
        while log.read_until(b'\n', &mut line)? > 0 {
            if let Some(line) = Line::parse(&String::from_utf8_lossy(&line)) {
                read.take(line);
            }
            line.clear();
        }
        Ok(read)
    }

    /// The lists, the slowest first.
    pub(super) fn slow_lists(&self) -> Vec<&SlowList> {
        let mut lists: Vec<&SlowList> = self.slow.values().collect();
        lists.sort_by_key(|list| std::cmp::Reverse(list.ms));
        lists
    }

    fn take(&mut self, mut line: Line) {
        let message = line.text("message");
        match (line.module.as_str(), message.as_str()) {
            (_, message) if message.starts_with("listening on ") => {
                self.start.get_or_insert(line.time);
            }
            ("index_use", "index used") => drop(self.used.insert(line.text("index"))),
            ("index_use", _) => self.is_cut = true,
            ("slow_statement", _) => {
                let (resource, filter, sort) = (line.text("resource"), line.text("filter"), line.text("sort"));
                let kind = (resource.clone(), filter.clone(), sort.clone());
                let list =
                    self.slow.entry(kind).or_insert_with(|| SlowList { resource, filter, sort, ..Default::default() });
                list.lines += 1;
                let ms = line.text("ms").parse().unwrap_or(0);
                if ms >= list.ms {
                    (list.ms, list.plan) = (ms, line.text("plan"));
                }
                // A line without an index does not count: its plan may use an index for that request's values alone.
                let index = line.text("index");
                if !index.is_empty() {
                    list.index = index;
                }
            }
            _ => {}
        }
    }
}

/// A line of the service's log.
#[derive(Debug)]
struct Line {
    time: String,
    /// The part of the line's target after `crud_runtime::`.
    module: String,
    /// The fields, including the message.
    fields: Map<String, Value>,
}

/// The beginning of the target of each line that is the service's own.
const TARGET: &str = "crud_runtime::";

/// Texts of the lines that are read. Most lines of a log have none of them.
const MARKS: [&str; 3] = ["crud_runtime::slow_statement", "crud_runtime::index_use", "listening on "];

impl Line {
    /// Parses a line as text or as JSON, whatever a container's runtime has written before it.
    fn parse(line: &str) -> Option<Self> {
        if !MARKS.iter().any(|mark| line.contains(mark)) {
            return None;
        }
        let object = line.find('{').and_then(|start| serde_json::from_str(line[start..].trim()).ok());
        match object {
            Some(object) => Self::of_json(object),
            None => Self::of_text(line),
        }
    }

    fn of_json(mut line: Map<String, Value>) -> Option<Self> {
        let text = |value: Option<Value>| value.and_then(|value| value.as_str().map(str::to_owned));
        let module = text(line.remove("target"))?.strip_prefix(TARGET)?.to_owned();
        let time = text(line.remove("timestamp")).unwrap_or_default();
        let fields = match line.remove("fields") {
            Some(Value::Object(fields)) => fields,
            _ => line,
        };
        Some(Self { time, module, fields })
    }

    /// Parses `2026-01-31T12:00:00Z  WARN crud_runtime::slow_statement: slow statement resource="Product" ms=118`.
    fn of_text(line: &str) -> Option<Self> {
        let line = without_colours(line);
        let (before, rest) = line.split_once(TARGET)?;
        let (module, rest) = rest.split_once(": ")?;
        let time = before.split_whitespace().find(|word| word.len() >= 20 && word.as_bytes()[10] == b'T');
        let mut fields = Map::new();
        let mut rest = rest.trim_end();
        let message = match rest.find('=') {
            Some(equals) => rest[..equals].rfind(' ').map_or("", |end| &rest[..end]),
            None => rest,
        };
        rest = &rest[message.len()..];
        fields.insert("message".to_owned(), message.into());
        while let Some((name, value)) = rest.trim_start().split_once('=') {
            let (value, remaining) = value_of_text(value);
            fields.insert(name.to_owned(), value.into());
            rest = remaining;
        }
        Some(Self { time: time.unwrap_or_default().to_owned(), module: module.to_owned(), fields })
    }

    /// A field, or an empty text, without what a terminal would take for commands.
    fn text(&mut self, name: &str) -> String {
        let text = match self.fields.remove(name) {
            Some(Value::String(text)) => text,
            Some(value) => value.to_string(),
            None => String::new(),
        };
        text.chars().filter(|c| !c.is_control()).collect()
    }
}

/// The value at the beginning of a text, and what is after it: a word, or a text in quotes.
fn value_of_text(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(' ').unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };
    let (mut value, mut is_escaped) = (String::new(), false);
    for (at, c) in quoted.char_indices() {
        match c {
            '"' if !is_escaped => return (value, &quoted[at + 1..]),
            '\\' if !is_escaped => is_escaped = true,
            c => {
                value.push(c);
                is_escaped = false;
            }
        }
    }
    (value, "")
}

/// A text without the colours of a terminal, such as `\x1b[32m`.
fn without_colours(line: &str) -> String {
    let mut parts = line.split('\x1b');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or("", |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = concat!(
        "2026-01-31T12:00:00.1Z  INFO crud_runtime::http::server::serve: listening on http://127.0.0.1:80\n",
        "2026-01-31T12:00:01.1Z  WARN crud_runtime::slow_statement: slow statement resource=\"Product\" ",
        "filter=\"a = ? and \\\"b\\\" > ?\" sort=\"-b\" ms=118 plan=\"sorts every match\" index=\"index(a, b)\"\n",
        "web-1 | 2026-01-31T12:01:02.1Z \x1b[33m WARN\x1b[0m request{path=/x}: crud_runtime::slow_statement: slow statement ",
        "resource=\"Product\" filter=\"a = ? and \\\"b\\\" > ?\" sort=\"-b\" ms=90 plan=\"along an index\" index=\"\"\n",
        "2026-01-31T12:02:00.1Z  INFO crud_runtime::index_use: index used index=\"ix_products__a\"\n",
        "another program's line with crud_runtime::nothing\n",
    );

    const JSON: &str = concat!(
        r#"{"timestamp":"2026-01-31T12:00:00.1Z","level":"INFO","message":"listening on http://127.0.0.1:80","target":"crud_runtime::http::server::serve"}"#,
        "\n",
        r#"web-1 | {"timestamp":"2026-01-31T12:00:01.1Z","message":"slow statement","resource":"Product","filter":"a = ? and \"b\" > ?","sort":"-b","ms":118,"plan":"sorts every match","index":"index(a, b)","target":"crud_runtime::slow_statement"}"#,
        "\n",
        r#"{"fields":{"message":"slow statement","resource":"Product","filter":"a = ? and \"b\" > ?","sort":"-b","ms":90,"plan":"along an index","index":""},"target":"crud_runtime::slow_statement"}"#,
        "\n",
        r#"{"message":"index used","index":"ix_products__a","target":"crud_runtime::index_use"}"#,
        "\n{ crud_runtime:: is no JSON\n",
    );

    #[test]
    fn text_and_json_say_the_same() {
        for text in [TEXT, JSON] {
            let log = Log::read(text.as_bytes()).unwrap();
            assert_eq!(log.start.as_deref(), Some("2026-01-31T12:00:00.1Z"));
            assert_eq!(log.used.iter().collect::<Vec<_>>(), ["ix_products__a"]);
            assert!(!log.is_cut);
            let expected = SlowList {
                resource: "Product".to_owned(),
                filter: "a = ? and \"b\" > ?".to_owned(),
                sort: "-b".to_owned(),
                lines: 2,
                ms: 118,
                plan: "sorts every match".to_owned(),
                index: "index(a, b)".to_owned(),
            };
            assert_eq!(log.slow_lists(), [&expected], "{text}");
        }
    }

    #[test]
    fn other_lines_are_passed_over() {
        for line in [
            "",
            "crud_runtime::",
            "crud_runtime::slow_statement",
            "\x1b[crud_runtime::x: =",
            "{\"target\":1}",
            "\u{e9}crud_runtime::a: b=\"c\\",
        ] {
            let log = Log::read(line.as_bytes()).unwrap();
            assert!(log.start.is_none() && log.used.is_empty() && log.slow.is_empty(), "{line:?}");
        }
    }
}
