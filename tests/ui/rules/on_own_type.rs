use crud_runtime::prelude::*;

use crud_runtime::{Column, ColumnError, Kind, Value, ValueRef};

pub struct Photo(Vec<u8>);

impl Column for Photo {
    const KIND: Kind = Kind::Bytes;

    fn into_value(self) -> Value {
        Value::Bytes(self.0)
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
        Vec::<u8>::from_value(value).map(Self)
    }
}

#[derive(Resource)]
#[crud(default_sort(photo))]
pub struct Product {
    pub id: i64,
    #[crud(min = 5, pattern = "a", filter, sort, max_length = 5, precision = 3, one_of("a"))]
    pub photo: Photo,
}

fn main() {}
