//! Commands that a service's program carries out. `crud` has the same commands, and passes them on to the program.
//! Their doc comments are the help texts.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use crud_shared::spelling;

/// A command of a service's program.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum ServiceCommand {
    /// Checks whether the service would start on its database
    Check {
        /// Prints each difference between the database and the structs, where many are alike
        #[arg(long, conflicts_with = "indexes")]
        all: bool,
        /// Reports missing indexes, by the slow lists in a log (`-` reads standard input), and unused ones, by the database's
        /// statistics
        #[arg(long, value_name = "LOG", num_args = 0..=1)]
        #[allow(clippy::option_option)] // The option, and its value.
        indexes: Option<Option<PathBuf>>,
    },
    /// Prints the tables and views of the configured database as JSON, for `generate --from-database`
    #[command(hide = true)]
    Describe(Describe),
    /// Prints the service's OpenAPI document
    Openapi,
    /// Prints every route of the service with the access that it needs
    Routes {
        /// Roles, such as `editor,author`: prints for each route whether a principal with them may call it, and for which records
        #[arg(long = "as", value_name = "ROLES", value_delimiter = ',')]
        roles: Vec<String>,
    },
    /// Prints which operations of a resource a principal may call, and which policies hide a record from it
    Explain(Explain),
    /// Removes a record's values from the audit log, for a person who asks to be forgotten
    #[command(subcommand)]
    Audit(AuditTask),
    /// Copies the database to a file, while the service runs (SQLite only)
    Backup {
        /// The file to write, which must not exist
        file: PathBuf,
    },
    /// Lists, creates and changes users of the service
    #[command(subcommand)]
    User(UserTask),
    /// Creates records from a CSV file, or from a file with a JSON object a line
    Import(Import),
    /// Copies every record into an empty database of another URL, with its key and times
    #[command(
        after_help = "Stop the service first: changes during the copy are not in it. The target is written in one transaction: \
                      after an error it has no record."
    )]
    Move(Move),
    /// Lists, retries and removes jobs of the service
    #[command(subcommand)]
    Jobs(JobTask),
    /// Migrates the database to the structs, by SQL files that you review
    #[command(subcommand)]
    Migrate(MigrateTask),
    /// A plugin's name, its command, and arguments
    #[command(skip)]
    Plugin(Vec<OsString>),
}

/// The arguments of `explain`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[command(after_help = "Without `--as` and `--claim`, it explains a request without a token.")]
pub struct Explain {
    /// The resource, such as `Product` or `products`
    pub resource: String,
    /// The record's key
    pub id: Option<String>,
    /// The roles of the principal, such as `editor,author`
    #[arg(long = "as", value_name = "ROLES", value_delimiter = ',')]
    pub roles: Vec<String>,
    /// A claim of the principal: `sub=7` is its subject, `shop="7"` a text of digits
    #[arg(long = "claim", value_name = "NAME=VALUE")]
    pub claims: Vec<String>,
}

/// A task of `audit`.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum AuditTask {
    /// Removes the values of a record from its entries; who changed it, and when, stays
    Erase {
        /// The resource, such as `Product`
        resource: String,
        /// The record's key
        id: String,
    },
}

/// A task of `user`.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
#[command(
    after_help = "`add` and `passwd` set the password in the variable USER_PASSWORD, of the environment or `.env`. Without it they \
                  set a random one, and print it."
)]
pub enum UserTask {
    /// Creates a user
    Add {
        /// The name to log in with
        name: String,
        /// The roles, such as `editor,author`
        #[arg(long, value_name = "ROLES", value_delimiter = ',')]
        roles: Vec<String>,
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
        #[arg(value_delimiter = ',', required = true)]
        roles: Vec<String>,
    },
    /// Lists the users
    List,
}

/// The arguments of `import`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[allow(clippy::struct_excessive_bools)] // Each is a flag for itself.
pub struct Import {
    /// The resource, as in its path, such as `products`
    pub resource: String,
    /// The file: `.csv`, or `.ndjson` and `.jsonl` with a JSON object a line
    pub file: PathBuf,
    /// Imports each valid record, instead of all or none
    #[arg(long)]
    pub partial: bool,
    /// Checks everything, writes nothing, and prints what would happen
    #[arg(long)]
    pub dry_run: bool,
    /// Unique fields, such as `sku`: a record whose values exist already changes the existing record
    #[arg(long, value_name = "FIELDS", requires = "partial")]
    pub on_conflict: Option<String>,
    /// Leaves an existing record as it is
    #[arg(long, requires = "on_conflict")]
    pub ignore: bool,
    /// Keeps the `'` that exports write before a formula
    #[arg(long)]
    pub raw: bool,
}

/// The arguments of `describe`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct Describe {
    /// The schema, instead of the one that statements without a schema mean
    #[arg(long, value_name = "SCHEMA")]
    pub schema: Option<String>,
    /// A table, instead of all
    #[arg(long = "table", value_name = "TABLE")]
    pub tables: Vec<String>,
}

/// The arguments of `move`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Move {
    /// The URL of the database that has the records
    #[arg(long, value_name = "URL")]
    pub from: String,
    /// The URL of the database to move them to
    #[arg(long, value_name = "URL")]
    pub to: String,
}

/// A task of `jobs`.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum JobTask {
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
    /// Removes a job, unless it is running
    Cancel {
        /// The id that `list` shows
        id: i64,
    },
}

/// A task of `migrate`.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum MigrateTask {
    /// Writes the difference between structs and database as SQL into the directory `migrations`
    Diff {
        /// Prints the difference, writes nothing, and fails if there is one: for CI
        #[arg(long)]
        check: bool,
        /// Prints the difference, and writes nothing
        #[arg(long, conflicts_with = "check")]
        dry_run: bool,
    },
    /// Writes an empty migration for statements of your own
    Add {
        /// Its name, such as `split_names`
        name: String,
    },
    /// Writes the file of a data migration: a step that code of the program runs
    Data {
        /// Its name, such as `split_names`
        name: String,
    },
    /// Applies the migrations that the database lacks
    Apply,
    /// Lists the applied and the pending migrations
    Status,
    /// Reverts the last migration; asks first if that drops records
    Revert {
        /// Reverts without a question, even if that drops records
        #[arg(long)]
        yes: bool,
    },
    /// Applies all migrations to an empty database, and fails if the structs need more: for CI
    Verify {
        #[allow(missing_docs)]
        #[command(flatten)]
        shadow: Shadow,
    },
    /// Accepts edits of migrations: writes their hashes into `migrations/crud.sum`
    Hash,
    /// Moves the migrations of your branch after those that came with a merge
    Rebase {
        /// The migrations of your branch: a file of each, or its version
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,
        #[allow(missing_docs)]
        #[command(flatten)]
        shadow: Shadow,
    },
}

/// The database that migrations are tried on.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Shadow {
    /// URL of an empty database; by default, a temporary one is created beside the configured one
    #[arg(long = "shadow", value_name = "URL")]
    pub url: Option<String>,
}

impl ServiceCommand {
    /// The file that an argument names, from the directory where the command is given.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Check { indexes: Some(Some(log)), .. } if log != Path::new("-") => Some(log),
            Self::Backup { file } | Self::Import(Import { file, .. }) => Some(file),
            _ => None,
        }
    }
}

/// A program without a command serves.
#[derive(Debug, Parser)]
#[command(max_term_width = 100, propagate_version = true)]
#[command(version = concat!("(crud-runtime ", env!("CARGO_PKG_VERSION"), ")"))]
#[command(about = "Without a command, creates what the database lacks, and serves the configured service")]
struct Program {
    #[command(subcommand)]
    command: Option<ProgramCommand>,
}

/// A command of every program, or one of the program's plugins.
#[derive(Debug, Subcommand)]
enum ProgramCommand {
    #[command(flatten)]
    Service(ServiceCommand),
    #[command(external_subcommand)]
    Plugin(Vec<OsString>),
}

/// Result of reading a program's arguments.
#[derive(Debug, PartialEq, Eq)]
pub enum Arguments {
    /// A command, or none: the program serves.
    Command(Option<ServiceCommand>),
    /// The help of the program, to be printed with the commands that only its service knows.
    Help(String),
    /// Another help, or the version, to be printed.
    Answer(String),
    /// The error in the arguments.
    Error(String),
}

/// A command that a program lacks, and the feature of the runtime that adds it.
pub type Lacking<'a> = (&'a str, &'a str);

/// Reads a program's arguments, its name among them.
pub fn read(arguments: impl IntoIterator<Item = OsString>, lacking: &[Lacking<'_>]) -> Arguments {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some((command, feature)) = lacking.iter().find(|(name, _)| arguments.get(1).is_some_and(|it| it == name)) {
        let add = format!("`crud add {feature}` adds it to the project");
        return Arguments::Error(format!("`{command}` needs crud-runtime's feature `{feature}`: {add}"));
    }
    let path = arguments.first().map(PathBuf::from).unwrap_or_default();
    let named = Program::command().display_name(path.file_stem().unwrap_or_default().to_string_lossy().into_owned());
    let hidden = lacking.iter().fold(named, |program, (name, _)| {
        let name = (*name).to_owned();
        program.mut_subcommand(name, |command| command.hide(true))
    });
    let is_help =
        matches!(arguments.get(1..), Some([only]) if ["--help", "-h", "help"].iter().any(|help| only == help));
    let names: Vec<String> = hidden.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    let read = hidden.try_get_matches_from(arguments).and_then(|matches| Program::from_arg_matches(&matches));
    match read {
        Ok(Program { command: Some(ProgramCommand::Plugin(words)) }) => match misspelt(&words, names.iter()) {
            Some(error) => Arguments::Error(error),
            None => Arguments::Command(Some(ServiceCommand::Plugin(words))),
        },
        Ok(Program { command: Some(ProgramCommand::Service(command)) }) => Arguments::Command(Some(command)),
        Ok(Program { command: None }) => Arguments::Command(None),
        Err(error) if is_help && error.kind() == ErrorKind::DisplayHelp => {
            Arguments::Help(error.to_string().trim_end().to_owned())
        }
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            Arguments::Answer(error.to_string().trim_end().to_owned())
        }
        Err(error) => Arguments::Error(error.to_string().trim_start_matches("error: ").trim_end().to_owned()),
    }
}

/// The error about a word that is nearly the name of a command; `None` for one that may be a plugin's.
pub fn misspelt(words: &[OsString], names: impl Iterator<Item = impl AsRef<str>>) -> Option<String> {
    let word = words.first()?.to_string_lossy().into_owned();
    let names: Vec<_> = names.collect();
    let nearest = spelling::nearest(&word, names.iter().map(AsRef::as_ref))?;
    Some(format!("unrecognized subcommand '{word}': did you mean '{nearest}'?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(arguments: &[&str]) -> Arguments {
        read(["shop"].iter().chain(arguments).map(OsString::from), &[("jobs", "jobs")])
    }

    #[test]
    fn definitions_are_consistent() {
        Program::command().debug_assert();
    }

    #[test]
    fn arguments_are_a_command_or_none() {
        assert_eq!(program(&[]), Arguments::Command(None));
        let routes = |roles: &[&str]| ServiceCommand::Routes { roles: roles.iter().map(ToString::to_string).collect() };
        assert_eq!(program(&["routes"]), Arguments::Command(Some(routes(&[]))));
        let of_roles = Arguments::Command(Some(routes(&["editor", "author"])));
        assert_eq!(program(&["routes", "--as", "editor,author"]), of_roles);
        let explain = Explain {
            resource: "notes".to_owned(),
            id: Some("7".to_owned()),
            roles: vec!["guest".to_owned()],
            claims: vec!["sub=7".to_owned()],
        };
        let expected = Arguments::Command(Some(ServiceCommand::Explain(explain)));
        assert_eq!(program(&["explain", "notes", "7", "--as", "guest", "--claim", "sub=7"]), expected);
        let roles = vec!["editor".to_owned(), "author".to_owned()];
        let add = UserTask::Add { name: "ada".to_owned(), roles };
        let expected = Arguments::Command(Some(ServiceCommand::User(add)));
        assert_eq!(program(&["user", "add", "ada", "--roles", "editor,author"]), expected);
    }

    #[test]
    fn other_words_are_a_plugins_command() {
        let words = ["board", "count", "--all"].map(OsString::from).to_vec();
        let expected = Arguments::Command(Some(ServiceCommand::Plugin(words)));
        assert_eq!(program(&["board", "count", "--all"]), expected);
    }

    #[test]
    fn help_and_version_are_answers() {
        let Arguments::Help(help) = program(&["--help"]) else { panic!("no help") };
        assert!(help.contains("migrate") && !help.contains("jobs"), "{help}");
        assert!(matches!(program(&["migrate", "--help"]), Arguments::Answer(_)));
        let Arguments::Answer(version) = program(&["--version"]) else { panic!("no version") };
        assert_eq!(version, format!("shop (crud-runtime {})", env!("CARGO_PKG_VERSION")));
    }

    #[test]
    fn errors_name_what_is_wrong() {
        for (arguments, expected) in [
            (&["rout"][..], "unrecognized subcommand 'rout': did you mean 'routes'?"),
            (&["migrate", "diff", "--chek"], "--check"),
            (&["import", "products", "p.csv", "--ignore"], "--on-conflict"),
            (&["jobs", "list"], "`jobs` needs crud-runtime's feature `jobs`"),
        ] {
            let Arguments::Error(error) = program(arguments) else { panic!("{arguments:?}") };
            assert!(error.contains(expected), "{error}");
        }
    }
}
