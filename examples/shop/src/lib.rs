//! A small shop: categories, the products in them, and orders.

mod category;
mod order;
mod product;
pub mod seed;

use crud_runtime::Service;
use crud_runtime::openapi::{Contact, License};

pub use category::{Category, CategoryPatch, NewCategory};
pub use order::{NewOrder, Order, OrderPatch, Status};
pub use product::{NewProduct, Product, ProductPatch};

/// Adds the shop's resources to a service.
pub fn shop(service: Service) -> Service {
    service
        .title("Shop API")
        .openapi(|document| {
            document
                .description("Categories, products and orders of a small shop.")
                .version(env!("CARGO_PKG_VERSION"))
                .contact(Contact::new("Shop team").email("shop@example.com"))
                .license(License::spdx("MIT OR Apache-2.0"))
        })
        // The program adds the plugin with its storage of files; tests of the shop do without photos.
        .server(|server| server.without_plugin("files"))
        .resource::<Category>()
        .resource::<Product>()
        .resource::<Order>()
}

/// The shop for development: everyone may do everything.
pub fn open_shop(service: Service) -> Service {
    shop(service).without_auth()
}
