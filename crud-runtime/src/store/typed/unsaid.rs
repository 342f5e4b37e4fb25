//! The methods of a store on types that are not a store yet: a call is a compile error that names the missing method.

use std::future::Pending;

/// The result of a method that no program calls.
pub(crate) type Never<T> = Pending<crate::storage::error::Result<T>>;

/// Adds the methods of [`Store`](super::store::Store) to a type that another method turns into a store. Each needs a
/// trait that no type has, whose message names that method, in place of the compiler's "no method found".
macro_rules! methods_before {
    ($trait:ident, impl[$($generics:tt)*] for $type:ty) => {
        $crate::store::typed::unsaid::methods_before! {
            @each $trait [$($generics)*] $type:
            list(impl Into<$crate::query::Select<R>>) -> Vec<R>;
            pluck($crate::query::Field<R, impl $crate::Column>, impl Into<$crate::query::Select<R>>) -> Vec<()>;
            first(impl Into<$crate::query::Select<R>>) -> Option<R>;
            get_where(impl Into<$crate::query::Select<R>>) -> R;
            page(impl Into<$crate::query::Select<R>>) -> $crate::Page<R>;
            get(impl IntoColumn<R::Id>) -> R;
            find(impl IntoColumn<R::Id>) -> Option<R>;
            json(&R) -> serde_json::Value;
            count(impl Into<$crate::query::Select<R>>) -> u64;
            count_up_to(impl Into<$crate::query::Select<R>>, u64) -> u64;
            create(impl Sized) -> R;
            upsert(impl $crate::query::FieldGroup<R>, impl Sized) -> $crate::Upserted<R>;
            update(impl IntoColumn<R::Id>, impl Sized) -> R;
            update_if(impl IntoColumn<R::Id>, impl $crate::query::IntoCondition<R>, impl Sized) -> Option<R>;
            update_where(impl $crate::query::IntoCondition<R>, impl Sized) -> u64;
            delete(impl IntoColumn<R::Id>) -> R;
            delete_where(impl $crate::query::IntoCondition<R>) -> u64;
            delete_one(impl IntoColumn<R::Id>) -> R;
            delete_permanently(impl IntoColumn<R::Id>) -> R;
            soft_delete(impl IntoColumn<R::Id>) -> R;
            restore(impl IntoColumn<R::Id>) -> R;
            restore_where(impl $crate::query::IntoCondition<R>) -> u64;
            create_batch(impl IntoIterator) -> $crate::Batch<R>;
            update_batch(impl IntoIterator) -> $crate::Batch<R>;
            delete_batch(impl IntoIterator) -> $crate::Batch<R>;
            lock(impl IntoColumn<R::Id>) -> R;
        }
    };
    (@each $trait:ident [$($generics:tt)*] $type:ty: $($name:ident($($argument:ty),*) -> $output:ty;)+) => {
        impl<$($generics)*> $type {
            $(
                #[doc(hidden)]
                #[allow(clippy::unused_self)]
                pub fn $name(&self, $(_: $argument),*) -> $crate::store::typed::unsaid::Never<$output>
                where
                    Self: $trait,
                {
                    std::future::pending()
                }
            )+
        }
    };
}
pub(crate) use methods_before;
