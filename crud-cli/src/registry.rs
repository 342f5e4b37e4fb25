//! The files of a project's resources and tests, and the lines that register them.

use anyhow::{Context, Result};

use crate::{marks, names};

/// The file of the resources' registry.
pub(crate) const RESOURCES: &str = "src/resources/mod.rs";

pub(crate) const TESTS: &str = "tests/api.rs";

/// The registry with a resource and its module, which is an identifier.
pub(crate) fn register(registry: &str, module: &str, model: &str) -> Result<String> {
    let path = format!("{module}::{model}");
    let add = |text: &str, mark: &str, line: &str| {
        marks::add(text, mark, line).with_context(|| format!("cannot add `{line}` to `{RESOURCES}`"))
    };
    let registered = add(registry, "modules", &format!("pub mod {module};"))?;
    // The user may have replaced the registration, for example by one with options.
    if registered.contains(&format!("<{path}>")) {
        return Ok(registered);
    }
    add(&registered, "resources", &format!(".resource::<{path}>()"))
}

/// The models of each `<module::Model>` in the text.
pub(crate) fn registered(registry: &str) -> Vec<&str> {
    let paths = registry.split('<').skip(1).filter_map(|rest| rest.split_once('>')).map(|(path, _)| path);
    paths.filter_map(|path| path.rsplit_once("::")).map(|(_, model)| model).collect()
}

pub(crate) fn tests_of(model: &str) -> String {
    format!("tests/resources/{}.rs", names::snake(model))
}

pub(crate) fn resource_file(model: &str) -> String {
    format!("src/resources/{}.rs", names::snake(model))
}
