//! [`Presentation`]: a resource as pages for people show it.

use crate::model::setters::setters;

/// Presentation of a resource in pages for people: `admin(…)` on the struct. HTTP and storage do not use it.
///
/// ```
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(admin(title(number), list(number, total), group = "Sales"))]
/// struct Invoice {
///     id: i64,
///     number: String,
///     total: i64,
/// }
///
/// let presentation = Invoice::DESCRIPTOR.presentation;
/// assert_eq!((presentation.title, presentation.list), (Some(1), &[1, 2][..]));
/// assert_eq!(presentation.group, Some("Sales"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Presentation {
    /// The column by which people know a record.
    pub title: Option<usize>,
    /// The columns of a list, in this order; empty where the page chooses.
    pub list: &'static [usize],
    /// The heading under which the resource stands.
    pub group: Option<&'static str>,
    /// Whether menus leave the resource out: people reach its records from other records.
    pub hidden: bool,
    /// Whether pages offer no changes, whatever the caller may do.
    pub read_only: bool,
}

impl Presentation {
    /// Leaves every choice to the page.
    pub const fn new() -> Self {
        Self { title: None, list: &[], group: None, hidden: false, read_only: false }
    }

    setters! {
        /// Sets the column by which people know a record.
        title(Some(usize));
        /// Sets the columns of a list.
        list(&'static [usize]);
        /// Sets the heading.
        group(Some(&'static str));
        /// Leaves the resource out of menus.
        hidden(true);
        /// Offers no changes.
        read_only(true);
    }
}

impl Default for Presentation {
    fn default() -> Self {
        Self::new()
    }
}
