//! Values in the binary forms of the protocol, which pass through as they are.

use bytes::BytesMut;
use crud_runtime::BoxError;
use crud_runtime::postgres_driver::Parameter;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

/// A value that a statement binds.
#[derive(Debug)]
pub(crate) struct Bound<'p>(pub(crate) &'p Parameter);

impl ToSql for Bound<'_> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, BoxError> {
        let Some(bytes) = self.0.bytes() else { return Ok(IsNull::Yes) };
        out.extend_from_slice(bytes);
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// A value of a row, of any type.
pub(crate) struct Raw<'r>(pub(crate) &'r [u8]);

impl<'r> FromSql<'r> for Raw<'r> {
    fn from_sql(_: &Type, raw: &'r [u8]) -> Result<Self, BoxError> {
        Ok(Self(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}
