#![doc = include_str!("../README.md")]

mod change;
mod compare;
mod contract;
mod layout;
mod lock;
mod schema;

pub use self::change::{Change, Changes, Effect};
pub use self::contract::{Contract, Unreadable};
pub use self::lock::{FILE, assert_compatible};
