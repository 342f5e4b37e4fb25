//! Files in a bucket of S3, or of a store that speaks its protocol.

use std::sync::Arc;

use crud_runtime::{Error, Result};
use object_store::aws::AmazonS3Builder;
use object_store::path::Path;

use super::Storage;
use super::client::Connector;
use super::location::Bucket;

/// Opens a bucket. The variables `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION` and the like give values
/// that the URL leaves out.
pub(super) fn open(bucket: &Bucket) -> Result<Storage> {
    let failed = |error: object_store::Error| Error::Setup(format!("the bucket of files `{}`: {error}", bucket.name));
    let mut builder = AmazonS3Builder::from_env().with_bucket_name(&bucket.name).with_http_connector(Connector);
    if let Some(endpoint) = &bucket.endpoint {
        builder = builder.with_endpoint(endpoint).with_allow_http(endpoint.starts_with("http://"));
    }
    if let Some((id, secret)) = &bucket.key {
        builder = builder.with_access_key_id(id).with_secret_access_key(secret);
    }
    let prefix = Path::parse(&bucket.prefix).map_err(|error| failed(error.into()))?;
    Ok(Storage::of_store(Arc::new(builder.build().map_err(failed)?), prefix, None))
}
