//! The arguments. Their doc comments are the help texts.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

use crate::database;

/// Scaffolds a CRUD service and generates its resources
#[derive(Debug, Parser)]
#[command(name = "crud", version, max_term_width = 100, propagate_version = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Creates a project
    Init(Init),
    /// Generates a resource, with its routes and tests
    Generate(Generate),
    /// Shows or changes the service's configuration
    Config(Config),
    /// Checks whether the service would start on its database
    Check {
        /// Names the indexes that slow lists lack, and those that nothing uses, instead: of a log, or `-` for standard
        /// input; without one, by the database's statistics alone
        #[arg(long, value_name = "LOG", num_args = 0..=1)]
        #[allow(clippy::option_option)] // The option, and its value.
        indexes: Option<Option<PathBuf>>,
    },
    /// Prints the service's OpenAPI document
    Openapi,
    /// Prints every route of the service with the access that it needs
    Routes,
    /// Removes values from the audit log
    Audit {
        #[command(subcommand)]
        task: Audit,
    },
    /// Copies a database of SQLite, which may be in use
    Backup {
        /// The file to write, which must not exist
        file: PathBuf,
    },
    /// Lists the users of the service, creates and changes them
    User {
        #[command(subcommand)]
        task: User,
    },
    /// Creates records from a file of comma-separated values or of JSON
    Import(Import),
    /// Moves every record to the empty database of another URL, as it is
    #[command(
        after_help = "Stop the service before. The target is written in one transaction: after an error it has no record."
    )]
    Move {
        /// The URL of the database that has the records
        #[arg(long, value_name = "URL")]
        from: String,
        /// The URL of the database to move them to
        #[arg(long, value_name = "URL")]
        to: String,
    },
    /// Lists the service's jobs, retries dead ones, removes others
    Jobs {
        #[command(subcommand)]
        task: Jobs,
    },
    /// Migrates the database to the structs, by SQL files that you review
    Migrate {
        #[command(subcommand)]
        task: Migrate,
    },
    /// Prints completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Debug, Subcommand)]
#[command(
    after_help = "A password is that in the environment variable USER_PASSWORD, or a random one, which is printed."
)]
pub(crate) enum User {
    /// Creates a user
    Add {
        /// The name to log in with
        name: String,
        /// The roles, such as `editor,author`
        #[arg(long, value_name = "ROLES")]
        roles: Option<String>,
    },
    /// Sets a user's password, which ends the user's sessions
    Passwd {
        /// The name to log in with
        name: String,
    },
    /// Refuses a user's logins
    Disable {
        /// The name to log in with
        name: String,
    },
    /// Admits a disabled user's logins again
    Enable {
        /// The name to log in with
        name: String,
    },
    /// Replaces a user's roles
    Roles {
        /// The name to log in with
        name: String,
        /// The roles, such as `editor,author`; an empty text for none
        roles: String,
    },
    /// Lists the users
    List,
}

impl User {
    /// The arguments of the project's program.
    pub(crate) fn arguments(self) -> Vec<String> {
        let arguments = match self {
            Self::Add { name, roles } => ["add".to_owned(), name].into_iter().chain(roles).collect(),
            Self::Passwd { name } => vec!["passwd".to_owned(), name],
            Self::Disable { name } => vec!["disable".to_owned(), name],
            Self::Enable { name } => vec!["enable".to_owned(), name],
            Self::Roles { name, roles } => vec!["roles".to_owned(), name, roles],
            Self::List => vec!["list".to_owned()],
        };
        [vec!["user".to_owned()], arguments].concat()
    }
}

#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // Each is a flag for itself.
pub(crate) struct Import {
    /// The resource, as in its path, such as `products`
    pub(crate) resource: String,
    /// The file: `.csv`, or `.ndjson` and `.jsonl` with a JSON object a line
    pub(crate) file: PathBuf,
    /// Imports each record that can be, instead of all or none
    #[arg(long)]
    pub(crate) partial: bool,
    /// Writes nothing, and prints what would be
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// The unique fields by which a record changes the one that has them
    #[arg(long, value_name = "FIELDS", requires = "partial")]
    pub(crate) on_conflict: Option<String>,
    /// Leaves a record that has them as it is
    #[arg(long, requires = "on_conflict")]
    pub(crate) ignore: bool,
    /// Takes texts of comma-separated values as they are, `'` before a formula included
    #[arg(long)]
    pub(crate) raw: bool,
}

impl Import {
    /// The arguments of the project's program, which runs in the project's directory.
    pub(crate) fn arguments(&self) -> anyhow::Result<Vec<String>> {
        let file = std::path::absolute(&self.file)?.display().to_string();
        let options = [
            self.partial.then(|| "mode=partial".to_owned()),
            self.dry_run.then(|| "dry_run=true".to_owned()),
            self.on_conflict.as_ref().map(|fields| format!("on_conflict={fields}")),
            self.ignore.then(|| "conflict=ignore".to_owned()),
            self.raw.then(|| "raw=true".to_owned()),
        ];
        let fixed = ["import".to_owned(), self.resource.clone(), file];
        Ok(fixed.into_iter().chain(options.into_iter().flatten()).collect())
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    /// Removes the values of a record from its entries: who changed it when stays
    Erase {
        /// The resource, such as `Product`
        resource: String,
        /// The record's key
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Jobs {
    /// Lists the jobs that wait, run or are dead
    List {
        /// Jobs of a kind
        #[arg(long, value_name = "KIND")]
        kind: Option<String>,
        /// Jobs in a state
        #[arg(long, value_parser = ["waiting", "running", "dead"])]
        state: Option<String>,
    },
    /// Runs a job as soon as possible, such as a dead one
    Retry {
        /// The id that `list` shows
        id: i64,
    },
    /// Removes a job that does not run
    Cancel {
        /// The id that `list` shows
        id: i64,
    },
}

impl Jobs {
    /// The arguments of the project's program.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let arguments = match self {
            Self::List { kind, state } => {
                let kind = kind.as_ref().map(|kind| format!("kind={kind}"));
                let state = state.as_ref().map(|state| format!("state={state}"));
                [Some("list".to_owned()), kind, state].into_iter().flatten().collect()
            }
            Self::Retry { id } => vec!["retry".to_owned(), id.to_string()],
            Self::Cancel { id } => vec!["cancel".to_owned(), id.to_string()],
        };
        [vec!["jobs".to_owned()], arguments].concat()
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Migrate {
    /// Writes the difference between structs and database as SQL into the directory `migrations`
    Diff {
        /// Prints it instead, and fails if there is any: for CI
        #[arg(long)]
        check: bool,
    },
    /// Writes the file of a data migration: a step of the history that the program runs
    Data {
        /// Its name, such as `split_names`
        name: String,
    },
    /// Applies the migrations that the database lacks
    Apply,
    /// Lists the applied and the pending migrations
    Status,
    /// Reverts the last migration
    Revert {
        /// Also where that drops records; asked for on a terminal
        #[arg(long)]
        yes: bool,
    },
    /// Applies all migrations to an empty database, and fails if the structs need more: for CI
    Verify {
        #[command(flatten)]
        shadow: Shadow,
    },
    /// Accepts edits of migrations: writes their hashes into `migrations/crud.sum`
    Hash,
    /// Puts the migrations of your branch behind those that came with a merge
    Rebase {
        /// The migrations of your branch: a file of each, or its version
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,
        #[command(flatten)]
        shadow: Shadow,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Shadow {
    /// An empty database to use, instead of one that is created beside the configured one and removed
    #[arg(long = "shadow", value_name = "URL")]
    url: Option<String>,
}

impl Migrate {
    /// The arguments of the project's program.
    pub(crate) fn arguments(self) -> Vec<String> {
        let (command, shadow): (Vec<String>, _) = match self {
            Self::Diff { check } => (words("diff", check.then_some("--check")), None),
            Self::Data { name } => (vec!["data".to_owned(), name], None),
            Self::Apply => (words("apply", None), None),
            Self::Status => (words("status", None), None),
            Self::Revert { yes } => (words("revert", yes.then_some("--yes")), None),
            Self::Verify { shadow } => (words("verify", None), shadow.url),
            Self::Hash => (words("hash", None), None),
            Self::Rebase { files, shadow } => ([words("rebase", None), files].concat(), shadow.url),
        };
        let shadow = shadow.into_iter().flat_map(|url| ["--shadow".to_owned(), url]);
        std::iter::once("migrate".to_owned()).chain(command).chain(shadow).collect()
    }
}

/// A command with its flag.
fn words(command: &str, flag: Option<&str>) -> Vec<String> {
    std::iter::once(command).chain(flag).map(str::to_owned).collect()
}

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The name of the project, such as `my_shop`; asked for on a terminal
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The directory to create the project's directory in
    #[arg(long, value_name = "DIRECTORY", default_value = ".")]
    pub(crate) path: PathBuf,
    /// The database of the project; asked for on a terminal, or else sqlite
    #[arg(long, value_parser = PossibleValuesParser::new(database::names()))]
    pub(crate) database: Option<String>,
    /// Requires access tokens: clients log in; asked for on a terminal, or else no
    #[arg(long, value_name = "YES OR NO", num_args = 0..=1, default_missing_value = "yes", value_parser = ["yes", "no"])]
    pub(crate) auth: Option<String>,
    /// The crud-runtime to depend on, instead of the one that this command was built with
    #[arg(long, value_name = "VERSION OR PATH")]
    pub(crate) runtime: Option<String>,
    /// Adds missing files to a directory that is not empty; existing files stay
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
#[command(after_help = FIELDS_HELP)]
pub(crate) struct Generate {
    /// The name of the model, such as `Product`; asked for on a terminal
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// The fields, separated by commas; asked for on a terminal
    #[arg(long, value_name = "FIELDS")]
    pub(crate) fields: Option<String>,
    /// Fields to add to a model that exists, as in `--fields`
    #[arg(long, value_name = "FIELDS", conflicts_with_all = ["fields", "filter", "sort", "soft_delete", "audit", "batch"])]
    pub(crate) add: Option<String>,
    #[command(flatten)]
    pub(crate) features: Features,
    /// The fields that lists can be filtered by; all if none is named
    #[arg(long, value_name = "FIELDS", num_args = 0..=1, default_missing_value = "", value_delimiter = ',')]
    pub(crate) filter: Option<Vec<String>>,
    /// The fields that lists can be sorted by; those of `--filter` if none is named. Each has an index
    #[arg(long, value_name = "FIELDS", num_args = 0..=1, default_missing_value = "", value_delimiter = ',')]
    pub(crate) sort: Option<Vec<String>>,
    /// Shows the changes as a diff, and writes nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// The options of a resource beyond the five operations.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct Features {
    /// Keeps deleted records, which can be restored or purged
    #[arg(long)]
    pub(crate) soft_delete: bool,
    /// Logs every change
    #[arg(long)]
    pub(crate) audit: bool,
    /// Offers to create, update and delete many records in one request
    #[arg(long)]
    pub(crate) batch: bool,
}

const FIELDS_HELP: &str = "\
A field is `name:type`, then `?` if it can be null, `!` if it is unique, and `=value` for a default:
  --fields \"name:str,price:float,stock:int=0,note:text?,category:ref(Category),sku:str!\"

Types: str text int float bool datetime date uuid decimal json bytes enum(draft|sold) ref(Model).
A bare name is a `str`; a default with a comma is in \"quotes\". `created_at:datetime` and `updated_at:datetime` are set by the service.";

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Config {
    /// Shows every key, what is in force, and where that comes from
    #[arg(long)]
    pub(crate) show: bool,
    /// Sets a key in crud.toml
    #[arg(long, num_args = 2, value_names = ["KEY", "VALUE"], allow_hyphen_values = true)]
    pub(crate) set: Option<Vec<String>>,
    /// Puts crud.toml back as it was when the project was created
    #[arg(long)]
    pub(crate) reset: bool,
}
