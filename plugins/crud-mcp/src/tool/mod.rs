//! The tools, each in its file.

mod act;
mod arguments;
mod create;
mod describe;
mod field;
mod filter;
mod get;
mod list;
mod outcome;
mod resources;
mod update;

use crud_runtime::ServedResource;
use crud_runtime::adapter::BoxFuture;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Records};
use serde_json::{Map, Value as Json, json};

use self::arguments::Arguments;
use crate::access::Visible;
use crate::agent::Agent;
use crate::endpoint::Endpoint;
use crate::fault::Fault;

/// A tool: its description for models, and its function.
pub(crate) struct Tool {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// Whether the tool changes records.
    writes: bool,
    /// Whether a second call with the same arguments has no further effect.
    is_idempotent: bool,
    /// The arguments, as the members of a JSON schema's `properties`.
    properties: fn() -> Json,
    required: &'static [&'static str],
    run: for<'c> fn(&'c Call<'c>, Arguments) -> BoxFuture<'c, Result<Json, Problem>>,
}

/// The tools, in the order in which a model would use them.
static TOOLS: [&Tool; 7] =
    [&resources::TOOL, &describe::TOOL, &list::TOOL, &get::TOOL, &create::TOOL, &update::TOOL, &act::TOOL];

/// The call of a tool.
pub(crate) struct Call<'c> {
    pub(crate) endpoint: &'c Endpoint,
    pub(crate) ctx: &'c Context,
    pub(crate) agent: Agent,
}

impl Call<'_> {
    /// Runs a tool. Errors of arguments and records become results too, which the model reads.
    pub(crate) async fn run(&self, tool: &Tool, arguments: Map<String, Json>) -> Json {
        let arguments = Arguments::of(tool, arguments);
        let answered = match arguments {
            Ok(arguments) => (tool.run)(self, arguments).await,
            Err(problem) => Err(problem),
        };
        match answered {
            Ok(content) => outcome::done(&content),
            Err(problem) => outcome::refused(problem).await,
        }
    }

    fn visible(&self) -> Visible<'_> {
        Visible::new(self.endpoint, self.ctx)
    }

    /// The resource that the arguments name, and its records with the user's access.
    fn records(&self, arguments: &mut Arguments) -> Result<(ServedResource<'_>, Records), Problem> {
        let resource = self.visible().find(&arguments.text("resource")?)?;
        let records = self.ctx.records(resource.prefix())?;
        Ok((resource, self.agent.records(self.ctx, records)))
    }
}

/// The answer to `tools/list`.
pub(crate) fn list(writes: bool) -> Json {
    let offered = TOOLS.iter().filter(|tool| writes || !tool.writes);
    json!({ "tools": offered.map(|tool| tool.described()).collect::<Vec<_>>() })
}

/// The tool with a name.
///
/// # Errors
/// An unknown name, or the name of a tool that is off.
pub(crate) fn find(name: &str, writes: bool) -> Result<&'static Tool, Fault> {
    match TOOLS.iter().find(|tool| tool.name == name) {
        Some(tool) if writes || !tool.writes => Ok(tool),
        Some(_) => Err(Fault::parameters(format!("the tool `{name}` is off: this service is read-only for agents"))),
        None => {
            let names: Vec<_> = TOOLS.iter().filter(|it| writes || !it.writes).map(|it| it.name).collect();
            let name = crate::budget::shortened(name, 80);
            Err(Fault::parameters(format!("no tool `{name}`: expected one of `{}`", names.join("`, `"))))
        }
    }
}

impl Tool {
    fn described(&self) -> Json {
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": (self.properties)(),
                "required": self.required,
                "additionalProperties": false,
            },
            "outputSchema": { "type": "object" },
            "annotations": {
                "title": self.title,
                "readOnlyHint": !self.writes,
                "destructiveHint": self.writes,
                "idempotentHint": self.is_idempotent,
                "openWorldHint": false,
            },
        })
    }
}

/// The schema of the argument that names a resource.
fn resource_schema() -> Json {
    json!({ "type": "string", "description": "Name of a resource, as `resources` returns it, such as `orders`." })
}

/// The schema of the argument that names a record.
fn id_schema() -> Json {
    json!({
        "type": ["string", "integer"],
        "description": "Key of the record: the value of its `key` field; several fields with commas between them.",
    })
}

/// The schema of the argument that chooses fields.
fn fields_schema() -> Json {
    json!({ "type": "array", "items": { "type": "string" }, "description": "Only these fields, to save context." })
}

/// The schema of the argument that includes related records.
fn expand_schema() -> Json {
    json!({
        "type": "array",
        "items": { "type": "string" },
        "description": "Related records to include, by their names in `expand` of `describe`.",
    })
}
