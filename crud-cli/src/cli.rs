//! The arguments. Their doc comments are the help texts.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use crud_config::command::ServiceCommand;

use crate::{database, part};

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
    /// Removes a resource, with its routes and tests
    Destroy(Destroy),
    /// Adds what a project lacks: authentication, jobs, metrics, another database
    Add(Add),
    /// Builds and serves, and restarts after each change of a source
    Dev,
    /// Locks the interface of the service, and says which changes break its clients
    #[command(subcommand)]
    Api(Api),
    /// Shows or changes the service's configuration
    Config(Config),
    /// Asks the service for everything as every principal, and compares the answers with the access rules
    Prove(Prove),
    #[command(flatten)]
    Service(ServiceCommand),
    /// A command of a plugin of the project
    #[command(external_subcommand)]
    Plugin(Vec<OsString>),
    /// Prints completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Api {
    /// Writes the interface to api.lock.json: what clients may rely on
    Lock,
    /// Compares the interface with the locked one; exits with 1 if clients break
    Diff {
        /// A lock file or an OpenAPI document to compare with, in place of api.lock.json
        #[arg(long, value_name = "FILE")]
        against: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The name of the project, such as `my_shop`; asked for on a terminal
    #[arg(value_name = "NAME")]
    project: Option<String>,
    /// The name of the project, in place of NAME
    #[arg(long, value_name = "NAME", conflicts_with = "project")]
    name: Option<String>,
    /// The directory to create the project's directory in
    #[arg(long, value_name = "DIRECTORY", default_value = ".")]
    pub(crate) path: PathBuf,
    /// The database of the project; asked for on a terminal, or else sqlite
    #[arg(long, value_parser = PossibleValuesParser::new(database::names()))]
    pub(crate) database: Option<String>,
    /// Whether clients log in; asked for on a terminal, or else no
    #[arg(long, value_name = "YES OR NO", num_args = 0..=1, default_missing_value = "yes", value_parser = ["yes", "no"])]
    pub(crate) auth: Option<String>,
    /// Whether people sign up, with mails that prove their addresses; it includes --auth
    #[arg(long, conflicts_with = "auth")]
    pub(crate) accounts: bool,
    /// Version or path of crud-runtime; by default the one that this command was built with
    #[arg(long, value_name = "VERSION OR PATH")]
    pub(crate) runtime: Option<String>,
    /// Adds missing files to a directory that is not empty; existing files stay
    #[arg(long)]
    pub(crate) force: bool,
    /// Creates no Git repository; without it, the project becomes one if git is installed and no directory above is one
    #[arg(long)]
    pub(crate) no_git: bool,
}

impl Init {
    /// The name of the project, however it is given.
    pub(crate) fn name(&self) -> Option<&str> {
        self.project.as_deref().or(self.name.as_deref())
    }
}

#[derive(Debug, Args)]
#[command(after_help = FIELDS_HELP)]
pub(crate) struct Generate {
    /// The name of the model, such as `Product`; asked for on a terminal
    #[arg(value_name = "MODEL")]
    name: Option<String>,
    /// The name of the model, in place of MODEL
    #[arg(long, value_name = "MODEL", conflicts_with = "name")]
    model: Option<String>,
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
    /// The fields that lists can be sorted by, each with an index; those of `--filter` if none is named
    #[arg(long, value_name = "FIELDS", num_args = 0..=1, default_missing_value = "", value_delimiter = ',')]
    pub(crate) sort: Option<Vec<String>>,
    /// Writes resources for the tables and views of an existing database: that of the URL, or the configured one. Run again,
    /// it adds what is new
    #[arg(long, value_name = "URL", num_args = 0..=1, conflicts_with_all = ["name", "model", "fields", "add", "filter", "sort", "soft_delete", "audit", "batch"])]
    #[allow(clippy::option_option)] // The option, and its value.
    pub(crate) from_database: Option<Option<String>>,
    /// The schema of these tables, or the database of a server of MySQL; without it, the connection's own
    #[arg(long, value_name = "SCHEMA", requires = "from_database")]
    pub(crate) schema: Option<String>,
    /// A table or view to write, instead of all; can be repeated
    #[arg(long, value_name = "TABLE", requires = "from_database")]
    pub(crate) table: Vec<String>,
    /// Shows the changes as a diff, and writes nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl Generate {
    /// The name of the model, however it is given.
    pub(crate) fn model(&self) -> Option<&str> {
        self.name.as_deref().or(self.model.as_deref())
    }
}

/// The arguments of `prove`.
#[derive(Debug, Clone, Copy, Args)]
#[command(
    after_help = "It runs `tests/prove.rs` of the project, on a new database. Its exit status is 1 where an answer is not \
                        what the rules say."
)]
pub(crate) struct Prove {
    /// Prints what each principal may do, as a page in Markdown
    #[arg(long)]
    pub(crate) table: bool,
    /// Asks as one principal of each role, as `cargo test` does
    #[arg(long)]
    pub(crate) quick: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Destroy {
    /// The model, such as `Product`
    #[arg(value_name = "MODEL")]
    pub(crate) model: String,
    /// Removes it without a question
    #[arg(long)]
    pub(crate) yes: bool,
    /// Shows the changes as a diff, and writes nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
#[command(after_help = part::help())]
pub(crate) struct Add {
    /// The parts to add
    #[arg(required = true, value_name = "PART", value_parser = PossibleValuesParser::new(part::names()), hide_possible_values = true)]
    pub(crate) parts: Vec<String>,
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
Their names in Rust and SQL are taken too: string i64 i32 i16 u32 f64 f32 boolean timestamp numeric.
A bare name is a `str`; a default with a comma is in \"quotes\". `created_at:datetime` and `updated_at:datetime` are set by the service.

For an existing database: `--from-database postgres://localhost/shop`, or `sqlite://shop.db`, `mysql://localhost/shop`.
The resources are `unmanaged`: the service reads and writes their records, and creates and alters no table. The command prints
what it leaves out, and why.";

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Config {
    /// Shows every key, the value in force, and where that comes from
    #[arg(long)]
    pub(crate) show: bool,
    /// Sets a key in crud.toml
    #[arg(long, num_args = 2, value_names = ["KEY", "VALUE"], allow_hyphen_values = true)]
    pub(crate) set: Option<Vec<String>>,
    /// Removes a key from crud.toml, so that its default applies
    #[arg(long, value_name = "KEY")]
    pub(crate) unset: Option<String>,
    /// Puts crud.toml back as it was when the project was created
    #[arg(long)]
    pub(crate) reset: bool,
}
