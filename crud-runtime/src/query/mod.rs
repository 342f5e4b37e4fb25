//! Queries: the records that storage is asked for, their order and their page.

pub(crate) mod cursor;
pub(crate) mod expansion;
mod field;
mod field_group;
mod joined;
mod limits;
mod list;
mod pattern;
mod predicate;
pub(crate) mod reach;
pub(crate) mod record_scope;
mod relation;
mod scope;
mod select;
mod total;
pub(crate) mod visibility;
pub(crate) mod words;

pub use field::Field;
pub use field_group::FieldGroup;
pub use joined::JoinedColumn;
pub use limits::QueryLimits;
pub use list::{LimitPer, ListQuery, total_order};
pub use pattern::Pattern;
pub use predicate::{Comparison, InSelect, Predicate};
pub use relation::{ToMany, ToOne};
pub use scope::Scope;
pub use select::{Condition, Select, SortTerm};
pub use total::Total;
pub use words::Words;
