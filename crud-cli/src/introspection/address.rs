//! The address of a project without logins that serves another program's database: only this machine reaches it, until
//! the project's owner changes that.

use anyhow::Result;
use crud_config::{ConfigKey, FILE};

use super::present::Present;
use super::report::Report;
use crate::changes::Changes;
use crate::config_file;
use crate::registry::RESOURCES;

/// Hosts that make the service reachable from every network.
const EVERYWHERE: [&str; 2] = ["0.0.0.0", "[::]"];

/// The host that makes the service reachable from this machine alone.
const LOCAL: &str = "127.0.0.1";

/// The calls that give a service logins, or make it accept tokens of another issuer.
const LOGINS: [&str; 3] = ["run_with_auth(", ".auth(", ".authenticate_with("];

/// The example file, of which `.env` is a copy at first.
const EXAMPLE: &str = ".env.example";

/// Makes the service listen on this machine alone, when a project without logins gets its first resource of another
/// program's database.
pub(super) fn close(changes: &mut Changes, present: &[Present], report: &mut Report) -> Result<()> {
    let mut has_logins = false;
    for file in ["src/main.rs", RESOURCES] {
        has_logins |= changes.read(file)?.is_some_and(|text| LOGINS.iter().any(|call| text.contains(call)));
    }
    let is_first = !present.iter().any(|resource| resource.is_unmanaged);
    let Some(key) = ConfigKey::find("bind").filter(|_| is_first && !has_logins) else { return Ok(()) };
    let text = changes.read(FILE)?.unwrap_or_default();
    let mut document = config_file::parsed(&text)?;
    let written = document.get(key.name).and_then(|bind| bind.as_str());
    let bind = written.or(key.default).unwrap_or_default().to_owned();
    let Some((host, port)) = bind.rsplit_once(':').filter(|(host, _)| EVERYWHERE.contains(host)) else { return Ok(()) };
    let local = format!("{LOCAL}:{port}");
    config_file::replace(&mut document, key, &local);
    changes.write(FILE, document.to_string())?;
    if let Some(example) = changes.read(EXAMPLE)? {
        changes.write(EXAMPLE, example.replace(&format!("BIND={host}:{port}\n"), &format!("BIND={local}\n")))?;
    }
    let remark = format!(
        "the service listens on {local}, as everyone who reaches it may do everything: `crud add auth` adds logins, and \
         `crud config --set bind {bind}` opens it to every network"
    );
    report.remark(FILE, &remark);
    Ok(())
}
