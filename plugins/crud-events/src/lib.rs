#![doc = include_str!("../README.md")]

mod core;
mod entry;
mod event;
mod events;
mod log;
mod publish;
mod stream;
mod subscriber;
mod view;
mod webhooks;

pub use event::Event;
pub use events::Events;
pub use publish::publish;
