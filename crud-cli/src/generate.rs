//! `crud generate`: a resource, registered at the marks that `crud init` wrote.

use anyhow::{Context, Result, bail};
use crud_shared::spelling;

use crate::changes::Changes;
use crate::cli;
use crate::model::{Model, Selection};
use crate::names;
use crate::output::{self, STRONG};
use crate::project::Project;
use crate::prompt::option_or_ask;
use crate::{field, marks, render, tests_file};

const RESOURCES: &str = "src/resources/mod.rs";
const TESTS: &str = "tests/api.rs";

/// Runs the command.
pub(crate) fn run(options: &cli::Generate) -> Result<()> {
    let project = Project::find()?;
    let model = model(options)?;
    let mut changes = Changes::new(project.root());
    resource(&model, &mut changes)?;
    let untested = tests(&model, &mut changes)?;
    let (name, plural) = (&model.name, names::plural(&model.name));
    let file = resource_file(&model.name);
    if options.dry_run {
        return output::print(&changes.diff());
    }
    let said = if changes.is_empty() {
        format!("{STRONG}{name}{STRONG:#} exists already: nothing changed.\n")
    } else {
        format!("{STRONG}{name}{STRONG:#} generated in {file}, served at /{plural}.\n")
    };
    changes.apply()?;
    output::print(&said)?;
    untested.map_or(Ok(()), |reason| output::print(&format!("No test was generated for it: {reason}.\n")))
}

/// The model of the options, or of the answers to questions in their place.
fn model(options: &cli::Generate) -> Result<Model> {
    let name = option_or_ask(options.model.as_deref(), "--model", "Model name", names::model)?;
    let fields = option_or_ask(options.fields.as_deref(), "--fields", "Fields (comma-separated)", field::parse)?;
    let mut model = Model { name, fields, features: options.features, filter: None, sort: None };
    let select = |option: &str, names: Option<&Vec<String>>| names.map(|names| model.select(option, names)).transpose();
    let (filter, sort) = (select("--filter", options.filter.as_ref())?, select("--sort", options.sort.as_ref())?);
    // An order needs an index: `--sort` alone takes the fields that have one already.
    let sort = match (sort, &filter) {
        (Some(Selection::All), Some(filter)) => Some(filter.clone()),
        (Some(Selection::All), None) => bail!(
            "`--sort` alone means the fields of `--filter`, which is not there: name fields, as in `--sort title`; each gets \
             an index"
        ),
        (sort, _) => sort,
    };
    (model.filter, model.sort) = (filter, sort);
    model.check()?;
    Ok(model)
}

fn resource_file(model: &str) -> String {
    format!("src/resources/{}.rs", names::snake(model))
}

/// Adds the resource's file, and registers the resource.
fn resource(model: &Model, changes: &mut Changes) -> Result<()> {
    let registry =
        changes.read(RESOURCES)?.with_context(|| format!("`{RESOURCES}` is missing: `crud init` creates it"))?;
    check_others(model, &registry)?;
    let (file, text) = (resource_file(&model.name), render::resource(model)?);
    if changes.read(&file)?.is_some_and(|there| there != text) {
        bail!("`{file}` exists with other contents: edit it, or remove it first");
    }
    changes.write(file, text)?;
    let module = names::module(&model.name);
    let path = format!("{module}::{}", model.name);
    let add = |text: &str, mark: &str, line: &str| {
        marks::add(text, mark, line).with_context(|| format!("cannot add `{line}` to `{RESOURCES}`"))
    };
    let registered = add(&registry, "modules", &format!("pub mod {module};"))?;
    // The user may have replaced the registration, for example by one with options.
    let registered = if registered.contains(&format!("<{path}>")) {
        registered
    } else {
        add(&registered, "resources", &format!(".resource::<{path}>()"))?
    };
    changes.write(RESOURCES, registered)
}

/// Checks that the models referred to exist, and that no other has the prefix.
fn check_others(model: &Model, registry: &str) -> Result<()> {
    let others = registered(registry);
    for target in model.targets() {
        if !others.contains(&target) {
            let near = spelling::nearest(target, others.iter().copied());
            let hint = near.map_or_else(|| "generate it first".to_owned(), |near| format!("did you mean `{near}`?"));
            bail!("there is no model `{target}` in `{RESOURCES}`: {hint}");
        }
    }
    let plural = names::plural(&model.name);
    for other in others.into_iter().filter(|other| *other != model.name) {
        if names::plural(other) == plural {
            bail!("`{other}` is already served at `/{plural}`: choose another name");
        }
    }
    Ok(())
}

/// The models of each `<module::Model>` in the text.
fn registered(registry: &str) -> Vec<&str> {
    let paths = registry.split('<').skip(1).filter_map(|rest| rest.split_once('>')).map(|(path, _)| path);
    paths.filter_map(|path| path.rsplit_once("::")).map(|(_, model)| model).collect()
}

/// Adds the resource's tests; where something they need is missing, returns the reason.
fn tests(model: &Model, changes: &mut Changes) -> Result<Option<String>> {
    let Some(harness) = changes.read(TESTS)? else { return Ok(Some(format!("`{TESTS}` is missing"))) };
    for parent in tests_file::parents(model) {
        let file = tests_of(parent);
        if changes.read(&file)?.is_none() {
            return Ok(Some(format!("`{file}`, whose records it needs, is missing")));
        }
    }
    let file = tests_of(&model.name);
    let module = names::module(&model.name);
    let harness = match marks::add(&harness, "modules", &format!("mod {module};")) {
        Ok(harness) => harness,
        Err(error) => return Ok(Some(format!("in `{TESTS}`, {error}"))),
    };
    // Existing tests may be the user's: they stay.
    if changes.read(&file)?.is_none() {
        changes.write(file, tests_file::tests(model))?;
    }
    changes.write(TESTS, harness)?;
    Ok(None)
}

fn tests_of(model: &str) -> String {
    format!("tests/resources/{}.rs", names::snake(model))
}
