//! `crud config`: the service's configuration.

use anyhow::{Context, Result, bail};
use crud_config::{FILE, KEYS, Key, Settings, Source};
use crud_shared::spelling;
use toml_edit::{DocumentMut, Item, Value};

use crate::changes::Changes;
use crate::cli;
use crate::init;
use crate::output::{self, STRONG};
use crate::project::Project;

/// Runs the command.
pub(crate) fn run(options: &cli::Config) -> Result<()> {
    let project = Project::find()?;
    match options.set.as_deref() {
        Some([key, value]) => set(&project, key, value),
        _ if options.reset => reset(&project),
        _ => show(&project),
    }
}

fn show(project: &Project) -> Result<()> {
    let settings = Settings::read(project.root())?;
    let mut rows = Vec::new();
    for setting in settings.iter() {
        let value = setting.value.as_deref().map_or_else(|| "-".to_owned(), |value| setting.key.shown(value));
        let source = match setting.source {
            Source::Environment => "environment",
            Source::File => FILE,
            Source::Default if setting.value.is_some() => "default",
            Source::Default => "not set",
        };
        rows.push([setting.key.name, &value, source, setting.key.about].map(str::to_owned));
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let (keys, values, sources) = (width(0), width(1), width(2));
    let lines = rows.iter().map(|[key, value, source, about]| {
        format!("{STRONG}{key:keys$}{STRONG:#}  {value:values$}  {source:sources$}  {about}\n")
    });
    output::print(&lines.collect::<String>())
}

fn set(project: &Project, name: &str, value: &str) -> Result<()> {
    let Some(key) = Key::find(name) else {
        bail!("there is no key `{name}`: {}", spelling::hint(name, KEYS.iter().map(|key| key.name)));
    };
    key.check(value).map_err(|problem| anyhow::anyhow!("`{name}` {problem}"))?;
    let mut changes = Changes::new(project.root());
    let text = changes.read(FILE)?.unwrap_or_default();
    let Ok(mut document) = text.parse() else {
        // The parser's error would repeat the line, which may hold a password.
        return Settings::new(&text, |_| None).map(drop).context("nothing is changed");
    };
    replace(&mut document, key, value);
    let text = document.to_string();
    Settings::new(&text, |_| None)?;
    changes.write(FILE, text)?;
    changes.apply()?;
    output::print(&format!("{STRONG}{name}{STRONG:#} is now {}.\n", key.shown(value)))?;
    if let Some(variable) = key.variable()
        && std::env::var(&variable).is_ok_and(|value| !value.is_empty())
    {
        output::print(&format!("The environment variable {variable} overrides it.\n"))?;
    }
    Ok(())
}

/// Sets a key. The comments around it stay.
fn replace(document: &mut DocumentMut, key: &Key, value: &str) {
    let mut value = match (value.parse::<i64>(), value.parse::<bool>()) {
        (Ok(number), _) if key.is_number() => Value::from(number),
        (_, Ok(flag)) if key.is_flag() => Value::from(flag),
        _ => Value::from(value),
    };
    if let Some(Item::Value(old)) = document.get(key.name) {
        *value.decor_mut() = old.decor().clone();
    }
    document[key.name] = Item::Value(value);
}

fn reset(project: &Project) -> Result<()> {
    let mut changes = Changes::new(project.root());
    changes.write(FILE, init::configuration(project.name(), project.database()))?;
    changes.apply()?;
    output::print(&format!("{FILE} is reset to its first contents.\n"))
}
