//! The program with its resources.

use std::future::ready;
use std::net::IpAddr;

use axum::middleware::from_fn;
use axum::routing::get;
use axum::{Json, Router};
use crud_runtime::{Background, DocumentOptions, Result, Service, ServicePaths, openapi};
use sqlx::SqlitePool;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};

use crate::books::{self, Book, Note};
use crate::club::Club;
use crate::letters::{Letter, Weekly};
use crate::{members, pages, proxy};

/// The router of the program, and the work beside its requests. `town` is the address of the town's proxy.
///
/// # Errors
/// Errors of the database, and of resources and routes that do not fit together.
pub async fn application(pool: SqlitePool, town: IpAddr) -> Result<(Router, Background)> {
    let session = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new("id")));
    let service = Service::from_pool(pool.clone())
        .resource::<Book>()
        .resource::<Note>()
        .job::<Letter>()
        .schedule("0 9 * * 1", Weekly)? // on Mondays at nine, UTC
        .extension(pool.clone())
        // Whose request it is: the member of the session, or else the librarian that the proxy names.
        .access(|access| {
            access
                .principal_from_layers()
                .authenticate_with(move |parts| ready(Ok(proxy::librarian(town, &parts))))
                .security_scheme("session", session)
        })
        // The club has these paths itself, and a page for those that there are not.
        .server(|server| {
            server
                .paths(ServicePaths::new().home(None).health(None).ready("/internal/ready").profile(None))
                .without_fallback()
        })
        .openapi(DocumentOptions::without_docs)
        .migrate()
        .await?;
    let club = Club { pool: pool.clone(), books: service.store::<Book>() };
    let service = service.route("/books/{id}/recommend", books::recommend().with_state(club.clone()));

    let (router, mut document) = pages::router().with_state(club).split_for_parts();
    openapi::merge(&mut document, service.openapi_document()?)?;
    let (resources, background) = service.into_parts()?;
    let router = router
        .merge(resources)
        .route("/api.json", get(async move || Json(document)))
        .fallback(pages::not_found)
        // The last layer is the outermost: it finds the member whom the first makes the principal.
        .layer(from_fn(members::set_principal))
        .layer(members::sessions(pool));
    Ok((router, background))
}
