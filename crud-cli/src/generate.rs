//! `crud generate`: a resource, registered at the marks that `crud init` wrote.

use std::io::{self, IsTerminal};

use anyhow::{Context, Result, bail};
use crud_shared::spelling;

use crate::changes::Changes;
use crate::cli;
use crate::model::{Model, Selection};
use crate::names;
use crate::output::{self, STRONG};
use crate::project::Project;
use crate::prompt::{option_or_ask, option_or_default, yes_or_no};
use crate::registry::{RESOURCES, TESTS, register, registered, resource_file, tests_of};
use crate::{add, field, introspection, marks, render, tests_file};

const MODEL_QUESTION: &str = "Model name, such as Book";

pub(crate) fn run(options: &cli::Generate) -> Result<()> {
    if let Some(url) = &options.from_database {
        return introspection::run(url.as_deref(), options);
    }
    let mut changes = Changes::new(Project::find()?.root);
    if let Some(fields) = &options.add {
        let name = option_or_ask(options.model(), "--model", MODEL_QUESTION, names::model)?;
        return add_fields(&Model::of_fields(name, field::parse(fields)?), options.dry_run, changes);
    }
    let mut model = model(options)?;
    if let Some(there) = changes.read(resource_file(&model.name))?
        && render::resource(&model)? != there
        && offers_to_add(&mut model, &there)?
    {
        return add_fields(&model, options.dry_run, changes);
    }
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

/// Reduces the model to the fields that the existing struct lacks, and returns whether the user wants them added.
fn offers_to_add(model: &mut Model, there: &str) -> Result<bool> {
    let missing: Vec<String> = add::missing(model, there)?.into_iter().map(str::to_owned).collect();
    if missing.is_empty() || !io::stdin().is_terminal() {
        return Ok(false);
    }
    let question = format!("{} exists: add {}? (yes, no)", model.name, missing.join(", "));
    let wanted = option_or_default(None, &question, "yes", yes_or_no)?;
    model.fields.retain(|field| missing.contains(&field.name));
    Ok(wanted)
}

/// Adds fields to the struct of an existing model.
fn add_fields(model: &Model, dry_run: bool, mut changes: Changes) -> Result<()> {
    model.check()?;
    let registry = changes.read(RESOURCES)?.unwrap_or_default();
    check_others(model, &registry)?;
    let file = resource_file(&model.name);
    let there = changes.read(&file)?.with_context(|| format!("`{file}` is missing: `--fields` creates the model"))?;
    let text = add::fields(model, &there).with_context(|| format!("cannot add to `{file}`"))?;
    changes.write(&file, text)?;
    if dry_run {
        return output::print(&changes.diff());
    }
    changes.apply()?;
    let names = |needed: bool| {
        let fields = model.fields.iter().filter(|field| !needed || field.is_required());
        fields.map(|field| format!("`{}`", field.name)).collect::<Vec<_>>().join(", ")
    };
    let required = names(true);
    let said = format!("{STRONG}{}{STRONG:#}: {} added in {file}.\n", model.name, names(false));
    let tests = tests_of(&model.name);
    let todo = format!(
        "{required}: existing records need a value, by `#[crud(column(backfill(…)))]`, and so do the bodies in {tests}.\n"
    );
    let todo = if required.is_empty() { String::new() } else { todo };
    output::print(&(said + &todo + "`crud migrate diff` writes the change of a database that has records.\n"))
}

/// The model, from the options or from the answers to questions in their place.
fn model(options: &cli::Generate) -> Result<Model> {
    let name = option_or_ask(options.model(), "--model", MODEL_QUESTION, names::model)?;
    let fields = option_or_ask(
        options.fields.as_deref(),
        "--fields",
        "Fields, such as title:str, pages:int, isbn:str?!",
        field::parse,
    )?;
    let mut model = Model { name, fields, features: options.features, filter: None, sort: None };
    let select = |option: &str, names: Option<&Vec<String>>| names.map(|names| model.select(option, names)).transpose();
    let (filter, sort) = (select("--filter", options.filter.as_ref())?, select("--sort", options.sort.as_ref())?);
    // An order needs an index: `--sort` alone takes the fields that have one already.
    let sort = match (sort, &filter) {
        (Some(Selection::All), Some(filter)) => Some(filter.clone()),
        (Some(Selection::All), None) => bail!(
            "`--sort` without names takes those of `--filter`, which is missing: name fields, as in `--sort title`; each \
             gets an index"
        ),
        (sort, _) => sort,
    };
    (model.filter, model.sort) = (filter, sort);
    model.check()?;
    Ok(model)
}

/// Adds the resource's file, and registers the resource.
fn resource(model: &Model, changes: &mut Changes) -> Result<()> {
    let registry =
        changes.read(RESOURCES)?.with_context(|| format!("`{RESOURCES}` is missing: `crud init` creates it"))?;
    check_others(model, &registry)?;
    let (file, text) = (resource_file(&model.name), render::resource(model)?);
    if changes.read(&file)?.is_some_and(|there| there != text) {
        let name = &model.name;
        bail!("`{file}` exists with other contents: `--model {name} --add <FIELDS>` adds fields, or edit it");
    }
    changes.write(file, text)?;
    changes.write(RESOURCES, register(&registry, &names::module(&model.name), &model.name)?)
}

/// Checks that the models referred to exist, and that no other model has the prefix.
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
