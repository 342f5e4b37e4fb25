//! Implementations of [`Documented`](super::documented_type::Documented) for types of expansions and of built-in routes:
//! an expansion does not see whether the runtime has the feature `utoipa`.

/// Implements `Documented` for types by their names and their `DocumentedType`s; here by utoipa's `ToSchema`.
#[cfg(feature = "utoipa")]
#[doc(hidden)]
#[macro_export]
macro_rules! __documented {
    ($($type:ty, $name:expr, $documented:expr;)+) => { $(
        // utoipa asks for this trait where the type is in a `Vec` or `Option`.
        #[automatically_derived]
        impl $crate::__private::ComposeSchema for $type {
            fn compose(
                _: ::std::vec::Vec<$crate::utoipa::openapi::RefOr<$crate::utoipa::openapi::Schema>>,
            ) -> $crate::utoipa::openapi::RefOr<$crate::utoipa::openapi::Schema> {
                $crate::__private::DocumentedType::to_utoipa(&$documented)
            }
        }

        #[automatically_derived]
        impl $crate::utoipa::ToSchema for $type {
            fn name() -> ::std::borrow::Cow<'static, ::core::primitive::str> {
                ::std::borrow::Cow::Borrowed($name)
            }
        }
    )+ };
}

/// Implements `Documented` for types by their names and their `DocumentedType`s.
#[cfg(not(feature = "utoipa"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __documented {
    ($($type:ty, $name:expr, $documented:expr;)+) => { $(
        #[automatically_derived]
        impl $crate::routing::Documented for $type {
            fn documented() -> $crate::__private::DocumentedType {
                $documented
            }
        }
    )+ };
}
