// #[crud(filter(nmae), pagination(max_limit = 0), sorted)]
// pub struct Product<T> {
//     pub id: bool,
//     #[crud(range(min = 1, max = 0))]
//     pub price: i32,
//     #[crud(validate(email))]
//     pub stock: T,
// }

::core::compile_error! {
    "unknown attribute `sorted`: did you mean `sort` or `sort(name, category::name)`?"
}
::core::compile_error! {
    "a resource cannot have generics: expected `struct Product`"
}
::core::compile_error! {
    "`Product` has no field `nmae`: expected `id` or `price`"
}
::core::compile_error! {
    "`i64`, `i32`, `i16` and `Uuid` keys are assigned, and clients set others: expected `id(client)`"
}
::core::compile_error! {
    "`max` is less than `min`, so no value is valid: expected at least `min`"
}
::core::compile_error! {
    "expected a limit of at least `1`"
}
///The fields of a new [`Product`]; `None` stands for a field's default.
#[derive(::core::clone::Clone)]
#[must_use]
#[allow(dead_code)]
pub struct NewProduct {
    ///The `price`.
    pub price: i32,
}
///Changes of a [`Product`], made by its methods from `ProductPatch::default()`: a field that is not set keeps its value.
#[must_use]
pub struct ProductPatch {
    set_by_methods: ::crud_runtime::__private::Changes,
}
#[allow(unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::crud_runtime::__private as __crud;
    static __CRUD_COLUMNS: [__crud::ColumnDescriptor; 2] = [
        <i64 as __crud::Column>::TYPE
            .column("id", "\"id\":")
            .role(__crud::Role::Id)
            .filterable(),
        <i32 as __crud::Column>::TYPE
            .column("price", "\"price\":")
            .rules(
                &[
                    __crud::Rule::Min(__crud::Literal::Int(1)),
                    __crud::Rule::Max(__crud::Literal::Int(0)),
                ],
            ),
    ];
    static __CRUD_DESCRIPTOR: __crud::Descriptor = __crud::Descriptor::new(
            "Product",
            ::core::module_path!(),
            "/products",
            "products",
            &__CRUD_COLUMNS,
            0,
        )
        .tags(&["products"])
        .pagination(__crud::Pagination::new(0u32, 0u32))
        .sqlite(
            "`id`, `price`",
            "SELECT `id`, `price` FROM `products` WHERE `id` = ?",
            "INSERT INTO `products` (`id`, `price`) VALUES (?, ?) RETURNING `id`, `price`",
            &[0, 1],
            "DELETE FROM `products` WHERE `id` = ? RETURNING `id`, `price`",
        )
        .postgres(
            "\"id\", \"price\"",
            "SELECT \"id\", \"price\" FROM \"products\" WHERE \"id\" = $1",
            "INSERT INTO \"products\" (\"id\", \"price\") VALUES ($1, $2) RETURNING \"id\", \"price\"",
            &[0, 1],
            "DELETE FROM \"products\" WHERE \"id\" = $1 RETURNING \"id\", \"price\"",
        )
        .mysql(
            "`id`, `price`",
            "SELECT `id`, `price` FROM `products` WHERE `id` = ?",
            "INSERT INTO `products` (`id`, `price`) VALUES (?, ?) /*M!100500 RETURNING `id`, `price` */",
            &[0, 1],
            "DELETE FROM `products` WHERE `id` = ?",
        );
    #[automatically_derived]
    impl<T> __crud::Resource for Product<T>
    where
        Self: ::core::marker::Sized + ::core::marker::Send + ::core::marker::Sync
            + 'static,
    {
        type Id = i64;
        type Tenant = __crud::NoTenant;
        const DESCRIPTOR: &'static __crud::Descriptor = &__CRUD_DESCRIPTOR;
        fn from_row(
            _: &dyn __crud::Row,
        ) -> ::core::result::Result<Self, __crud::AdapterError> {
            ::core::unreachable!()
        }
        fn id(&self) -> Self::Id {
            ::core::unreachable!()
        }
        fn into_values(self) -> __crud::Vec<__crud::Value> {
            ::core::unreachable!()
        }
    }
    #[automatically_derived]
    impl<T> __crud::Writable for Product<T>
    where
        Self: ::core::marker::Sized + ::core::marker::Send + ::core::marker::Sync
            + 'static,
    {
        type New = NewProduct;
        type Patch = ProductPatch;
    }
    #[allow(dead_code)]
    impl NewProduct {
        ///A new [`Product`] of the fields that a create requires.
        pub fn new(price: impl __crud::IntoColumn<i32>) -> Self {
            Self { price: price.into_column() }
        }
        ///Sets `price`.
        pub fn price(mut self, price: impl __crud::IntoColumn<i32>) -> Self {
            self.price = price.into_column();
            self
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Debug for NewProduct {
        fn fmt(&self, __crud_f: &mut __crud::Formatter<'_>) -> __crud::Formatted {
            __crud_f.debug_struct("NewProduct").field("price", &self.price).finish()
        }
    }
    impl ::core::convert::From<NewProduct> for __crud::Changes {
        fn from(__crud_new: NewProduct) -> Self {
            Self::new().with(1, <i32 as __crud::Column>::into_value(__crud_new.price))
        }
    }
    impl<'__crud> __crud::Deserialize<'__crud> for NewProduct {
        fn deserialize<__CrudD: __crud::Deserializer<'__crud>>(
            __crud_d: __CrudD,
        ) -> ::core::result::Result<Self, __CrudD::Error> {
            __crud::deserialize_new(
                &__CRUD_DESCRIPTOR,
                __crud_d,
                |__crud_r| __crud::Ok(Self {
                    price: <i32 as __crud::Column>::read(__crud_r, 1)?,
                }),
            )
        }
    }
    #[allow(dead_code)]
    impl ProductPatch {
        ///Changes `price`.
        pub fn price(self, price: impl __crud::IntoColumn<i32>) -> Self {
            <i32 as __crud::Column>::change(self, 1, price)
        }
    }
    #[automatically_derived]
    impl ::core::clone::Clone for ProductPatch {
        fn clone(&self) -> Self {
            ::core::convert::From::from(
                ::core::clone::Clone::clone(&self.set_by_methods),
            )
        }
    }
    impl ::core::default::Default for ProductPatch {
        fn default() -> Self {
            ::core::convert::From::from(__crud::Changes::new())
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Debug for ProductPatch {
        fn fmt(&self, __crud_f: &mut __crud::Formatter<'_>) -> __crud::Formatted {
            self.set_by_methods.fmt_as("ProductPatch", __crud_f)
        }
    }
    impl ::core::convert::From<ProductPatch> for __crud::Changes {
        fn from(__crud_patch: ProductPatch) -> Self {
            __crud_patch.set_by_methods
        }
    }
    impl ::core::convert::From<__crud::Changes> for ProductPatch {
        fn from(set_by_methods: __crud::Changes) -> Self {
            Self { set_by_methods }
        }
    }
    impl<'__crud> __crud::Deserialize<'__crud> for ProductPatch {
        fn deserialize<__CrudD: __crud::Deserializer<'__crud>>(
            __crud_d: __CrudD,
        ) -> ::core::result::Result<Self, __CrudD::Error> {
            __crud::deserialize_patch(&__CRUD_DESCRIPTOR, __crud_d)
        }
    }
    #[cfg(rust_analyzer)]
    const _: () = {
        use __crud::completion::container::filter as _;
        use __crud::completion::container::pagination as _;
        use __crud::completion::container::sorted as _;
        use __crud::completion::pagination::max_limit as _;
        use __crud::completion::field::range as _;
        use __crud::completion::range::min as _;
        use __crud::completion::range::max as _;
        const _: fn(&Product) = |resource| {
            _ = &resource.nmae;
        };
    };
};
