//! [`Files`]: the plugin.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crud_runtime::adapter::BoxFuture;
use crud_runtime::descriptor::Descriptor;
use crud_runtime::prelude::*;
use crud_runtime::routing::Routes;
use crud_runtime::{BoxError, Model, Plugin, PluginCommand, PluginSettings, Result, ServiceState};
use object_store::ObjectStore;

use crate::file::File;
use crate::file_service::FileService;
use crate::inspect::{Inspected, Verdict};
use crate::removals::Removals;
use crate::storage::location::Location;
use crate::table::directory::Directory;
use crate::table::object::Object;
use crate::table::upload::Upload;
use crate::transfers::Transfers;
use crate::{commands, marker, routes, sweep};

/// Fields that hold files: `photo: Option<File>` of any resource, with routes to upload and to download it.
///
/// ```
/// use crud_files::{File, Files};
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Product {
///     id: i64,
///     name: String,
///     #[crud(file(max = "10MB", types("image/png", "image/jpeg")))]
///     photo: Option<File>,
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// // `PUT`, `GET`, `HEAD` and `DELETE /products/7/photo`
/// let service = Service::connect("sqlite::memory:").await?.plugin(Files::local("files"))?.resource::<Product>();
/// # Ok(()) }
/// ```
///
/// In `[files]` of `crud.toml`: `store = "s3://bucket"` (or the variable `FILES_STORE`), `keep = "30d"`, `transfers = 64`.
#[derive(Debug, Clone)]
#[must_use = "a plugin does nothing until `Service::plugin` adds it"]
pub struct Files(FileService);

impl Files {
    /// Files in a directory, which is created if it is missing. A relative path is below the program's working
    /// directory.
    pub fn local(directory: impl Into<PathBuf>) -> Self {
        Self::of(Location::Directory(directory.into()))
    }

    /// Files in a bucket of S3, or of a server with its protocol: `s3://bucket/prefix`, or
    /// `https://key:secret@server/bucket/prefix`. The variables `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and
    /// `AWS_REGION` give values that the URL leaves out.
    ///
    /// # Errors
    /// `Error::Setup` for another URL.
    #[cfg(feature = "s3")]
    pub fn s3(url: &str) -> Result<Self> {
        Location::parse(url).map(Self::of)
    }

    /// Files in a store that the program opens, such as Google's or Azure's by the features of `object_store`.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use crud_files::{Files, object_store};
    ///
    /// let files = Files::store(Arc::new(object_store::memory::InMemory::new()));
    /// ```
    pub fn store(store: Arc<dyn ObjectStore>) -> Self {
        Self::of(Location::Store(store))
    }

    fn of(location: Location) -> Self {
        Self(FileService::new(location))
    }

    #[cfg(test)]
    pub(crate) const fn of_service(files: FileService) -> Self {
        Self(files)
    }

    /// Sets the time for which a former file of a record is kept; 30 days if never called. `?as_of=` needs former
    /// files, and so does a restored backup of the database that is older than the storage.
    pub fn keep(mut self, time: Duration) -> Self {
        self.0.keep = time;
        self
    }

    /// Sets the limit of concurrent uploads and downloads; 64 if never called. Further requests are answered with 503.
    pub fn transfers(mut self, limit: usize) -> Self {
        self.0.transfers = Transfers::new(limit);
        self
    }

    /// Inspects each file after it is stored and before its record gets it: by a virus scanner, for example.
    ///
    /// ```
    /// use crud_files::{Files, Verdict};
    /// use futures_util::StreamExt;
    ///
    /// let files = Files::local("files").inspect(async |file| {
    ///     let mut bytes = file.stream().await?;
    ///     while let Some(bytes) = bytes.next().await {
    ///         if bytes?.windows(5).any(|window| window == b"EICAR") {
    ///             return Ok(Verdict::Refuse("has a virus".into()));
    ///         }
    ///     }
    ///     Ok(Verdict::Accept)
    /// });
    /// ```
    pub fn inspect<F, W>(mut self, inspect: F) -> Self
    where
        F: Fn(Inspected) -> W + Send + Sync + 'static,
        W: Future<Output = Result<Verdict, BoxError>> + Send + 'static,
    {
        self.0.inspections.add(inspect);
        self
    }

    /// Releases the held file of a record, in a field with `file(hold)`. Returns `false` if no file was held. The key
    /// of the record is a text, as in its path.
    ///
    /// ```
    /// # use crud_files::{File, Files};
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Product { id: i64, #[crud(file(types("*/*"), hold))] manual: Option<File> }
    /// /// Releases the manual of a product that was looked at.
    /// async fn looked_at(files: &Files, app: &App, product: i64) -> crud_runtime::Result<bool> {
    ///     files.release(app, &Product::DESCRIPTOR, "manual", &product.to_string()).await
    /// }
    /// ```
    ///
    /// # Errors
    /// `Error::Setup` for a field that the resource does not have; errors of the database.
    pub async fn release(&self, app: &App, resource: &Descriptor, field: &str, record: &str) -> Result<bool> {
        let column = column_of(resource, field)?;
        Object::release(&app.unscoped(), (resource.table, column), record, None).await
    }

    /// Releases a held file like [`release`](Self::release), if the record still has this one. For a check that takes
    /// some time: its record may get another file meanwhile, which was not checked.
    ///
    /// ```
    /// # use crud_files::{File, Files};
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Product { id: i64, #[crud(file(types("*/*"), hold))] manual: Option<File> }
    /// /// Releases the manual of a product, unless it was replaced while it was looked at.
    /// async fn looked_at(files: &Files, app: &App, product: i64, manual: &File) -> crud_runtime::Result<bool> {
    ///     files.release_file(app, &Product::DESCRIPTOR, "manual", &product.to_string(), manual).await
    /// }
    /// ```
    ///
    /// # Errors
    /// Errors of [`release`](Self::release).
    pub async fn release_file(
        &self,
        app: &App,
        resource: &Descriptor,
        field: &str,
        record: &str,
        file: &File,
    ) -> Result<bool> {
        let column = column_of(resource, field)?;
        Object::release(&app.unscoped(), (resource.table, column), record, Some(file.sha256())).await
    }

    /// Sweeps now: removes expired bytes of former and refused files, and repairs what a crash left unfinished. For a
    /// job of the program, and for tests: the service sweeps each hour by itself.
    ///
    /// # Errors
    /// Errors of the database and of the storage of files.
    pub async fn sweep(&self, app: &App) -> Result<()> {
        sweep::all(&self.0, app).await.map(drop)
    }

    /// Assigns the storage of files to this database, like the command `files adopt`. For use after a restore.
    ///
    /// # Errors
    /// Errors of the database and of the storage of files.
    pub async fn adopt(&self, app: &App) -> Result<()> {
        marker::adopt(&self.0, app).await
    }
}

/// The column of a field.
fn column_of(resource: &Descriptor, field: &str) -> Result<&'static str> {
    let column = resource.columns.iter().find(|column| column.name == field);
    let missing = || crud_runtime::Error::Setup(format!("{} has no field `{field}`", resource.name));
    column.map(|column| column.column).ok_or_else(missing)
}

impl Plugin for Files {
    fn name(&self) -> &'static str {
        "files"
    }

    fn configure(&mut self, settings: &mut PluginSettings) -> Result<()> {
        if let Some(store) = settings.text("store")? {
            self.0.location = Location::parse(&store)?;
        }
        self.0.keep = settings.time("keep")?.unwrap_or(self.0.keep);
        if let Some(limit) = settings.number("transfers")? {
            self.0.transfers = Transfers::new(usize::try_from(limit).unwrap_or(usize::MAX >> 4));
        }
        Ok(())
    }

    fn install(&self, service: Service) -> Result<Service> {
        let files = self.0.clone();
        let service = service.table::<Object>().table::<Upload>().table::<Directory>();
        let service = service.extend(|options| options.secret_keys().observe(Removals));
        Ok(service.beside(move |state| sweep::run(files.clone(), state)))
    }

    fn routes(&self, model: &Model) -> Result<Routes> {
        let fields = self.0.learn(model)?;
        Ok(fields.iter().fold(Routes::new(), |all, field| routes::add(all, &self.0, field)))
    }

    fn ready<'a>(&'a self, state: &'a ServiceState) -> BoxFuture<'a, Result<()>> {
        Box::pin(marker::check(self.0.clone(), state.app().clone()))
    }

    fn commands(&self) -> Vec<PluginCommand> {
        commands::all(&self.0)
    }
}
