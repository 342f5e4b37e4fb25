// /// A product with a file.
// #[crud(operations(list))]
// struct Product {
//     id: i64,
//     #[crud(file(max = "10MB", types("image/png", "image/jpeg"), hold))]
//     photo: Option<File>,
// }

///The fields of a new [`Product`]; `None` stands for a field's default.
#[must_use]
#[allow(dead_code)]
struct NewProduct {
    ///The `photo`.
    photo: Option<File>,
}
///Changes of a [`Product`], made by its methods from `ProductPatch::default()`: a field that is not set keeps its value.
#[must_use]
struct ProductPatch {
    set_by_methods: ::crud_runtime::__private::Changes,
}
///The fields of [`Product`] as terms of a query.
#[allow(dead_code, missing_docs)]
#[allow(missing_copy_implementations, missing_debug_implementations)]
struct ProductFields {
    id: ::crud_runtime::__private::Field<Product, i64>,
    photo: ::crud_runtime::__private::Field<Product, Option<File>>,
}
#[allow(unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::crud_runtime::__private as __crud;
    static __CRUD_COLUMNS: [__crud::ColumnDescriptor; 2] = [
        <i64 as __crud::Column>::TYPE.column("id", "\"id\":").role(__crud::Role::Id),
        <Option<File> as __crud::Column>::TYPE
            .column("photo", "\"photo\":")
            .options({
                const _: () = __crud::checked_attribute(
                    <File as __crud::ColumnAttribute>::NAME,
                    "file",
                );
                const __CRUD_OPTIONS: &<File as __crud::ColumnAttribute>::Options = &{
                    let __crud_options = <File as __crud::ColumnAttribute>::OPTIONS;
                    let __crud_options = __crud_options.max("10MB");
                    let __crud_options = __crud_options
                        .types(&["image/png", "image/jpeg"]);
                    let __crud_options = __crud_options.hold();
                    __crud_options
                };
                __CRUD_OPTIONS
            }),
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
        .doc("A product with a file.")
        .operations(__crud::Operations::NONE.with(__crud::Operation::List))
        .sqlite(
            "`id`, `photo`",
            "SELECT `id`, `photo` FROM `products` WHERE `id` = ?",
            "INSERT INTO `products` (`photo`) VALUES (?) RETURNING `id`, `photo`",
            &[1],
            "DELETE FROM `products` WHERE `id` = ? RETURNING `id`, `photo`",
        )
        .postgres(
            "\"id\", \"photo\"",
            "SELECT \"id\", \"photo\" FROM \"products\" WHERE \"id\" = $1",
            "INSERT INTO \"products\" (\"photo\") VALUES ($1) RETURNING \"id\", \"photo\"",
            &[1],
            "DELETE FROM \"products\" WHERE \"id\" = $1 RETURNING \"id\", \"photo\"",
        )
        .mysql(
            "`id`, `photo`",
            "SELECT `id`, `photo` FROM `products` WHERE `id` = ?",
            "INSERT INTO `products` (`photo`) VALUES (?) /*M!100500 RETURNING `id`, `photo` */",
            &[1],
            "DELETE FROM `products` WHERE `id` = ?",
        );
    #[automatically_derived]
    impl __crud::Resource for Product {
        type Id = i64;
        type Tenant = __crud::NoTenant;
        const DESCRIPTOR: &'static __crud::Descriptor = &__CRUD_DESCRIPTOR;
        fn from_row(__crud_row: &dyn __crud::Row) -> __crud::Decoded<Self> {
            let __crud_r = &__crud::RowReader::new(__crud_row, Self::DESCRIPTOR);
            __crud::Ok(Self {
                id: <i64 as __crud::Column>::read(__crud_r, 0)?,
                photo: <Option<File> as __crud::Column>::read(__crud_r, 1)?,
            })
        }
        fn id(&self) -> Self::Id {
            ::core::clone::Clone::clone(&self.id)
        }
        fn into_values(self) -> __crud::Vec<__crud::Value> {
            __crud::record_values([
                <i64 as __crud::Column>::into_value(self.id),
                <Option<File> as __crud::Column>::into_value(self.photo),
            ])
        }
    }
    impl __crud::Writable for Product {
        type New = NewProduct;
        type Patch = ProductPatch;
    }
    #[allow(dead_code)]
    impl NewProduct {
        ///A new [`Product`] of the fields that a create requires.
        fn new() -> Self {
            Self { photo: __crud::None }
        }
        ///Sets `photo`.
        fn photo(mut self, photo: impl __crud::IntoColumn<Option<File>>) -> Self {
            self.photo = photo.into_column();
            self
        }
    }
    #[automatically_derived]
    impl ::core::clone::Clone for NewProduct
    where
        for<'__crud_any> Option<File>: ::core::clone::Clone,
    {
        fn clone(&self) -> Self {
            Self {
                photo: ::core::clone::Clone::clone(&self.photo),
            }
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Debug for NewProduct {
        fn fmt(&self, __crud_f: &mut __crud::Formatter<'_>) -> __crud::Formatted {
            __crud_f.debug_struct("NewProduct").finish_non_exhaustive()
        }
    }
    impl ::core::convert::From<NewProduct> for __crud::Changes {
        fn from(__crud_new: NewProduct) -> Self {
            Self::new()
                .with(1, <Option<File> as __crud::Column>::into_value(__crud_new.photo))
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
                    photo: <Option<File> as __crud::Column>::read(__crud_r, 1)?,
                }),
            )
        }
    }
    #[allow(dead_code)]
    impl ProductPatch {
        ///Changes `photo`.
        fn photo(self, photo: impl __crud::IntoColumn<Option<File>>) -> Self {
            <Option<File> as __crud::Column>::change(self, 1, photo)
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
    #[allow(dead_code)]
    impl Product {
        /// The fields, as terms of a query.
        const FIELDS: &'static ProductFields = &ProductFields {
            id: __crud::Field::new(0),
            photo: __crud::Field::new(1),
        };
    }
    #[cfg(rust_analyzer)]
    const _: () = {
        use __crud::completion::container::operations as _;
        const _: fn(&Product) = |resource| {};
    };
};
