//! The OpenAPI 3.1 document of a service, and the Swagger UI that shows it.
//!
//! Each file is named after the part of the document that it writes.

mod access;
mod action;
pub(crate) mod audit;
mod auth;
pub(crate) mod batch;
pub(crate) mod deletion;
#[cfg(feature = "docs")]
pub mod docs;
pub(crate) mod documented_column;
pub(crate) mod documented_resource;
mod enumeration;
pub(crate) mod example;
mod idempotency;
pub(crate) mod import;
mod info;
#[cfg(feature = "jobs")]
mod jobs;
pub(crate) mod json_schema;
pub(crate) mod link;
mod merge;
pub(crate) mod name;
pub(crate) mod parameter;
mod path;
mod pattern;
mod problem;
pub(crate) mod refusal;
pub(crate) mod relation;
mod response;
mod rule;
mod sample;
pub(crate) mod schema;
mod search;
mod service;
mod session_token;
#[doc(hidden)]
pub mod to_schema;
pub(crate) mod transition;
#[cfg(feature = "auth")]
mod users;
pub(crate) mod wording;
pub(crate) mod words;
mod writer;
pub(crate) mod written_schema;

use std::ops::Range;
use std::sync::Arc;

use axum::http::Method;
use bytes::Bytes;
use serde_json::json;
use utoipa::openapi::OpenApi;

use self::documented_resource::DocumentedResource;
use self::example::Examples;
pub use self::info::{Contact, Info, License};
use self::json_schema::Schema;
pub use self::merge::merge;
use self::name::Reserved;
use self::refusal::Refusals;
use self::response::ProblemAnswers;
use self::words::{Path, Words};
use self::writer::Parts;
use crate::http::access_table::AccessTable;
use crate::http::action::MountedAction;
use crate::http::docs_access::DocsAccess;
use crate::http::operation;
use crate::http::problem_format::ProblemFormat;
use crate::http::state::Limits;
use crate::model::descriptor::{Descriptor, OnDelete};
use crate::storage::capabilities::Capabilities;
use crate::store::resource_options::ResourceOptions;

/// The authentication that the document describes, where a service has it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Security {
    /// Whether the service issues tokens: `/auth/login` and `/auth/refresh`.
    pub login: bool,
    /// Whether users change their passwords: `/auth/password`.
    pub password: bool,
    /// Whether it revokes tokens: `/auth/logout`.
    pub logout: bool,
    /// The role that may read the audit log of all resources.
    pub audit_role: Arc<str>,
    /// The role that may manage users over HTTP: `/auth/users`, if there is one.
    pub users_role: Option<Arc<str>>,
    /// The scheme of the `Authorization` header: `Bearer`, unless clients send another one.
    pub scheme: Arc<str>,
    /// The lifetime of an access token, in seconds.
    pub access_lifetime: u64,
}

impl Security {
    /// Authentication by tokens that the service neither issues nor revokes.
    pub fn new(audit_role: impl Into<Arc<str>>) -> Self {
        Self {
            login: false,
            password: false,
            logout: false,
            audit_role: audit_role.into(),
            users_role: None,
            scheme: "Bearer".into(),
            access_lifetime: 900,
        }
    }
}

/// The program's additions to the document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Program<'a> {
    /// Its own routes.
    pub(crate) actions: &'a [MountedAction],
    /// The access that the document's own routes need.
    pub(crate) docs_access: &'a DocsAccess,
    /// The access that each route needs.
    pub(crate) access: Option<&'a AccessTable>,
    /// The largest body, in bytes.
    pub(crate) body_limit: usize,
    /// The format of errors, if it is not the problem document.
    pub(crate) problem_format: Option<&'a ProblemFormat>,
    /// Whether the service has jobs.
    #[cfg(feature = "jobs")]
    pub(crate) has_jobs: bool,
}

impl Default for Program<'_> {
    fn default() -> Self {
        Self {
            actions: &[],
            docs_access: &DocsAccess::Public,
            access: None,
            body_limit: Limits::default().body,
            problem_format: None,
            #[cfg(feature = "jobs")]
            has_jobs: false,
        }
    }
}

/// The OpenAPI document of a service.
///
/// The path that the service is mounted under is known only with a request: [`Document::json`] inserts it.
///
/// ```
/// use crud_runtime::adapter::Capabilities;
/// use crud_runtime::openapi::{Document, Info};
///
/// let document = Document::new(&Info::new("Shop", "1.2.0"), &[], None, false, Capabilities::new().with_transactions());
/// let json = String::from_utf8(document.json("/api").to_vec())?;
/// assert!(json.contains(r#""servers":[{"url":"/api"}]"#));
/// # Ok::<(), std::string::FromUtf8Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Document {
    openapi: OpenApi,
    /// The JSON of a service that is not mounted under a path.
    text: Bytes,
    /// The place of `servers` in the text.
    servers: Range<usize>,
}

/// The servers of a service that is not mounted under a path, as the JSON has them: no text in it has these quotes.
const SERVERS: &str = r#""servers":[{"url":"/"}]"#;

/// Whether records of the service keep those of this resource that they refer to: also by way of records that would be
/// deleted with them.
fn is_kept(descriptor: &'static Descriptor, resources: &[ResourceOptions]) -> bool {
    let columns = resources.iter().flat_map(|resource| resource.descriptor.columns);
    let mut references = columns.filter_map(|column| column.references);
    references
        .any(|reference| std::ptr::eq((reference.target)(), descriptor) && reference.on_delete != OnDelete::SetNull)
}

impl Document {
    /// Writes the document of a service with these resources.
    ///
    /// `security` describes authentication, where the service has it; `has_replicas` adds the session token;
    /// `capabilities` are those of its storage.
    pub fn new(
        info: &Info,
        resources: &[ResourceOptions],
        security: Option<&Security>,
        has_replicas: bool,
        capabilities: Capabilities,
    ) -> Self {
        Self::of_program(info, resources, security, has_replicas, capabilities, Program::default())
    }

    /// [`new`](Self::new), with what the program adds.
    pub(crate) fn of_program(
        info: &Info,
        resources: &[ResourceOptions],
        security: Option<&Security>,
        has_replicas: bool,
        capabilities: Capabilities,
        program: Program<'_>,
    ) -> Self {
        let secured = security.is_some();
        let names = name::assign(resources, &reserved(secured));
        let documented = resources.iter().zip(names).filter(|(options, _)| options.descriptor.is_offered());
        let Capabilities { transactions, subqueries, .. } = capabilities;
        let documented = documented.map(|(options, names)| {
            let is_kept = is_kept(options.descriptor, resources);
            let examples = Examples::new(options.descriptor);
            let descriptor = options.descriptor;
            let has_relations = !descriptor.children.is_empty()
                || !descriptor.sort_paths.is_empty()
                || relation::relations(descriptor).next().is_some();
            let relations = subqueries || !has_relations;
            DocumentedResource { options, names, examples, secured, has_replicas, transactions, relations, is_kept }
        });
        let resources: Vec<_> = documented.collect();
        let refusals = Refusals { resources: &resources, body_limit: program.body_limit };
        let mut paths = paths(&resources, security, program);
        if let Some(table) = program.access {
            access::state(&mut paths, table);
        }
        let mut schemas = schemas(info, &resources, program, security, &refusals);
        enumeration::share(&mut paths, &mut schemas, &resources);
        let (mut parameters, mut headers) = (parameter::components(), response::headers(secured));
        let keys = idempotency::parameters(&resources);
        headers.extend((!keys.is_empty()).then(idempotency::header));
        parameters.extend(keys);
        if has_replicas {
            parameters.push(session_token::parameter());
            headers.push(session_token::header());
        }
        Self::of(writer::write(Parts {
            info,
            tags: tags(&resources, secured),
            paths,
            schemas,
            parameters,
            headers,
            problems: ProblemAnswers { refusals, format: program.problem_format },
            scheme: security.map(|security| &*security.scheme),
        }))
    }

    fn of(openapi: OpenApi) -> Self {
        let text = serde_json::to_string(&openapi).unwrap_or_default();
        let start = text.find(SERVERS).unwrap_or(text.len());
        let servers = start..text.len().min(start + SERVERS.len());
        Self { openapi, text: text.into(), servers }
    }

    /// The document as JSON, for a service mounted under this path: empty, or such as `/api`.
    pub fn json(&self, mount: &str) -> Bytes {
        if mount.is_empty() {
            return self.text.clone();
        }
        let servers = format!("\"servers\":{}", json!([{ "url": mount }]));
        let (before, after) = (&self.text[..self.servers.start], &self.text[self.servers.end..]);
        [before, servers.as_bytes(), after].concat().into()
    }

    /// The document with the paths, components and tags of another one.
    ///
    /// # Errors
    /// Errors of [`merge`].
    pub(crate) fn merged(self, other: &OpenApi) -> Result<Self, Vec<String>> {
        let mut openapi = self.openapi;
        merge(&mut openapi, other.clone())?;
        Ok(Self::of(openapi))
    }

    /// The document in utoipa's model.
    pub fn into_openapi(self) -> OpenApi {
        self.openapi
    }
}

/// The tags, each with the descriptions of its resources.
fn tags(resources: &[DocumentedResource<'_>], secured: bool) -> Vec<(String, String)> {
    let mut tags: Vec<(String, String)> = Vec::new();
    for DocumentedResource { options, .. } in resources {
        for tag in &options.tags {
            let doc = options.descriptor.doc.trim();
            match tags.iter_mut().find(|(known, _)| known == tag) {
                Some((_, description)) if !description.is_empty() && !doc.is_empty() => {
                    description.push_str("\n\n");
                    description.push_str(doc);
                }
                Some((_, description)) => description.push_str(doc),
                None => tags.push((tag.clone(), doc.to_owned())),
            }
        }
    }
    let own = [
        (audit::TAG, audit::ABOUT, audit::is_audited(resources)),
        (auth::TAG, auth::ABOUT, secured),
        (service::TAG, service::ABOUT, true),
    ];
    for (tag, description, _) in own.into_iter().filter(|(.., has)| *has) {
        if tags.iter().all(|(known, _)| known != tag) {
            tags.push((tag.to_owned(), description.to_owned()));
        }
    }
    tags
}

fn paths(resources: &[DocumentedResource<'_>], security: Option<&Security>, program: Program<'_>) -> Vec<Path> {
    let Program { actions, docs_access, .. } = program;
    let of_resource = |resource| path::resource_paths(resource, resources, actions);
    let mut paths: Vec<Path> = resources.iter().flat_map(of_resource).collect();
    for own in action::paths(resources, actions, security.is_some()) {
        match paths.iter_mut().find(|path| path.template == own.template) {
            Some(path) => path.operations.extend(own.operations),
            None => paths.push(own),
        }
    }
    paths.extend(audit::path(resources, security));
    #[cfg(feature = "jobs")]
    paths.extend(program.has_jobs.then(|| jobs::path(resources, security)));
    paths.extend(security.into_iter().flat_map(auth::paths));
    #[cfg(feature = "auth")]
    paths.extend(security.into_iter().flat_map(users::paths));
    let has_page = cfg!(feature = "docs") && *docs_access == DocsAccess::Public;
    let service = service::paths(has_page).into_iter().chain(docs_paths(docs_access, security.is_some()));
    paths.extend(service.map(|(template, words)| Path::of(template, Method::GET, words)));
    paths
}

/// The names of the document that are no resource's.
fn reserved(secured: bool) -> Reserved {
    let [auth_schemas, auth_operations]: [&[&str]; 2] =
        if secured { [&auth::SCHEMAS, &auth::OPERATIONS] } else { [&[], &[]] };
    let schemas = [&problem::SCHEMAS[..], &service::SCHEMAS, &batch::SCHEMAS, &import::SCHEMAS];
    Reserved {
        schemas: [&schemas.concat(), &deletion::SCHEMAS[..], &audit::SCHEMAS, auth_schemas].concat(),
        operations: [&service::OPERATIONS[..], auth_operations].concat(),
        routes: operation::routes().iter().map(|route| &*route.id).collect(),
    }
}

/// The paths of the document and its page, with the access that they need.
fn docs_paths(access: &DocsAccess, secured: bool) -> Vec<(&'static str, Words)> {
    let mut paths = vec![service::document_path()];
    #[cfg(feature = "docs")]
    paths.extend(docs::paths());
    match access {
        DocsAccess::Off => paths.clear(),
        DocsAccess::Role(role) if secured => {
            let requirement = [format!("the role `{role}`")];
            for (_, words) in &mut paths {
                access::secure(words, &requirement);
            }
        }
        DocsAccess::Public | DocsAccess::Role(_) => {}
    }
    paths
}

fn schemas(
    info: &Info,
    resources: &[DocumentedResource<'_>],
    program: Program<'_>,
    security: Option<&Security>,
    refusals: &Refusals<'_>,
) -> Vec<(String, Schema)> {
    let has_docs = cfg!(feature = "docs") && *program.docs_access != DocsAccess::Off;
    let shared = problem::schemas(security.is_some()).into_iter();
    let shared = shared.chain(service::schemas(info, resources, has_docs));
    let batches = batch::schemas(resources, refusals);
    let optional = deletion::schemas(resources).into_iter().chain(batches);
    let optional = optional.chain(import::schemas(resources)).chain(audit::schemas(resources));
    let optional = optional.chain(security.into_iter().flat_map(auth::schemas));
    #[cfg(feature = "auth")]
    let optional = optional.chain(security.into_iter().flat_map(users::schemas));
    let own = |resource| {
        schema::resource_schemas(resource, resources)
            .into_iter()
            .chain(search::resource_schemas(resource))
            .chain(batch::resource_schemas(resource))
    };
    resources.iter().flat_map(own).chain(action::schemas(program.actions)).chain(shared).chain(optional).collect()
}
