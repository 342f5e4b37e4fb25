//! `crud config`: the service's configuration.

use anyhow::{Context, Result, bail};
use crud_config::{ConfigKey, ENV_FILE, Environment, FILE, KEYS, Settings, Source};
use crud_shared::spelling;

use crate::changes::Changes;
use crate::cli;
use crate::config_file::{parsed, replace};
use crate::init;
use crate::output::{self, STRONG};
use crate::part;
use crate::project::Project;

pub(crate) fn run(options: &cli::Config) -> Result<()> {
    let project = Project::find()?;
    match (options.set.as_deref(), options.unset.as_deref()) {
        (Some([key, value]), _) => set(&project, key, value),
        (_, Some(key)) => unset(&project, key),
        _ if options.reset => reset(&project),
        _ => show(&project),
    }
}

fn show(project: &Project) -> Result<()> {
    let settings = Settings::read(&project.root)?;
    let mut rows = Vec::new();
    for setting in settings.iter() {
        let ConfigKey { default, unset, .. } = *setting.key;
        let value = setting.value.as_deref().map(|value| setting.key.shown(value));
        let value = value.unwrap_or_else(|| if unset.is_empty() { "-" } else { unset }.to_owned());
        let source = match setting.source {
            Source::Environment => "environment",
            Source::EnvFile => ENV_FILE,
            Source::File => FILE,
            Source::Default if default.is_some() || !unset.is_empty() => "default",
            Source::Default => "not set",
        };
        rows.push([setting.key.name, &value, source, setting.key.about].map(str::to_owned));
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let (keys, values, sources) = (width(0), width(1), width(2));
    let lines = rows.iter().map(|[key, value, source, about]| {
        format!("{STRONG}{key:keys$}{STRONG:#}  {value:values$}  {source:sources$}  {about}\n")
    });
    let footer = "A default is that of the program, unless its source sets another, such as by `Service::limits`.\n";
    let tables = settings
        .plugin_tables()
        .iter()
        .map(|table| format!("[{}] is for a plugin, which knows its keys: `crud check` checks them.\n", table.name));
    output::print(&(lines.collect::<String>() + "\n" + footer + &tables.collect::<String>()))
}

/// The key of this name.
fn find(name: &str) -> Result<&'static ConfigKey> {
    let hint = || spelling::hint(name, KEYS.iter().map(|key| key.name));
    ConfigKey::find(name).with_context(|| format!("there is no key `{name}`: {}", hint()))
}

/// Refuses a value whose feature the project lacks: the service would not start.
fn check_features(project: &Project, key: &ConfigKey, value: &str) -> Result<()> {
    let lacks = |feature: &&str| project.has_feature(feature) == Some(false);
    let Some(feature) = key.needs(value).into_iter().find(lacks) else { return Ok(()) };
    match part::of_feature(feature) {
        Some(part) => bail!("`{}` needs crud-runtime's feature `{feature}`: `crud add {part}` adds it", key.name),
        None => bail!("`{}` needs crud-runtime's feature `{feature}`", key.name),
    }
}

fn unset(project: &Project, name: &str) -> Result<()> {
    let key = find(name)?;
    let mut changes = Changes::new(&project.root);
    let text = changes.read(FILE)?.unwrap_or_default();
    let mut document = parsed(&text)?;
    if document.remove(name).is_none() {
        return output::print(&format!("{STRONG}{name}{STRONG:#} is not in {FILE}.\n"));
    }
    changes.write(FILE, document.to_string())?;
    changes.apply()?;
    let without = match (key.default.unwrap_or(key.unset), name) {
        ("", "database_url") => "the service does not start without it".to_owned(),
        ("", _) => "it is not set".to_owned(),
        (value, _) => format!("the value is now {value}"),
    };
    output::print(&format!("{STRONG}{name}{STRONG:#} is no longer in {FILE}: {without}.\n"))?;
    say_what_overrides(project, key)
}

/// Says which source overrides the file's value of a key, if one does.
fn say_what_overrides(project: &Project, key: &ConfigKey) -> Result<()> {
    let Some(variable) = key.variable() else { return Ok(()) };
    match Environment::read(&project.root)?.variable(&variable) {
        Some((_, Source::EnvFile)) => output::print(&format!("{variable} in {ENV_FILE} overrides it.\n")),
        Some(_) => output::print(&format!("The environment variable {variable} overrides it.\n")),
        None => Ok(()),
    }
}

fn set(project: &Project, name: &str, value: &str) -> Result<()> {
    let key = find(name)?;
    key.check(value).map_err(|problem| anyhow::anyhow!("`{name}` {problem}"))?;
    check_features(project, key, value)?;
    let mut changes = Changes::new(&project.root);
    let mut document = parsed(&changes.read(FILE)?.unwrap_or_default())?;
    replace(&mut document, key, value);
    let text = document.to_string();
    Settings::new(&text, |_| None)?;
    changes.write(FILE, text)?;
    changes.apply()?;
    output::print(&format!("{STRONG}{name}{STRONG:#} is now {}.\n", key.shown(value)))?;
    say_what_overrides(project, key)
}

fn reset(project: &Project) -> Result<()> {
    let mut changes = Changes::new(&project.root);
    changes.write(FILE, init::configuration(&project.name, project.database))?;
    changes.apply()?;
    output::print(&format!("{FILE} is reset to its first contents.\n"))
}
