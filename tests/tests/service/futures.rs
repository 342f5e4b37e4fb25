//! Futures of a program's `main`: clippy's `large_futures` advises against those of more than 16 KiB.

use std::future::pending;

use crud_runtime::Service;
use crud_runtime::auth::Auth;
use crud_runtime::config::{Config, run, run_with_auth};
use tokio::net::TcpListener;

/// Clippy's default for `future-size-threshold`, in bytes.
const LIMIT: usize = 16 * 1024;

/// The size of the futures that a function returns.
const fn size<A, F: Future>(_: &impl FnOnce(A) -> F) -> usize {
    size_of::<F>()
}

#[test]
fn futures_of_a_program_are_small() {
    for (name, size) in [
        ("connect", size(&|url: &'static str| Service::connect(url))),
        ("from_config", size(&|config: &'static Config| Service::from_config(config))),
        ("check_schema", size(&Service::check_schema)),
        ("migrate", size(&Service::migrate)),
        ("serve", size(&|service: Service| service.serve("127.0.0.1:8000"))),
        ("serve_on", size(&|(service, listener): (Service, TcpListener)| service.serve_on(listener, pending::<()>()))),
        ("run", size(&|()| run(|service| service))),
        ("run_with_auth", size(&|()| run_with_auth(|service| service, Auth::builder()))),
    ] {
        assert!(size < LIMIT, "{name}: {size} bytes");
    }
}
