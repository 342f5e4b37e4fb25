//! `crud add`: parts that a project lacks, merged into its files.

use anyhow::{Context, Result, bail};
use crud_config::{ConfigKey, FILE};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value, value};

use crate::carry::carry;
use crate::changes::Changes;
use crate::cli;
use crate::config_file;
use crate::database::{self, Database};
use crate::init::{ADMIN, AGENTS, EVENTS, FIELDS_OF_FILES, FILES, Filling, JOBS, PROVING};
use crate::marks;
use crate::output;
use crate::part::{PARTS, Part};
use crate::project::{Project, Source};
use crate::registry::{RESOURCES, TESTS};
use crate::runtime::Runtime;

const MANIFEST: &str = "Cargo.toml";
const MAIN: &str = "src/main.rs";

/// The lines that register the job of the template and its route.
const JOB: [&str; 2] = [".job::<crate::jobs::Greeting>()", ".route(\"/greet\", crate::jobs::route())"];

pub(crate) fn run(options: &cli::Add) -> Result<()> {
    let project = Project::find()?;
    let parts: Vec<&Part> = PARTS.iter().filter(|part| options.parts.iter().any(|name| name == part.name)).collect();
    let mut changes = Changes::new(&project.root);
    let remaining = Work { project: &project, parts: &parts }.add(&mut changes)?;
    if options.dry_run {
        output::print(&changes.diff())?;
    } else if changes.is_empty() {
        output::print("Nothing to change: the project has these parts.\n")?;
    } else {
        let summary = changes.summary();
        changes.apply()?;
        output::print(&summary)?;
    }
    for (file, lines) in &remaining {
        output::print(&format!("\nYou have edited the lines of {file} that this changes:\n{}", lines.concat()))?;
    }
    match remaining.first() {
        Some((file, _)) => {
            bail!("`{file}` has lines that were edited, and are not changed: make the changes above yourself")
        }
        None => Ok(()),
    }
}

/// The parts to add, and the project.
struct Work<'a> {
    project: &'a Project,
    parts: &'a [&'a Part],
}

impl Work<'_> {
    /// Adds the changes; returns the changes of templates that could not be merged, by file.
    fn add(&self, changes: &mut Changes) -> Result<Vec<(&'static str, Vec<String>)>> {
        let manifest = changes.read(MANIFEST)?.with_context(|| format!("`{MANIFEST}` is missing"))?;
        let runtime = Runtime::of_project(self.project)?;
        changes.write(MANIFEST, self.manifest(&manifest, &runtime)?)?;
        self.settings(changes)?;
        let main = changes.read(MAIN)?.unwrap_or_default();
        let now = Filling {
            name: &self.project.name,
            database: self.project.database,
            auth: main.contains("run_with_auth"),
            accounts: main.contains("crud_accounts::"),
            admin: main.contains("crud_admin::"),
            events: main.contains("crud_events::"),
            files: main.contains("crud_files::"),
            agents: main.contains("crud_mcp::"),
            jobs: changes.read(JOBS.0)?.is_some(),
            metrics: changes.read(TESTS)?.is_some_and(|tests| tests.contains("\"METRICS\"")),
            runtime: &runtime,
        };
        let then = Filling {
            database: self.database().unwrap_or(now.database),
            auth: now.auth || self.has("auth"),
            admin: now.admin || self.has("admin"),
            events: now.events || self.has("events"),
            files: now.files || self.has("files"),
            agents: now.agents || self.has("mcp"),
            jobs: now.jobs || self.has("jobs"),
            metrics: now.metrics || self.has("metrics"),
            ..now
        };
        if then.jobs && !now.jobs {
            changes.write(JOBS.0, then.fill(JOBS.1))?;
            let registry = changes.read(RESOURCES)?.with_context(|| format!("`{RESOURCES}` is missing"))?;
            let register = |text: String, line: &str| {
                marks::add(&text, "resources", line).with_context(|| format!("cannot add `{line}` to `{RESOURCES}`"))
            };
            changes.write(RESOURCES, JOB.into_iter().try_fold(registry, register)?)?;
        }
        let mut remaining = Vec::new();
        let files = FILES.iter().filter(|(file, _)| ![MANIFEST, FILE, RESOURCES].contains(file));
        for (file, template) in files.chain(now.jobs.then_some(&JOBS)) {
            let (from, to) = (now.fill(template), then.fill(template));
            match changes.read(file)? {
                Some(text) if from != to => {
                    let carried = carry(&from, &to, &text);
                    changes.write(*file, carried.text)?;
                    remaining.extend((!carried.remaining.is_empty()).then_some((*file, carried.remaining)));
                }
                // The file belongs to a part that is being added.
                None if from.is_empty() && !to.is_empty() => changes.write(*file, to)?,
                None if self.has("docker") && ["Dockerfile", ".dockerignore"].contains(file) => {
                    changes.write(*file, to)?;
                }
                _ => {}
            }
        }
        Ok(remaining)
    }

    /// The database server among the parts, if there is one.
    fn database(&self) -> Option<Database> {
        self.parts.iter().filter_map(|part| database::find(part.name)).find(|database| database.is_server)
    }

    fn has(&self, name: &str) -> bool {
        self.parts.iter().any(|part| part.name == name)
    }

    /// The manifest with the features and crates of the parts.
    fn manifest(&self, text: &str, runtime: &Runtime) -> Result<String> {
        let mut document: DocumentMut = text.parse().ok().with_context(|| format!("`{MANIFEST}` is not valid TOML"))?;
        let brought = self.database().map(database::features).unwrap_or_default();
        let wanted = self.parts.iter().filter_map(|part| part.feature).chain(brought);
        let wanted = wanted.chain(self.has("auth").then_some("auth"));
        let mut missing: Vec<&str> = Vec::new();
        for feature in wanted {
            match self.project.has_feature(feature) {
                Some(false) if !missing.contains(&feature) => missing.push(feature),
                Some(_) => {}
                None => bail!("the workspace states the features of crud-runtime: add `{feature}` there"),
            }
        }
        let replaced = self.database().filter(|database| *database != self.project.database);
        let replaced = replaced.and(Some(self.project.database)).filter(|database| database.is_server);
        if !missing.is_empty() {
            change_features(&mut document, &missing, replaced.map(|database| database.name))?;
        }
        if self.has("jobs") {
            add_table(&mut document, "dependencies", "serde", dependency("version", "1", &["derive"]))?;
        }
        for (part, plugin) in [("admin", ADMIN), ("events", EVENTS), ("files", FIELDS_OF_FILES), ("mcp", AGENTS)] {
            if self.has(part) {
                add_table(&mut document, "dependencies", plugin, runtime.plugin(plugin))?;
            }
        }
        if self.has("auth") {
            add_table(&mut document, "dev-dependencies", PROVING, runtime.plugin(PROVING))?;
        }
        if self.has("testing") {
            let source = self.project.runtime.as_ref();
            let source = source.context("the workspace states crud-runtime: add the feature `testing` there")?;
            let (key, source) = match source {
                Source::Version(version) => ("version", version.clone()),
                Source::Path(path) => ("path", path.display().to_string().replace('\\', "/")),
            };
            add_table(&mut document, "dev-dependencies", "crud-runtime", dependency(key, &source, &["testing"]))?;
        }
        if self.has("auth") {
            optimise_hashes(&mut document)?;
        }
        Ok(document.to_string())
    }

    /// Sets the keys of the parts that the configuration lacks.
    fn settings(&self, changes: &mut Changes) -> Result<()> {
        let Some(text) = changes.read(FILE)? else { return Ok(()) };
        let mut document = config_file::parsed(&text)?;
        for (name, value) in self.parts.iter().filter_map(|part| part.setting) {
            if let Some(key) = ConfigKey::find(name).filter(|_| !document.contains_key(name)) {
                config_file::replace(&mut document, key, value);
            }
        }
        if let Some(database) = self.database().filter(|database| *database != self.project.database) {
            let url = ConfigKey::find("database_url").context("the key `database_url`")?;
            config_file::replace(&mut document, url, &database::url(database, &self.project.name));
        }
        changes.write(FILE, document.to_string())
    }
}

/// Adds features to the project's crud-runtime, and removes one.
fn change_features(document: &mut DocumentMut, features: &[&str], removed: Option<&str>) -> Result<()> {
    let runtime = document["dependencies"].get_mut("crud-runtime").context("crud-runtime is not a dependency")?;
    if let Some(version) = runtime.as_str().map(str::to_owned) {
        *runtime = value(dependency("version", &version, features));
        return Ok(());
    }
    let table = runtime.as_table_like_mut().context("the dependency crud-runtime is not a table")?;
    let list = table.entry("features").or_insert_with(|| value(Array::new()));
    let list = list.as_array_mut().context("the features of crud-runtime are not a list")?;
    list.retain(|feature| feature.as_str() != removed || removed.is_none());
    for feature in features {
        list.push(*feature);
    }
    Ok(())
}

/// A dependency as an inline table.
fn dependency(key: &str, source: &str, features: &[&str]) -> InlineTable {
    let features: Array = features.iter().copied().collect();
    InlineTable::from_iter([(key, Value::from(source)), ("features", Value::Array(features))])
}

/// Adds a line to a section, unless it is there.
fn add_table(document: &mut DocumentMut, section: &str, name: &str, table: InlineTable) -> Result<()> {
    let section = document.entry(section).or_insert_with(|| Item::Table(Table::new()));
    let section = section.as_table_like_mut().context("a section of the manifest is not a table")?;
    if !section.contains_key(name) {
        section.insert(name, value(table));
    }
    Ok(())
}

/// Optimises the crate that hashes passwords in debug builds too: without that, a hash takes ten times as long.
fn optimise_hashes(document: &mut DocumentMut) -> Result<()> {
    let profiles = subtable(document, "profile")?;
    let packages = subtable(subtable(profiles, "dev")?, "package")?;
    if !packages.contains_key("argon2") {
        let mut settings = Table::new();
        settings.insert("opt-level", value(3));
        settings.insert("debug", value(false));
        let comment = "\n# Hashing a password takes long by design, and ten times as long where it is not optimised.\n";
        settings.decor_mut().set_prefix(comment);
        packages.insert("argon2", Item::Table(settings));
    }
    Ok(())
}

/// A table below another one. A new table is written without a header.
fn subtable<'a>(table: &'a mut Table, name: &str) -> Result<&'a mut Table> {
    let item = table.entry(name).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    item.as_table_mut().with_context(|| format!("`{name}` in the manifest is not a table"))
}
