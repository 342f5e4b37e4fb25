//! [`Meanwhile`]: columns of a table between two changes.

use std::collections::HashMap;

use crate::catalogue::table::Column;
use crate::schema::change::shape::{Declared, Shape};

/// The columns of a table whose type or nullability the changes so far have altered.
#[derive(Default)]
pub(super) struct Meanwhile(HashMap<String, (Declared, bool)>);

impl Meanwhile {
    /// The shape of a column of the table.
    pub(super) fn shape(&self, present: &Column) -> Shape {
        let shape = Shape::present(present);
        match self.0.get(&present.name) {
            Some((declared, not_null)) => Shape { declared: declared.clone(), not_null: *not_null, ..shape },
            None => shape,
        }
    }

    /// A column has this shape from here on.
    pub(super) fn alter(&mut self, to: &Shape, present: &Column) {
        self.0.insert(present.name.clone(), (to.declared.clone(), to.not_null));
    }
}
