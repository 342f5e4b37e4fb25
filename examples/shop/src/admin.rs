//! The first user: `admin`, who creates the others.

use std::env;

use crud_runtime::Result;
use crud_runtime::auth::Users;
use crud_runtime::prelude::Uuid;

/// Creates `admin` in a shop without users. The password is `SHOP_ADMIN_PASSWORD`, or else a random one that is printed
/// once.
pub(crate) async fn create(users: &Users) -> Result<()> {
    let given = env::var("SHOP_ADMIN_PASSWORD").ok();
    let password = given.clone().unwrap_or_else(random);
    let created = users.create_first("admin", &password, ["admin"]).await?;
    if created && given.is_none() {
        println!("the password of `admin` is {password}; it is not shown again");
    }
    Ok(())
}

/// A random text that cannot be guessed.
pub(crate) fn random() -> String {
    // A UUID of version 7 has at least 32 random bits at its end; a counter may use the others.
    (0..4).map(|_| Uuid::now_v7().simple().to_string()).collect()
}
