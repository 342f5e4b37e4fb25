//! Queries: the records that storage is asked for, their order and their page.

mod aggregate;
mod aggregation;
#[doc(hidden)]
pub mod assignments;
#[doc(hidden)]
pub mod claims;
mod day;
#[doc(hidden)]
pub mod expansion;
mod field;
mod field_group;
mod joined;
mod limits;
mod list;
mod offsets;
mod pattern;
mod predicate;
#[doc(hidden)]
pub mod record_scope;
#[doc(hidden)]
pub mod related_scope;
mod relation;
mod scope;
#[doc(hidden)]
pub mod search_terms;
mod select;
mod term;
mod total;
mod truth;
#[doc(hidden)]
pub mod visibility;

pub use aggregate::{AggregateQuery, Bucket, Function, Group, GroupKey, Measure};
pub use aggregation::Aggregation;
pub use day::day_bounds;
pub use field::Field;
pub use field_group::FieldGroup;
pub use joined::JoinedColumn;
pub use limits::QueryLimits;
pub use list::{LimitPer, ListQuery, total_order};
pub use offsets::Offsets;
pub use pattern::Pattern;
pub use predicate::{Comparison, InSubquery, Predicate};
pub use relation::{ToMany, ToOne};
pub use scope::Scope;
#[doc(hidden)]
pub use scope::deletion;
pub use search_terms::SearchTerms;
pub use select::{Condition, IntoCondition, Select, SortTerm};
pub use total::Total;
pub use truth::Truth;
