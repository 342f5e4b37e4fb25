//! The parts that `crud add` adds.

use std::fmt::Write;

/// A part of a project.
pub(crate) struct Part {
    pub(crate) name: &'static str,
    /// A sentence for the help.
    pub(crate) about: &'static str,
    /// The feature of crud-runtime that the part needs.
    pub(crate) feature: Option<&'static str>,
    /// The configuration key that the part sets where it is not set, and its value.
    pub(crate) setting: Option<(&'static str, &'static str)>,
}

impl Part {
    const fn feature(name: &'static str, about: &'static str) -> Self {
        Self { name, about, feature: Some(name), setting: None }
    }
}

/// The parts, in the order of the help.
pub(crate) const PARTS: &[Part] = &[
    Part { feature: None, ..Part::feature("auth", "access tokens: clients log in, and tests too") },
    Part { feature: None, ..Part::feature("admin", "an admin page at /admin") },
    Part { feature: None, ..Part::feature("events", "live events of audited resources, by streams") },
    Part { feature: None, ..Part::feature("files", "fields that hold files, in the directory files") },
    Part { feature: None, ..Part::feature("mcp", "records for agents at /mcp, read-only") },
    Part::feature("jobs", "durable jobs and schedules, with an example in src/jobs.rs"),
    Part {
        setting: Some(("metrics", "127.0.0.1:9000")),
        ..Part::feature("metrics", "metrics for Prometheus, on a separate address")
    },
    Part { setting: Some(("compression", "true")), ..Part::feature("compression", "responses compressed with gzip") },
    Part { feature: None, ..Part::feature("docker", "Dockerfile and .dockerignore") },
    Part::feature("postgres", "replaces the project's database by PostgreSQL"),
    Part::feature("mysql", "replaces the project's database by MySQL or MariaDB"),
    Part::feature("mongodb", "replaces the project's database by MongoDB"),
    Part::feature("migrations", "the commands of `crud migrate`"),
    Part { feature: None, ..Part::feature("testing", "tests without a socket, as any principal, at any time") },
    Part::feature("multipart", "own routes that take files of HTML forms"),
    Part::feature("time-zones", "aggregates by the days, weeks and months of a time zone"),
    Part::feature("json-patch", "updates by JSON Patch (RFC 6902)"),
    Part::feature("utoipa", "types and documents that the program writes with utoipa"),
    Part::feature("auth-asymmetric", "tokens of key pairs: RS256, ES256, EdDSA"),
    Part::feature("auth-issuers", "tokens of other issuers, by their URLs"),
    Part::feature("sqlite", "SQLite, where the default features are off"),
    Part::feature("sqlite-pool", "a service on the program's own pool of sqlx"),
];

/// The names that the command takes.
pub(crate) fn names() -> Vec<&'static str> {
    PARTS.iter().map(|part| part.name).collect()
}

/// The part that adds a feature of crud-runtime.
pub(crate) fn of_feature(feature: &str) -> Option<&'static str> {
    PARTS.iter().find(|part| part.name == feature).map(|part| part.name)
}

/// The list of the parts.
pub(crate) fn help() -> String {
    let mut text = "Parts:\n".to_owned();
    for Part { name, about, .. } in PARTS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name:<16} {about}");
    }
    text + "\nYour edits stay. Where you have edited the lines that a part changes, the change is printed for you to make."
}
