//! A shop in fifteen releases, by the variable `RELEASE`, with the commands of the configuration: `RELEASE=4 story migrate
//! diff`. For the suite that migrates its records from release to release.

mod records;
mod rules;
mod start;
mod year;

use std::env;

use crud_runtime::auth::Auth;
use crud_runtime::{Result, Service};

/// The resources of a release.
fn release(name: &str, service: Service) -> Service {
    match name {
        "1" => start::r1::resources(service),
        "2" => start::r2::resources(service),
        "3" => start::r3::resources(service),
        "4" => start::r4::resources(service),
        "5" => rules::r5::resources(service),
        "loyalty" => rules::loyalty::resources(service),
        "rules" => rules::wider::resources(service),
        "6" => rules::r6::resources(service),
        "7" => rules::r7::resources(service),
        "8" => records::r8::resources(service),
        "9" => records::r9::resources(service),
        "10" => records::r10::resources(service),
        "10-table" => records::r10_table::resources(service),
        "11" => year::r11::resources(service),
        "12" => year::r12::resources(service),
        "13" => year::r13::resources(service),
        "14" => year::r14::resources(service),
        "15" => year::r15::resources(service),
        other => panic!("there is no release `{other}`"),
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let name = env::var("RELEASE").unwrap_or_default();
    if matches!(name.as_str(), "14" | "15") {
        let auth = Auth::builder().secret("a secret of at least thirty-two bytes").tenant_claim("shop");
        return crud_runtime::config::run_with_auth(|service| release(&name, service), auth).await;
    }
    crud_runtime::config::run(|service| release(&name, service).without_auth()).await
}
