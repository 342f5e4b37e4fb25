use crud_runtime::prelude::*;
use crud_runtime::{ColumnError, Kind, Value, ValueRef};

pub struct Sku(String);

impl Sku {
    #[allow(non_upper_case_globals)]
    const Draft: Self = Self(String::new());
    #[allow(non_upper_case_globals)]
    const Published: Self = Self(String::new());
}

impl Column for Sku {
    const KIND: Kind = Kind::Text;

    fn into_value(self) -> Value {
        Value::Text(self.0)
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
        String::from_value(value).map(Self)
    }
}

#[derive(Resource)]
pub struct Article {
    pub id: i64,
    #[crud(default = Sku::Draft, transitions(publish: Draft -> Published))]
    pub sku: Sku,
}

fn main() {}
