//! The first user: `admin`, who makes the others.

use std::env;

use crud_runtime::Result;
use crud_runtime::auth::Users;
use crud_runtime::prelude::Uuid;

/// Creates `admin` with the password of `SHOP_ADMIN_PASSWORD`, or a random one that is printed this once. A shop
/// that has users keeps them.
pub(crate) async fn create(users: &Users) -> Result<()> {
    let given = env::var("SHOP_ADMIN_PASSWORD").ok();
    let password = given.clone().unwrap_or_else(random);
    let created = users.create_first("admin", &password, ["admin"]).await?;
    if created && given.is_none() {
        println!("the password of `admin` is {password}; it is not shown again");
    }
    Ok(())
}

/// A text that nobody guesses.
pub(crate) fn random() -> String {
    // Of a UUID of version 7, the last 32 bits at least are random, whatever its counter does with the others.
    (0..4).map(|_| Uuid::now_v7().simple().to_string()).collect()
}
