//! The column types of values, as the protocol knows them.

use crate::model::descriptor::ColumnDescriptor;
use crate::model::value::Kind;

/// The type in which a value is sent. All integers share one type, and all floats: PostgreSQL compares them with
/// narrower columns, by an index too, and narrows them when it stores them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Bool,
    Int,
    Float,
    Text,
    DateTime,
    NaiveDateTime,
    Date,
    Time,
    Uuid,
    Numeric,
    /// JSON that can be compared.
    Json,
    /// JSON as it was written.
    JsonText,
    Bytes,
    Texts,
    /// Text that is cast to and from this other type.
    Other(&'static str),
    /// A list of texts that is cast to and from this other type.
    OtherTexts(&'static str),
    /// A list of values of a kind.
    List(Kind),
}

impl Type {
    /// The type of a column's values.
    pub(in crate::postgres) const fn of_column(column: &ColumnDescriptor) -> Self {
        match (column.kind, column.text_cast()) {
            (Kind::TextList, Some(sql_type)) => Self::OtherTexts(sql_type),
            (_, Some(sql_type)) => Self::Other(sql_type),
            (Kind::Enum(_), None) if column.is_coded() => Self::Int,
            // Immutable JSON is never compared, and keeps its spelling.
            (Kind::Json, None) if column.immutable => Self::JsonText,
            (kind, None) => Self::of_kind(kind),
        }
    }

    /// The type of values of a kind.
    pub(in crate::postgres) const fn of_kind(kind: Kind) -> Self {
        match kind {
            Kind::Bool => Self::Bool,
            Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 => Self::Int,
            Kind::F32 | Kind::F64 => Self::Float,
            Kind::Text | Kind::Enum(_) => Self::Text,
            Kind::DateTime => Self::DateTime,
            Kind::NaiveDateTime => Self::NaiveDateTime,
            Kind::Date => Self::Date,
            Kind::Time => Self::Time,
            Kind::Uuid => Self::Uuid,
            Kind::Decimal => Self::Numeric,
            Kind::Json => Self::Json,
            Kind::Bytes => Self::Bytes,
            Kind::TextList => Self::Texts,
            Kind::List(item) => Self::List(*item),
        }
    }

    /// The name of the type of a list whose elements have this type.
    pub(in crate::postgres) const fn list_name(self) -> &'static str {
        match self {
            Self::Bool => "boolean[]",
            Self::Int => "bigint[]",
            Self::Float => "double precision[]",
            Self::DateTime => "timestamp with time zone[]",
            Self::NaiveDateTime => "timestamp without time zone[]",
            Self::Date => "date[]",
            Self::Time => "time without time zone[]",
            Self::Uuid => "uuid[]",
            Self::Numeric => "numeric[]",
            _ => "text[]",
        }
    }

    /// The OIDs of the type and of a list of it (`pg_type.dat`: they are the same in every database).
    pub(in crate::postgres) const fn oids(self) -> (u32, u32) {
        match self {
            Self::Bool => (oid::BOOL, 1000),
            Self::Int => (oid::INT8, 1016),
            Self::Float => (oid::FLOAT8, 1022),
            // A list of lists would have to be a matrix, so that its elements are texts of lists instead.
            Self::Text | Self::Other(_) => (oid::TEXT, oid::TEXT_ARRAY),
            Self::Texts | Self::OtherTexts(_) => (oid::TEXT_ARRAY, oid::TEXT_ARRAY),
            Self::List(item) => (Self::of_kind(item).oids().1, oid::TEXT_ARRAY),
            Self::DateTime => (oid::TIMESTAMPTZ, 1185),
            Self::NaiveDateTime => (oid::TIMESTAMP, 1115),
            Self::Date => (oid::DATE, 1182),
            Self::Time => (oid::TIME, 1183),
            Self::Uuid => (oid::UUID, 2951),
            Self::Numeric => (oid::NUMERIC, 1231),
            Self::Json => (oid::JSONB, 3807),
            Self::JsonText => (oid::JSON, 199),
            Self::Bytes => (oid::BYTEA, 1001),
        }
    }

    /// The OID of an element's type in a list.
    pub(in crate::postgres) const fn element(self) -> u32 {
        match self {
            Self::Texts | Self::OtherTexts(_) | Self::List(_) => oid::TEXT,
            other => other.oids().0,
        }
    }
}

/// The OIDs of types.
pub(in crate::postgres) mod oid {
    pub(in crate::postgres) const BOOL: u32 = 16;
    pub(in crate::postgres) const BYTEA: u32 = 17;
    pub(in crate::postgres) const NAME: u32 = 19;
    pub(in crate::postgres) const INT8: u32 = 20;
    pub(in crate::postgres) const INT2: u32 = 21;
    pub(in crate::postgres) const INT4: u32 = 23;
    pub(in crate::postgres) const TEXT: u32 = 25;
    pub(in crate::postgres) const JSON: u32 = 114;
    pub(in crate::postgres) const FLOAT4: u32 = 700;
    pub(in crate::postgres) const FLOAT8: u32 = 701;
    pub(in crate::postgres) const TEXT_ARRAY: u32 = 1009;
    pub(in crate::postgres) const BPCHAR_ARRAY: u32 = 1014;
    pub(in crate::postgres) const VARCHAR_ARRAY: u32 = 1015;
    pub(in crate::postgres) const BPCHAR: u32 = 1042;
    pub(in crate::postgres) const VARCHAR: u32 = 1043;
    pub(in crate::postgres) const DATE: u32 = 1082;
    pub(in crate::postgres) const TIME: u32 = 1083;
    pub(in crate::postgres) const TIMESTAMP: u32 = 1114;
    pub(in crate::postgres) const TIMESTAMPTZ: u32 = 1184;
    pub(in crate::postgres) const NUMERIC: u32 = 1700;
    pub(in crate::postgres) const UUID: u32 = 2950;
    pub(in crate::postgres) const JSONB: u32 = 3802;
}
