//! The first user: `admin`, who makes the others.

use std::env;

use crud_runtime::auth::Users;
use crud_runtime::error::Code;
use crud_runtime::prelude::Uuid;
use crud_runtime::{Error, Result};

/// Creates `admin` with the password of `SHOP_ADMIN_PASSWORD`, or a random one that is printed this once. A shop
/// that has an `admin` keeps it.
pub(crate) async fn create(users: &Users) -> Result<()> {
    let given = env::var("SHOP_ADMIN_PASSWORD").ok();
    let password = given.clone().unwrap_or_else(random);
    match users.create_user("admin", &password).await {
        Ok(_) => {}
        Err(Error::Problem(problem)) if problem.code() == Code::Conflict => return Ok(()),
        Err(error) => return Err(error),
    }
    users.set_roles("admin", ["admin"]).await?;
    if given.is_none() {
        println!("the password of `admin` is {password}; it is not shown again");
    }
    Ok(())
}

/// A text that nobody guesses.
pub(crate) fn random() -> String {
    // Of a UUID of version 7, the last 62 bits are random throughout.
    let digits = || format!("{:016x}", Uuid::now_v7().as_u64_pair().1 << 2);
    format!("{}{}{}", digits(), digits(), digits())
}
