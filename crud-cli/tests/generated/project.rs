//! [`Project`]: generated, and asked.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// The directory of the projects: always the same, so that their compiled files are replaced.
static DIRECTORY: LazyLock<PathBuf> = LazyLock::new(|| {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated");
    fs::create_dir_all(directory.join(".cargo")).expect("the directory");
    fs::write(directory.join(".cargo/config.toml"), SETTINGS).expect("the settings");
    // The settings of this workspace, above, are not the users'.
    for settings in ["rustfmt.toml", "clippy.toml"] {
        fs::write(directory.join(settings), "").expect("the settings");
    }
    directory
});

/// The settings of cargo for all projects.
const SETTINGS: &str = r#"
# Clippy reads the projects where they are built. `cargo clippy` would compile what they depend on once more.
[build]
rustc-workspace-wrapper = "clippy-driver"

# As projects with authentication have it. With another profile, the runtime would be compiled again for those without.
[profile.dev.package.argon2]
opt-level = 3
debug = false
"#;

/// The lints of each project, for its manifest: it does not compile where clippy has advice.
const LINTS: &str = r#"
[lints]
rust.warnings = "deny"
clippy.pedantic = { level = "warn", priority = -1 }
"#;

/// A project, generated anew.
pub(crate) struct Project {
    pub(crate) name: &'static str,
    pub(crate) root: PathBuf,
}

impl Project {
    /// Initialises one with these options, and generates resources: each a model, its fields, and more options. It is
    /// formatted.
    pub(crate) fn generate(name: &'static str, options: &[&str], models: &[(&str, &str, &[&str])]) -> Self {
        let project = Self { name, root: DIRECTORY.join(name) };
        if project.root.exists() {
            fs::remove_dir_all(&project.root).expect("the last run's project goes");
        }
        let arguments = [&["init", "--name", name], options].concat();
        run(command(env!("CARGO_BIN_EXE_crud"), &DIRECTORY).args(arguments)).done();
        for (model, fields, options) in models {
            let arguments = [&["generate", "--model", model, "--fields", fields], *options].concat();
            project.crud(&arguments).done();
        }
        // Its versions are then those that are at hand.
        let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
        fs::copy(lock, project.root.join("Cargo.lock")).expect("the lock file");
        let manifest = project.root.join("Cargo.toml");
        let text = fs::read_to_string(&manifest).expect("its manifest");
        fs::write(manifest, text + LINTS).expect("its manifest");
        assert_eq!(project.cargo(&["fmt", "--", "--check"]).done(), "", "it is formatted");
        project
    }

    /// Whether it is compiled: in the long part `generated`. Reports, past the test runner's capture, that it is not.
    pub(crate) fn is_compiled(&self) -> bool {
        let parts = env::var("CRUD_TEST_LONG").unwrap_or_default();
        let is_long = parts.split(',').any(|part| ["all", "generated"].contains(&part.trim()));
        if !is_long {
            // A report that cannot be written is no reason to fail a test.
            writeln!(io::stderr(), "SKIPPED: {}: CRUD_TEST_LONG=generated compiles it", self.name).ok();
        }
        is_long
    }

    /// Runs the command in it.
    pub(crate) fn crud(&self, arguments: &[&str]) -> Said {
        self.crud_with(arguments, &[])
    }

    /// Runs the command in it, with variables of the environment.
    pub(crate) fn crud_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Said {
        let variables = variables.iter().copied();
        run(command(env!("CARGO_BIN_EXE_crud"), &self.root).args(arguments).envs(variables))
    }

    /// Runs cargo in it.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Said {
        self.cargo_with(arguments, &[])
    }

    /// Runs cargo in it, with variables of the environment.
    pub(crate) fn cargo_with(&self, arguments: &[&str], variables: &[(&str, String)]) -> Said {
        let variables = variables.iter().map(|(name, value)| (name, value));
        run(command("cargo", &self.root).args(arguments).envs(variables))
    }

    /// Its program, once that is built.
    pub(crate) fn program(&self) -> Command {
        command(target().join("debug").join(self.name), &self.root)
    }

    /// Changes a file.
    pub(crate) fn edit(&self, file: &str, from: &str, to: &str) {
        let path = self.root.join(file);
        let text = fs::read_to_string(&path).expect("the file");
        assert!(text.contains(from), "{from} in {text}");
        fs::write(path, text.replace(from, to)).expect("the file");
    }
}

/// The target directory that this test is compiled in.
fn target() -> PathBuf {
    let profile = Path::new(env!("CARGO_BIN_EXE_crud")).parent().expect("the profile's directory");
    profile.parent().expect("the target directory").to_owned()
}

/// A command to be run in a directory, in an environment without settings of a service.
fn command(program: impl AsRef<OsStr>, directory: &Path) -> Command {
    let mut command = Command::new(program);
    for variable in [
        "DATABASE_URL",
        "BIND",
        "DEFAULT_LIMIT",
        "MAX_LIMIT",
        "METRICS",
        "RUST_LOG",
        "JWT_SECRET_KEY",
        "ADMIN_PASSWORD",
    ] {
        command.env_remove(variable);
    }
    command.env("CARGO_TARGET_DIR", target()).env("CARGO_NET_OFFLINE", "true");
    command.current_dir(directory).stdin(Stdio::null());
    command
}

/// Output of a command.
pub(crate) struct Said {
    pub(crate) good: bool,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> Said {
    let output = command.output().expect("the command runs");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Said { good: output.status.success(), out: text(output.stdout), err: text(output.stderr) }
}

impl Said {
    /// The output of a command that succeeded.
    #[track_caller]
    pub(crate) fn done(self) -> String {
        assert!(self.good, "{}{}", self.out, self.err);
        self.out
    }

    /// It has refused; gives why.
    #[track_caller]
    pub(crate) fn refused(self) -> String {
        assert!(!self.good, "{}{}", self.out, self.err);
        self.err
    }
}
