//! [`photos`]: pictures of the newest products.

use std::future::pending;
use std::io;
use std::time::Duration;

use crud_runtime::axum::Router;
use crud_runtime::axum::body::Body;
use crud_runtime::axum::http::{Request, header};
use crud_runtime::prelude::*;
use crud_runtime::{Result, Service};
use tower::ServiceExt;

use super::picture::png;
use crate::Product;

/// Number of products with a picture: those of a list's first pages.
const PHOTOS: u64 = 40;

/// Gives the newest products a picture each, by the route that clients upload photos to; returns their number.
///
/// # Errors
/// When a photo is refused, or the database or the store of files fails.
pub async fn photos(service: Service) -> Result<usize> {
    let newest = Select::all().order_by(Product::FIELDS.created_at.desc()).limit(PHOTOS);
    let products = service.store::<Product>().list(newest).await?;
    let (router, background) = service.without_auth().into_parts()?;
    let uploads = async {
        for product in &products {
            upload(&router, product).await?;
        }
        Ok(())
    };
    background.run_beside(uploads, Duration::ZERO, pending()).await?;
    Ok(products.len())
}

async fn upload(router: &Router, product: &Product) -> io::Result<()> {
    let number = |key: i64| usize::try_from(key).unwrap_or_default();
    let picture = png(number(product.category_id), number(product.id));
    let request = Request::put(format!("/products/{}/photo", product.id))
        .header(header::CONTENT_TYPE, "image/png")
        .header(header::CONTENT_LENGTH, picture.len())
        .header(header::CONTENT_DISPOSITION, format!("attachment; filename=\"product-{}.png\"", product.id));
    let request = request.body(Body::from(picture)).map_err(io::Error::other)?;
    let Ok(response) = router.clone().oneshot(request).await;
    if response.status().is_success() {
        return Ok(());
    }
    Err(io::Error::other(format!("a photo is refused with {}", response.status())))
}
