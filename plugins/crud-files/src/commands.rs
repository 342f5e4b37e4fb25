//! The commands `files check`, `files sweep` and `files adopt`.

use crud_runtime::{Error, PluginCommand, Result, ServiceState};

use crate::check::differences;
use crate::file_service::FileService;
use crate::storage::unavailable;
use crate::{marker, sweep};

pub(crate) fn all(files: &FileService) -> Vec<PluginCommand> {
    let (of_check, of_sweep, of_adopt) = (files.clone(), files.clone(), files.clone());
    vec![
        PluginCommand::new(
            "check",
            "Lists objects without records and records without objects; `--remove` removes the former",
            async move |state, arguments| check(of_check, state, arguments).await,
        ),
        PluginCommand::new("sweep", "Removes files whose time is over, now", async move |state, _| {
            of_sweep.learn(state.model())?;
            marker::claim(&of_sweep, state.app()).await?;
            let swept = sweep::all(&of_sweep, state.app()).await?;
            println!("{} objects removed, {} repaired", swept.removed, swept.repaired);
            Ok(())
        }),
        PluginCommand::new(
            "adopt",
            "Makes the storage of files this database's, after a restore; another database cannot use it then",
            async move |state, _| {
                marker::adopt(&of_adopt, state.app()).await?;
                println!("the storage of files is this database's now; `files check` lists what differs");
                Ok(())
            },
        ),
    ]
}

async fn check(files: FileService, state: ServiceState, arguments: Vec<String>) -> Result<()> {
    let is_removing = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--remove"] => true,
        _ => return Err(Error::Setup("expected `files check` or `files check --remove`".to_owned())),
    };
    let found = differences(&files, state.app()).await?;
    for key in &found.strays {
        println!("no record has the object {key}");
        if is_removing {
            files.storage()?.remove(key).await.map_err(unavailable)?;
        }
    }
    for record in &found.missing {
        println!("the object is missing of: {record}");
    }
    let done = if is_removing { "removed" } else { "found" };
    println!(
        "{} objects; {} without a record {done}; {} missing",
        found.objects,
        found.strays.len(),
        found.missing.len()
    );
    Ok(())
}
