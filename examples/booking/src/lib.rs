//! Booking of rooms and desks: companies share the service as tenants, and their people are members of several of them. The rules
//! are attributes, each in the file of its resource:
//!
//! - No two bookings of a room overlap; who comes late waits, and moves up when the time is free again (`booking`).
//! - A series of bookings follows a rule of iCalendar in the clock of its location (`series`).
//! - Members change what they have booked, managers everything; guests see the bookings that they are invited to (`booking`).
//! - Managers say who belongs to a company, as what; a company keeps its last manager (`member`).
//! - Sensors report by keys that may do nothing else (`reading`).
//! - A calendar and the screen at a room's door read by secret links (`calendar`, `display`).

#![allow(missing_docs, reason = "the names of the fields say what they are")]

mod booking;
mod calendar;
mod comment;
mod company;
mod display;
mod equipment;
mod location;
mod member;
mod participant;
mod reading;
mod room;
pub mod seed;
mod series;
mod web;

use crud_accounts::{Accounts, ApiKeys};
use crud_admin::Admin;
use crud_events::Events;
use crud_files::Files;
use crud_mcp::Mcp;
use crud_runtime::access::{Access, AccessRules, Role};
use crud_runtime::auth::{Auth, AuthBuilder};
use crud_runtime::{Result, Service, ServicePaths};

pub use self::booking::*;
pub use self::{
    comment::*, company::*, equipment::*, location::*, member::*, participant::*, reading::*, room::*, series::*,
};

/// The authentication: the claim `company` is the tenant.
pub fn auth() -> AuthBuilder {
    Auth::builder().tenant_claim("company").rotate_refresh_tokens().logout()
}

/// The service with its resources and plugins; the program says where floor plans are, and who sends mails.
///
/// # Errors
/// When a plugin refuses its settings.
pub fn booking(service: Service, files: Files, accounts: Accounts) -> Result<Service> {
    resources(service.title("Booking"))
        .plugin(files)?
        .plugin(accounts.invite_role("manager").home("/app"))?
        .plugin(ApiKeys::new())?
        .plugin(Events::new().resource::<Booking>().resource::<Comment>())?
        .plugin(Mcp::new().writes())?
        .plugin(Admin::new().role("manager").link("Week", "/app"))
}

fn resources(service: Service) -> Service {
    service
        .access(|access| {
            access
                .role(Role::new("manager").implies("member").implies("sensor"))
                .role(Role::new("member").implies("guest"))
                .default_access(AccessRules::everything(Access::Role("manager")).read(Access::Role("guest")))
                .audit_role("manager")
                .users_role("operator")
        })
        .server(|server| server.paths(ServicePaths::new().home(None)))
        .resource::<Company>()
        .resource::<Member>()
        .resource::<Location>()
        .resource::<Room>()
        .resource::<Equipment>()
        .resource::<RoomEquipment>()
        .resource::<Booking>()
        .resource::<Participant>()
        .resource::<Series>()
        .resource::<Comment>()
        .resource::<Reading>()
        .routes(calendar::routes())
        .routes(display::routes())
        .routes(web::routes())
}
