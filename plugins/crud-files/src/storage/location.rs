//! [`Location`]: the place of a service's files.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crud_runtime::{Error, Result};
use object_store::ObjectStore;
use url::Url;

/// The place of a service's files.
#[derive(Clone)]
pub(crate) enum Location {
    /// In a directory.
    Directory(PathBuf),
    /// In a bucket of S3, or of a server with its protocol.
    Bucket(Bucket),
    /// In a store that the program opened.
    Store(Arc<dyn ObjectStore>),
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory(directory) => f.debug_tuple("Directory").field(directory).finish(),
            Self::Bucket(bucket) => f.debug_tuple("Bucket").field(&bucket.name).finish(),
            Self::Store(store) => f.debug_tuple("Store").field(&store.to_string()).finish(),
        }
    }
}

#[derive(Clone)]
#[cfg_attr(not(feature = "s3"), allow(dead_code, reason = "a bucket is an error without the feature"))]
pub(crate) struct Bucket {
    pub(crate) name: String,
    /// Prefix of the paths of objects; empty for none.
    pub(crate) prefix: String,
    /// The server; `None` for AWS.
    pub(crate) endpoint: Option<String>,
    /// The id and the secret of a key; `None` to take them from the variables `AWS_…`.
    pub(crate) key: Option<(String, String)>,
}

impl Location {
    /// Parses a setting: a directory, `s3://bucket/prefix`, or `https://key:secret@server/bucket/prefix`.
    ///
    /// # Errors
    /// [`Error::Setup`] for a URL without a bucket. The error does not repeat the URL, which may have a secret.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        if !text.contains("://") {
            return Ok(Self::Directory(text.into()));
        }
        let refused = || {
            let words =
                "files are in a directory, `s3://bucket`, or `https://key:secret@server/bucket`: found another URL";
            Error::Setup(words.to_owned())
        };
        let url = Url::parse(text).map_err(|_| refused())?;
        let bucket = match url.scheme() {
            "s3" => Bucket::of_provider(&url),
            "http" | "https" => Bucket::of_server(&url),
            _ => None,
        };
        bucket.map(Self::Bucket).ok_or_else(refused)
    }
}

impl Bucket {
    fn of_provider(url: &Url) -> Option<Self> {
        let prefix = url.path().trim_matches('/').to_owned();
        Some(Self { name: url.host_str()?.to_owned(), prefix, endpoint: None, key: None })
    }

    fn of_server(url: &Url) -> Option<Self> {
        let path = url.path().trim_matches('/');
        let (name, prefix) = path.split_once('/').unwrap_or((path, ""));
        let decoded = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
        let key = url.password().map(|secret| (decoded(url.username()), decoded(secret)));
        let endpoint = url.origin().ascii_serialization();
        let bucket = Self { name: name.to_owned(), prefix: prefix.to_owned(), endpoint: Some(endpoint), key };
        (!name.is_empty()).then_some(bucket)
    }
}

#[cfg(test)]
mod tests {
    use super::Location;

    #[test]
    fn place_is_a_directory_or_the_url_of_a_bucket() {
        assert!(
            matches!(Location::parse("files").expect("a place"), Location::Directory(path) if path.as_os_str() == "files")
        );
        let Ok(Location::Bucket(bucket)) = Location::parse("s3://shop/photos") else { panic!("expected a bucket") };
        assert_eq!((bucket.name.as_str(), bucket.prefix.as_str(), bucket.endpoint), ("shop", "photos", None));
        let Ok(Location::Bucket(bucket)) = Location::parse("http://id:a%2Fb@127.0.0.1:9000/shop") else {
            panic!("a bucket")
        };
        assert_eq!(bucket.endpoint.as_deref(), Some("http://127.0.0.1:9000"));
        assert_eq!(bucket.key, Some(("id".to_owned(), "a/b".to_owned())));
        for wrong in ["ftp://a/b", "http://server", "s3://", "https://secret@/x"] {
            let error = Location::parse(wrong).expect_err("no place").to_string();
            assert!(error.contains("s3://bucket") && !error.contains("secret@/x"), "{error}");
        }
    }
}
