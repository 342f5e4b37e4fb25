//! [`check`]: a proof for a test, which `crud prove` runs.

use std::{env, fs};

use crud_runtime::{Error, Result, Service};

use crate::proof::Proof;

/// Environment variable with the path of the table's file, for `crud prove --table`.
const TABLE: &str = "CRUD_PROVE_TABLE";

/// Environment variable with the path of the report's file, for `crud prove`.
const REPORT: &str = "CRUD_PROVE_REPORT";

/// Environment variable that is set for a proof with every principal. Without it, a proof is quick.
const FULL: &str = "CRUD_PROVE_FULL";

/// Proves a service in a test. The proof is quick, unless `crud prove` asks for a full one by an environment variable.
///
/// ```
/// # use crud_runtime::prelude::*;
/// # #[derive(Debug, Clone, Resource)] struct Book { id: i64, #[crud(length(max = 40))] title: String }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// let auth = crud_runtime::auth::Auth::builder().secret("a secret of at least thirty-two bytes").build()?;
/// crud_prove::check(Service::connect("sqlite::memory:").await?.auth(auth).resource::<Book>()).await
/// # }
/// ```
///
/// # Errors
/// [`Error::Setup`] with the report, if an answer differs from the rules; errors of [`Proof::run`].
pub async fn check(service: Service) -> Result<()> {
    let proof = Proof::new(service);
    let proof = if env::var_os(FULL).is_some() { proof } else { proof.quick() };
    let report = proof.run().await?;
    write(TABLE, report.table())?;
    write(REPORT, &report.to_string())?;
    if report.differences.is_empty() { Ok(()) } else { Err(Error::Setup(report.to_string())) }
}

/// Writes a text to the file that an environment variable names, if it is set.
fn write(variable: &str, text: &str) -> Result<()> {
    let Some(file) = env::var_os(variable) else { return Ok(()) };
    fs::write(&file, text).map_err(|error| Error::Setup(format!("{}: {error}", file.display())))
}
