//! `crud init`: a project that runs and passes its tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use crud_config::FILE;
use crud_shared::spelling;

use crate::changes::Changes;
use crate::cli;
use crate::database::{self, Database};
use crate::names;
use crate::output::{self, STRONG};
use crate::prompt::{option_or_ask, option_or_default, yes_or_no};
use crate::runtime::{Image, Runtime};

/// Every file of a project, and its template.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("Cargo.toml", include_str!("templates/Cargo.toml.txt")),
    ("README.md", include_str!("templates/README.md.txt")),
    ("AGENTS.md", include_str!("templates/AGENTS.md.txt")),
    ("crud.toml", include_str!("templates/crud.toml.txt")),
    (".cargo/config.toml", include_str!("templates/cargo.toml.txt")),
    (".env.example", include_str!("templates/env.example.txt")),
    (".gitignore", include_str!("templates/gitignore.txt")),
    (".dockerignore", include_str!("templates/dockerignore.txt")),
    ("Dockerfile", include_str!("templates/Dockerfile.txt")),
    ("docs/README.md", include_str!("templates/docs.md.txt")),
    ("src/main.rs", include_str!("templates/main.rs.txt")),
    ("src/resources/mod.rs", include_str!("templates/resources.rs.txt")),
    ("tests/api.rs", include_str!("templates/api.rs.txt")),
    PROOF,
];

/// The file with the proof of access rules. A project without authentication lacks it: the file would be empty.
const PROOF: (&str, &str) = ("tests/prove.rs", include_str!("templates/prove.rs.txt"));

/// The crate that proves access rules.
pub(crate) const PROVING: &str = "crud-prove";

/// The file of jobs, which `crud add jobs` writes.
pub(crate) const JOBS: (&str, &str) = ("src/jobs.rs", include_str!("templates/jobs.rs.txt"));

/// The crate of accounts; below, its settings in `crud.toml`.
const ACCOUNTS: &str = "crud-accounts";
const SETTINGS: &str = include_str!("templates/accounts.toml.txt");

/// The crate of the admin page.
pub(crate) const ADMIN: &str = "crud-admin";

/// The crate of live events.
pub(crate) const EVENTS: &str = "crud-events";

/// The crate of fields that hold files.
pub(crate) const FIELDS_OF_FILES: &str = "crud-files";

/// The crate through which agents read records.
pub(crate) const AGENTS: &str = "crud-mcp";

/// The crate that compares locked interfaces.
const CONTRACT: &str = "crud-contract";

pub(crate) fn run(options: &cli::Init) -> Result<()> {
    let name = option_or_ask(options.name(), "--name", "Project name, such as my_shop", names::project)?;
    let root = std::path::absolute(&options.path)?.components().collect::<PathBuf>().join(&name);
    check_place(&root, options.force)?;
    let databases = database::names();
    let question = format!("Database ({})", databases.join(", "));
    let database = option_or_default(options.database.as_deref(), &question, databases[0], |name| {
        database::find(name)
            .with_context(|| format!("there is no `{name}`: {}", spelling::hint(name, databases.clone())))
    })?;
    let accounts = options.accounts;
    let stated = options.auth.as_deref().or(accounts.then_some("yes"));
    let auth = option_or_default(stated, "Do clients log in? (yes, no)", "no", yes_or_no)?;
    let runtime = Runtime::find(options.runtime.as_deref(), &root)?;
    let project = Filling {
        name: &name,
        database,
        auth,
        accounts,
        admin: auth,
        events: false,
        files: false,
        agents: false,
        jobs: false,
        metrics: false,
        runtime: &runtime,
    };
    let mut changes = Changes::new(&root);
    let mut kept = Vec::new();
    for (file, template) in FILES {
        let text = project.fill(template);
        if root.join(file).exists() {
            kept.push(*file);
        } else if !text.is_empty() {
            let settings = if accounts && *file == FILE { SETTINGS } else { "" };
            changes.write(file, text + &project.fill(settings))?;
        }
    }
    changes.apply()?;
    if !options.no_git {
        init_repository(&root)?;
    }
    output::print(&format!("Project {STRONG}{name}{STRONG:#} created at {}.\n", root.display()))?;
    let kept: Vec<String> = kept.iter().map(|file| format!("Kept as it was: {file}\n")).collect();
    output::print(&kept.concat())?;
    if database.is_server {
        let title = database.title;
        output::print(&format!("It runs on {title}, as its README.md describes. Its tests need no server.\n"))?;
    }
    output::print(&next_steps(&options.path, &name, auth))
}

/// The commands that come next.
fn next_steps(path: &Path, name: &str, auth: bool) -> String {
    let directory = if path == Path::new(".") { PathBuf::from(name) } else { path.join(name) };
    let secret = if auth { "echo \"JWT_SECRET_KEY=$(openssl rand -base64 48)\" >> .env\n  " } else { "" };
    format!(
        "Next:\n  cd {}\n  crud generate --model Book --fields \"title:str,pages:int\"\n  {secret}cargo run\n",
        shell_word(&directory.display().to_string())
    )
}

/// A path as one word of a shell.
fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "./-_~:\\".contains(c);
    if text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// The first contents of a project's `crud.toml`.
pub(crate) fn configuration(name: &str, database: Database) -> String {
    include_str!("templates/crud.toml.txt").replace("{{database_url}}", &database::url(database, name))
}

/// Makes a directory a Git repository, unless git is not installed, or the directory is in a repository already.
fn init_repository(directory: &Path) -> Result<()> {
    if directory.ancestors().any(|directory| directory.join(".git").exists()) {
        return Ok(());
    }
    let mut command = Command::new("git");
    command.args(["init", "--quiet"]).current_dir(directory).stdin(Stdio::null()).stdout(Stdio::null());
    // git's advice about the name of the first branch is not about this project.
    match command.stderr(Stdio::null()).status() {
        Ok(status) if !status.success() => output::print("`git init` failed: the project is not a repository.\n"),
        _ => Ok(()),
    }
}

fn check_place(root: &Path, force: bool) -> Result<()> {
    let shown = root.display();
    if !root.exists() {
        return Ok(());
    }
    if !root.is_dir() {
        bail!("`{shown}` exists and is not a directory");
    }
    let mut entries = fs::read_dir(root).with_context(|| format!("cannot read `{shown}`"))?;
    if entries.next().is_some() && !force {
        bail!("`{shown}` is not empty: `--force` adds missing files and keeps the others");
    }
    Ok(())
}

/// The values of the placeholders in templates.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::struct_excessive_bools, reason = "each is a part by itself")]
pub(crate) struct Filling<'a> {
    pub(crate) name: &'a str,
    pub(crate) database: Database,
    pub(crate) auth: bool,
    /// Whether people sign up.
    pub(crate) accounts: bool,
    /// Whether the project has the admin page.
    pub(crate) admin: bool,
    /// Whether clients follow the changes of records.
    pub(crate) events: bool,
    /// Whether fields hold files.
    pub(crate) files: bool,
    /// Whether agents read records.
    pub(crate) agents: bool,
    /// Whether the program has the module of jobs.
    pub(crate) jobs: bool,
    /// Whether the service has metrics on a separate address, which its tests cannot share.
    pub(crate) metrics: bool,
    pub(crate) runtime: &'a Runtime,
}

impl Filling<'_> {
    pub(crate) fn fill(&self, template: &str) -> String {
        let Self { name, database, .. } = *self;
        let Image { place, copy, context } = self.runtime.image();
        self.choose(template)
            .replace("{{database_url}}", &database::url(database, name))
            .replace("{{secret_database_url}}", &database::secret_url(database, name))
            .replace("{{create_database}}", &database::create(database, name))
            .replace("{{database}}", database.title)
            .replace("{{runtime}}", &self.runtime.dependency(&database::features(database)))
            .replace("{{admin_dependency}}", &format!("{ADMIN} = {}", self.runtime.plugin(ADMIN)))
            .replace("{{events_dependency}}", &format!("{EVENTS} = {}", self.runtime.plugin(EVENTS)))
            .replace("{{files_dependency}}", &format!("{FIELDS_OF_FILES} = {}", self.runtime.plugin(FIELDS_OF_FILES)))
            .replace("{{contract_dependency}}", &format!("{CONTRACT} = {}", self.runtime.beside(CONTRACT)))
            .replace("{{agents_dependency}}", &format!("{AGENTS} = {}", self.runtime.plugin(AGENTS)))
            .replace("{{prove_dependency}}", &format!("{PROVING} = {}", self.runtime.plugin(PROVING)))
            .replace("{{accounts_dependency}}", &self.accounts_dependency())
            .replace("{{book}}", &self.runtime.book())
            .replace("{{add}}", if self.has_plugins() { "service" } else { "resources::add" })
            .replace("{{service_about}}", &self.about_service())
            .replace("{{service}}", &self.service())
            .replace("{{docker_runtime}}", &copy)
            .replace("{{docker_place}}", &place)
            .replace("{{docker_build}}", &format!("docker build {context}-t {name} ."))
            .replace("{{docker_run}}", &self.docker_run())
            .replace("{{title}}", &names::title(name))
            .replace("{{name}}", name)
    }

    /// Resolves the conditions of a template: keeps the lines after `{{if auth}}` where it holds, or else those after
    /// `{{else}}`, up to `{{end}}`.
    fn choose(&self, template: &str) -> String {
        let is_created = !self.database.create.is_empty();
        let mut chosen = true;
        let mut text = String::new();
        for line in template.split_inclusive('\n') {
            match line.trim_end() {
                "{{if auth}}" => chosen = self.auth,
                "{{if accounts}}" => chosen = self.accounts,
                "{{if auth without accounts}}" => chosen = self.auth && !self.accounts,
                "{{if auth with jobs}}" => chosen = self.auth && self.jobs,
                "{{if auth with events}}" => chosen = self.auth && self.events,
                "{{if auth with agents}}" => chosen = self.auth && self.agents,
                "{{if auth with files}}" => chosen = self.auth && self.files,
                "{{if admin}}" => chosen = self.admin,
                "{{if without auth}}" => chosen = !self.auth,
                "{{if events}}" => chosen = self.events,
                "{{if files}}" => chosen = self.files,
                "{{if agents}}" => chosen = self.agents,
                "{{if plugins}}" => chosen = self.has_plugins(),
                "{{if jobs}}" => chosen = self.jobs,
                "{{if metrics}}" => chosen = self.metrics,
                "{{if server}}" => chosen = self.database.is_server,
                "{{if created}}" => chosen = is_created,
                "{{if creating}}" => chosen = self.database.is_server && !is_created,
                "{{if migrations}}" => chosen = self.database.has_migrations,
                "{{else}}" => chosen = !chosen,
                "{{end}}" => chosen = true,
                _ if chosen => text += line,
                _ => {}
            }
        }
        text
    }

    const fn has_plugins(&self) -> bool {
        self.admin || self.accounts || self.events || self.files || self.agents
    }

    /// A sentence about the service with its plugins.
    fn about_service(&self) -> String {
        let plugins = [
            (self.admin, "the admin page at `/admin`"),
            (self.accounts, "accounts at `/account/sign-up`"),
            (self.events, "events of audited resources at `/events`"),
            (self.files, "files in the directory `files`"),
            (self.agents, "agents at `/mcp`"),
        ];
        let plugins: Vec<&str> = plugins.iter().filter(|(is_there, _)| *is_there).map(|(_, about)| *about).collect();
        match plugins.split_last() {
            Some((last, [])) => format!("The resources, and {last}."),
            Some((last, others)) => format!("The resources, {}, and {last}.", others.join(", ")),
            None => "The resources.".to_owned(),
        }
    }

    /// The service with its plugins, as rustfmt writes it.
    fn service(&self) -> String {
        let admin = if self.accounts { "Admin::new().sign_in(\"/account/sign-in\")" } else { "Admin::new()" };
        let plugins = [
            (self.admin, format!("crud_admin::{admin}")),
            (self.accounts, "crud_accounts::Accounts::new()".to_owned()),
            (self.events, "crud_events::Events::new().every_audited_resource()".to_owned()),
            (self.files, "crud_files::Files::local(\"files\")".to_owned()),
            (self.agents, "crud_mcp::Mcp::new()".to_owned()),
        ];
        let plugins = plugins.iter().filter(|(is_there, _)| *is_there).map(|(_, plugin)| format!(".plugin({plugin})"));
        let plugins: Vec<String> = plugins.collect();
        let access = (self.admin && self.auth).then_some(".access(|access| access.users_role(\"admin\"))\n        ");
        let steps = [access.unwrap_or_default(), &plugins.join("?\n        ")].concat();
        let is_short = !steps.contains('\n');
        format!("resources::add(service){}{steps}", if is_short { "" } else { "\n        " })
    }

    /// The dependency on the crate of accounts, with mail by SMTP.
    fn accounts_dependency(&self) -> String {
        let mut plugin = self.runtime.plugin(ACCOUNTS);
        plugin.insert("features", toml_edit::Array::from_iter(["smtp"]).into());
        format!("{ACCOUNTS} = {plugin}")
    }

    /// The command that runs the image.
    fn docker_run(&self) -> String {
        let name = self.name;
        let database =
            if self.database.is_server { "-e DATABASE_URL".to_owned() } else { format!("-v {name}-data:/data") };
        let auth = if self.auth { " -e JWT_SECRET_KEY -e ADMIN_PASSWORD" } else { "" };
        format!("docker run -p 127.0.0.1:8000:8000 {database}{auth} {name}")
    }
}
