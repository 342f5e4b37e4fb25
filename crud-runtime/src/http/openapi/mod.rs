//! The OpenAPI 3.1 document of a service, and the Swagger UI that shows it.
//!
//! The files are named after the part of the document that they make.

mod access;
mod audit;
mod auth;
mod batch;
mod deletion;
#[cfg(feature = "docs")]
pub mod docs;
mod example;
mod name;
mod parameter;
mod path;
mod pattern;
mod problem;
mod request;
mod response;
mod rule;
mod sample;
mod schema;
mod service;
mod session;
mod wording;

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value, json};

use self::name::Names;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Operation};
use crate::storage::capabilities::Capabilities;
use crate::store::resource_options::ResourceOptions;

/// What the document's `info` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Info {
    /// What the service is called.
    pub title: String,
    /// The version of its interface.
    pub version: String,
    /// What it is for, in Markdown; empty for nothing.
    pub description: String,
}

/// What the document says of authentication, where a service has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Security {
    /// Whether the service issues tokens: `/auth/login` and `/auth/refresh`.
    pub login: bool,
    /// Whether it takes them back: `/auth/logout`.
    pub logout: bool,
    /// The role that reads the audit log of all resources.
    pub audit_role: Arc<str>,
}

/// The OpenAPI document of a service: written once, when the service starts.
///
/// Only where the service is mounted is not known by then: [`Document::json`] puts that in.
#[derive(Debug, Clone)]
pub struct Document {
    /// What stands before `servers`.
    head: String,
    /// What stands after it.
    tail: String,
}

/// A resource as the document speaks of it.
#[derive(Debug)]
struct Mounted<'a> {
    options: &'a ResourceOptions,
    names: Names,
    /// Whether its service has authentication.
    secured: bool,
    /// Whether its service has replicas.
    replicated: bool,
    /// Whether its service changes several records all together or not at all.
    transactions: bool,
}

impl Mounted<'_> {
    fn offers(&self, operation: Operation) -> bool {
        self.options.descriptor.offers(operation)
    }
}

impl Document {
    /// Writes the document of a service with these resources, and with authentication and replicas if it has those.
    /// `capabilities`: those of its storage.
    pub fn new(
        info: &Info,
        resources: &[ResourceOptions],
        security: Option<&Security>,
        replicated: bool,
        capabilities: Capabilities,
    ) -> Self {
        let secured = security.is_some();
        let names = name::assign(resources, secured);
        let mounted = resources.iter().zip(names);
        let transactions = capabilities.transactions;
        let mount = |(options, names)| Mounted { options, names, secured, replicated, transactions };
        let resources: Vec<_> = mounted.map(mount).collect();
        let head = json!({
            "openapi": "3.1.0",
            "info": self::info(info),
        });
        let mut tail = json!({
            "tags": tags(&resources, secured),
            "paths": paths(&resources, security),
            "components": {
                "schemas": schemas(&resources, security),
                "parameters": parameter::components(),
                "responses": response::components(secured),
                "headers": response::headers(secured),
            },
        });
        if secured {
            tail["components"]["securitySchemes"] = json!({ auth::SCHEME: auth::scheme() });
        }
        if replicated {
            session::add(&mut tail["components"]);
        }
        let (mut head, mut tail) = (head.to_string(), tail.to_string());
        head.pop();
        tail.remove(0);
        Self { head, tail }
    }

    /// The document as JSON, for a service that is mounted at this path: empty, or such as `/api`.
    pub fn json(&self, mount: &str) -> Bytes {
        let url = if mount.is_empty() { "/" } else { mount };
        let servers = json!([{ "url": url }]);
        format!("{},\"servers\":{servers},{}", self.head, self.tail).into()
    }
}

fn info(info: &Info) -> Value {
    let mut value = json!({ "title": info.title, "version": info.version });
    describe(&mut value, &info.description);
    value
}

/// Every tag once, described by the resources that it groups.
fn tags(resources: &[Mounted<'_>], secured: bool) -> Vec<Value> {
    let mut tags: Map<String, Value> = Map::new();
    for Mounted { options, .. } in resources {
        for tag in &options.tags {
            let value = tags.entry(tag).or_insert_with(|| json!({ "name": tag }));
            let said = value["description"].as_str().unwrap_or_default();
            let doc = options.descriptor.doc.trim();
            let description = [said, doc].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
            describe(value, &description);
        }
    }
    if audit::is_on(resources) {
        tags.entry(audit::TAG).or_insert_with(audit::tag);
    }
    if secured {
        tags.entry(auth::TAG).or_insert_with(auth::tag);
    }
    tags.entry(service::TAG).or_insert_with(service::tag);
    tags.into_iter().map(|(_, tag)| tag).collect()
}

fn paths(resources: &[Mounted<'_>], security: Option<&Security>) -> Map<String, Value> {
    let log = audit::path(resources, security);
    let auth = security.into_iter().flat_map(auth::paths);
    resources.iter().flat_map(path::of_resource).chain(log).chain(auth).chain(service::paths()).collect()
}

fn schemas(resources: &[Mounted<'_>], security: Option<&Security>) -> Map<String, Value> {
    let shared = problem::schemas(security.is_some()).into_iter().chain(service::schemas());
    let optional =
        deletion::schemas(resources).into_iter().chain(batch::schemas(resources)).chain(audit::schemas(resources));
    let optional = optional.chain(security.into_iter().flat_map(auth::schemas));
    let own = |resource| schema::of_resource(resource).into_iter().chain(batch::of_resource(resource));
    resources.iter().flat_map(own).chain(shared).chain(optional).collect()
}

/// Sets a description, if there is one.
fn describe(value: &mut Value, description: &str) {
    let description = description.trim();
    if let (false, Some(object)) = (description.is_empty(), value.as_object_mut()) {
        object.shift_remove("description");
        object.shift_insert(0, "description".to_owned(), description.into());
    }
}

/// The fields that the document tells of: it is for everybody, and so says nothing of those that some do not see.
fn shown(descriptor: &'static Descriptor) -> impl Iterator<Item = &'static ColumnDescriptor> {
    descriptor.columns.iter().filter(|column| column.visible.is_none())
}

/// A reference to a component, such as `schemas/Product`.
fn reference(component: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{component}/{name}") })
}
