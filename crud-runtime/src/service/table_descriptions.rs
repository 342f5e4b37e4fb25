//! [`TableDescriptions`]: the descriptions of the tables that several structs have.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::model::descriptor::Descriptor;

/// The descriptions of the tables that several structs have, by the structs' addresses.
pub(super) type TableDescriptions = Arc<Mutex<HashMap<Vec<usize>, &'static Descriptor>>>;
