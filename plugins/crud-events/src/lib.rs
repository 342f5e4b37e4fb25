#![doc = include_str!("../README.md")]

mod core;
mod entry;
mod event;
mod events;
mod lease;
mod log;
mod publish;
mod stream;
mod subscriber;
mod view;
#[cfg(feature = "webhooks")]
mod webhooks;

pub use event::Event;
pub use events::Events;
pub use publish::publish;
#[cfg(feature = "webhooks")]
pub use webhooks::Webhooks;
