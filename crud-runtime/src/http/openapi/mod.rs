//! The OpenAPI document of a service, of versions 3.1 and 3.2, and the Swagger UI that shows it.
//!
//! Each file is named after the part of the document that it writes.

mod access;
mod audit;
pub(crate) mod collision;
mod definitions;
#[cfg(feature = "docs")]
pub mod docs;
pub(crate) mod document_version;
mod enumeration;
mod info;
mod operation_id;
mod own_route;
mod path;
mod paths;
mod problem;
pub(crate) mod program;
mod refusal;
mod search;
pub(crate) mod served_document;
mod service;
mod tag_tree;
#[cfg(feature = "utoipa")]
pub(crate) mod utoipa_model;
mod version;
pub(crate) mod writer;

use std::collections::HashSet;
use std::ops::Range;

use bytes::Bytes;
use serde_json::{Value, json};
#[cfg(feature = "utoipa")]
use utoipa::openapi::OpenApi;

use self::definitions::take_definitions;
pub use self::info::{Contact, Info, License};
pub(crate) use self::program::{DocsAccess, Program};
use self::refusal::Refusals;
#[cfg(feature = "utoipa")]
pub use self::utoipa_model::merge;
use self::writer::merge::try_merge;
use super::description::documented_resource::{DocumentedResource, ServiceFacts};
use super::description::json_schema::Schema;
use super::description::name::{BATCH_ERROR, PROBLEM};
use super::description::operation_doc::Path;
pub use super::description::security::Security;
pub use super::description::security_scheme::SecurityScheme;
use super::description::{auth, documented_type, problem as problem_schema, record_schema};
use crate::http::built_in;
use crate::http::limits::Limits;
use crate::http::service_paths::ServicePaths;
use crate::model::problem::Code;
use crate::storage::capabilities::Capabilities;
use crate::store::mounted::options::ResourceOptions;

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
    /// The document of OpenAPI 3.2.
    openapi: Value,
    /// The JSON of a service that is not mounted under a path.
    text: Bytes,
    /// The place of `servers` in the text.
    servers: Range<usize>,
    /// Names that two operations or schemas have, each as a sentence.
    collisions: Vec<String>,
}

/// The servers of a service that is not mounted under a path, as the JSON has them: no text value in the JSON has
/// unescaped quotes.
const SERVERS: &str = r#""servers":[{"url":"/"}]"#;

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
        let paths = ServicePaths::new();
        let program = Program {
            own_routes: &[],
            built_in: &built_in::routes(security, &paths, Vec::new(), None),
            docs_access: &DocsAccess::Public,
            paths: &paths,
            access: None,
            body_limit: Limits::default().body,
            problem_format: None,
            has_policies: false,
            default_access: None,
            tenant: None,
            list_headers: &[],
        };
        Self::of_program(info, resources, security, has_replicas, capabilities, program)
    }

    /// The document of [`new`](Self::new), with the program's additions.
    pub(crate) fn of_program(
        info: &Info,
        resources: &[ResourceOptions],
        security: Option<&Security>,
        has_replicas: bool,
        capabilities: Capabilities,
        program: Program<'_>,
    ) -> Self {
        let secured = security.is_some();
        let (default_access, list_headers) = (program.default_access, program.list_headers);
        let service = ServiceFacts { secured, default_access, has_replicas, capabilities, resources, list_headers };
        let offered = resources.iter().filter(|options| options.descriptor.is_offered());
        let documented: Vec<_> = offered.map(|options| DocumentedResource::new(options, service)).collect();
        let Program { body_limit, problem_format: format, .. } = program;
        let refusals = Refusals { resources: &documented, body_limit, format };
        let mut paths = paths::all(info, &documented, security, program);
        if let Some(table) = program.access {
            access::state(&mut paths, table);
        }
        access::restrict_service(&mut paths, security, program);
        let mut schemas = vec![(PROBLEM.to_owned(), problem_schema::schema(secured))];
        for resource in &documented {
            schemas.extend(record_schema::resource_schemas(resource, &documented));
            schemas.extend(search::resource_schemas(resource, resources));
        }
        if documented.iter().any(DocumentedResource::has_partial_batches) {
            let failed =
                problem_schema::part_error("A failed item of a batch.", "index", "The index of the item, from 0.");
            schemas.push((BATCH_ERROR.to_owned(), failed.example(refusals.item(1, Code::ValidationFailed))));
        }
        take_definitions(&mut paths, &mut schemas);
        without_inputs(&mut schemas, &documented);
        enumeration::share(&mut paths, &mut schemas, &documented);
        take_definitions(&mut paths, &mut schemas);
        let collisions = collision::written(&paths, &schemas);
        let tags = tag_tree::of(tags(&documented, &paths), &documented);
        let openapi = writer::write(info, &tags, &paths, &schemas, refusals, security);
        Self { collisions, ..Self::of(openapi) }
    }

    fn of(openapi: Value) -> Self {
        let text = version::of_3_1(openapi.clone()).to_string();
        let start = text.find(SERVERS).unwrap_or(text.len());
        let servers = start..text.len().min(start + SERVERS.len());
        Self { openapi, text: text.into(), servers, collisions: Vec::new() }
    }

    /// The document of OpenAPI 3.1 as JSON, for a service mounted under this path: empty, or such as `/api`.
    pub fn json(&self, mount: &str) -> Bytes {
        if mount.is_empty() {
            return self.text.clone();
        }
        let servers = format!("\"servers\":{}", json!([{ "url": mount }]));
        let (before, after) = (&self.text[..self.servers.start], &self.text[self.servers.end..]);
        [before, servers.as_bytes(), after].concat().into()
    }

    /// The document of OpenAPI 3.2 as JSON, for a service mounted under this path.
    pub(crate) fn json_3_2(&self, mount: &str) -> Bytes {
        version::of_3_2(self.openapi.clone(), mount).to_string().into()
    }

    /// Names that two operations or schemas have, each as a sentence.
    pub(crate) fn collisions(&self) -> &[String] {
        &self.collisions
    }

    /// The document with the paths, components and tags of another one.
    ///
    /// # Errors
    /// A sentence for each part that both documents have.
    pub(crate) fn merged(self, other: &Value) -> Result<Self, Vec<String>> {
        let mut openapi = self.openapi;
        try_merge(&mut openapi, other.clone())?;
        Ok(Self::of(openapi))
    }

    /// The document of OpenAPI 3.1.
    pub fn into_json(self) -> Value {
        version::of_3_1(self.openapi)
    }

    /// The document of OpenAPI 3.1 in utoipa's model.
    #[cfg(feature = "utoipa")]
    pub fn into_openapi(self) -> OpenApi {
        utoipa_model::document(self.into_json()).unwrap_or_default()
    }
}

/// The tags, each with the descriptions of its resources; the tag of sessions only if a path has it.
fn tags(resources: &[DocumentedResource<'_>], paths: &[Path]) -> Vec<(String, String)> {
    let mut tags: Vec<(String, Vec<&str>)> = Vec::new();
    for DocumentedResource { options, .. } in resources {
        let doc = Some(options.descriptor.doc.trim()).filter(|doc| !doc.is_empty());
        for tag in &options.tags {
            match tags.iter_mut().find(|(known, _)| known == tag) {
                Some((_, docs)) => docs.extend(doc),
                None => tags.push((tag.clone(), doc.into_iter().collect())),
            }
        }
    }
    let operations = paths.iter().flat_map(|path| &path.operations);
    let has_sessions = operations.flat_map(|(_, words)| &words.tags).any(|tag| tag == auth::TAG);
    let own = [
        (audit::TAG, audit::ABOUT, audit::is_audited(resources)),
        (auth::TAG, auth::ABOUT, has_sessions),
        (service::TAG, service::ABOUT, true),
    ];
    for (tag, description, _) in own.into_iter().filter(|(.., has)| *has) {
        if tags.iter().all(|(known, _)| known != tag) {
            tags.push((tag.to_owned(), vec![description]));
        }
    }
    tags.into_iter().map(|(tag, docs)| (tag, docs.join("\n\n"))).collect()
}

/// Removes the schemas of resources and inputs that come from handlers' types. The resources' own schemas, which also
/// have the service's limits, replace them.
fn without_inputs(schemas: &mut Vec<(String, Schema)>, resources: &[DocumentedResource<'_>]) {
    let by_types: Vec<_> =
        resources.iter().flat_map(|of| documented_type::of_resource(of.options.descriptor)).collect();
    let mut named = HashSet::new();
    schemas.retain(|schema| named.insert(schema.0.clone()) || !by_types.contains(schema));
}
