//! `files check`: objects without rows, and rows without objects.

use std::collections::HashSet;

use crud_runtime::Result;
use crud_runtime::prelude::*;
use futures_util::TryStreamExt;

use crate::file_service::FileService;
use crate::marker;
use crate::storage::unavailable;
use crate::table::PAGE;
use crate::table::object::{Object, State};

/// Age from which an object without a row is reported. Rows are written before their objects, so no object is between
/// the two.
const OLD: TimeDelta = TimeDelta::hours(1);

/// The differences between storage and tables.
#[derive(Debug, Default)]
pub(crate) struct Differences {
    /// Keys of objects without a row.
    pub(crate) strays: Vec<String>,
    /// Records whose objects are missing.
    pub(crate) missing: Vec<String>,
    pub(crate) objects: u64,
}

/// Compares the storage with the tables.
pub(crate) async fn differences(files: &FileService, app: &App) -> Result<Differences> {
    let mut differences = Differences::default();
    strays(files, app, &mut differences).await?;
    missing(files, app, &mut differences).await?;
    Ok(differences)
}

async fn strays(files: &FileService, app: &App, differences: &mut Differences) -> Result<()> {
    let (mut listed, mut page) = (files.storage()?.list(), Vec::new());
    while let Some(object) = listed.try_next().await.map_err(unavailable)? {
        let key = object.location.filename().unwrap_or_default().to_owned();
        if key == marker::NAME {
            continue;
        }
        differences.objects += 1;
        if app.now() - object.last_modified >= OLD {
            page.push(key);
        }
        if page.len() as u64 == PAGE {
            without_rows(app, std::mem::take(&mut page), differences).await?;
        }
    }
    without_rows(app, page, differences).await
}

async fn without_rows(app: &App, keys: Vec<String>, differences: &mut Differences) -> Result<()> {
    let rows = Object::by_keys(app, &keys).await?;
    let known: HashSet<&str> = rows.iter().map(|object| object.id.as_str()).collect();
    differences.strays.extend(keys.iter().filter(|key| !known.contains(key.as_str())).cloned());
    Ok(())
}

async fn missing(files: &FileService, app: &App, differences: &mut Differences) -> Result<()> {
    let (storage, mut after) = (files.storage()?, String::new());
    loop {
        let page = Object::page(app, State::Live, app.now(), &after).await?;
        for object in &page {
            if !storage.has(&object.id).await.map_err(unavailable)? {
                differences.missing.push(format!("{} {} {}", object.resource, object.record, object.field));
            }
        }
        match page.last() {
            Some(last) if page.len() as u64 == PAGE => after.clone_from(&last.id),
            _ => return Ok(()),
        }
    }
}
