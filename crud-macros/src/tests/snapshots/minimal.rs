// struct Item {
//     id: i64,
// }

///The fields of a new [`Item`]; `None` stands for a field's default.
#[derive(::core::clone::Clone)]
#[must_use]
#[allow(dead_code)]
struct NewItem {}
///Changes of a [`Item`], made by its methods from `ItemPatch::default()`: a field that is not set keeps its value.
#[must_use]
struct ItemPatch {
    set_by_methods: ::crud_runtime::__private::Changes,
}
///The fields of [`Item`] as terms of a query.
#[allow(dead_code, missing_docs)]
#[allow(missing_copy_implementations, missing_debug_implementations)]
struct ItemFields {
    id: ::crud_runtime::__private::Field<Item, i64>,
}
#[allow(unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::crud_runtime::__private as __crud;
    static __CRUD_COLUMNS: [__crud::ColumnDescriptor; 1] = [
        <i64 as __crud::Column>::TYPE.column("id", "\"id\":").role(__crud::Role::Id),
    ];
    static __CRUD_DESCRIPTOR: __crud::Descriptor = __crud::Descriptor::new(
            "Item",
            ::core::module_path!(),
            "/items",
            "items",
            &__CRUD_COLUMNS,
            0,
        )
        .tags(&["items"])
        .sqlite(
            "`id`",
            "SELECT `id` FROM `items` WHERE `id` = ?",
            "INSERT INTO `items` DEFAULT VALUES RETURNING `id`",
            &[],
            "DELETE FROM `items` WHERE `id` = ? RETURNING `id`",
        )
        .postgres(
            "\"id\"",
            "SELECT \"id\" FROM \"items\" WHERE \"id\" = $1",
            "INSERT INTO \"items\" DEFAULT VALUES RETURNING \"id\"",
            &[],
            "DELETE FROM \"items\" WHERE \"id\" = $1 RETURNING \"id\"",
        )
        .mysql(
            "`id`",
            "SELECT `id` FROM `items` WHERE `id` = ?",
            "INSERT INTO `items` () VALUES () /*M!100500 RETURNING `id` */",
            &[],
            "DELETE FROM `items` WHERE `id` = ?",
        );
    #[automatically_derived]
    impl __crud::Resource for Item {
        type Id = i64;
        type Tenant = __crud::NoTenant;
        const DESCRIPTOR: &'static __crud::Descriptor = &__CRUD_DESCRIPTOR;
        fn from_row(__crud_row: &dyn __crud::Row) -> __crud::Decoded<Self> {
            let __crud_r = &__crud::RowReader::new(__crud_row, Self::DESCRIPTOR);
            __crud::Ok(Self {
                id: <i64 as __crud::Column>::read(__crud_r, 0)?,
            })
        }
        fn id(&self) -> Self::Id {
            ::core::clone::Clone::clone(&self.id)
        }
        fn into_values(self) -> __crud::Vec<__crud::Value> {
            __crud::record_values([<i64 as __crud::Column>::into_value(self.id)])
        }
    }
    impl __crud::Writable for Item {
        type New = NewItem;
        type Patch = ItemPatch;
    }
    #[allow(dead_code)]
    impl NewItem {
        ///A new [`Item`] of the fields that a create requires.
        fn new() -> Self {
            Self {}
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Debug for NewItem {
        fn fmt(&self, __crud_f: &mut __crud::Formatter<'_>) -> __crud::Formatted {
            __crud_f.debug_struct("NewItem").finish()
        }
    }
    impl ::core::convert::From<NewItem> for __crud::Changes {
        fn from(__crud_new: NewItem) -> Self {
            Self::new()
        }
    }
    impl<'__crud> __crud::Deserialize<'__crud> for NewItem {
        fn deserialize<__CrudD: __crud::Deserializer<'__crud>>(
            __crud_d: __CrudD,
        ) -> ::core::result::Result<Self, __CrudD::Error> {
            __crud::deserialize_new(
                &__CRUD_DESCRIPTOR,
                __crud_d,
                |__crud_r| __crud::Ok(Self {}),
            )
        }
    }
    #[allow(dead_code)]
    impl ItemPatch {}
    #[automatically_derived]
    impl ::core::clone::Clone for ItemPatch {
        fn clone(&self) -> Self {
            ::core::convert::From::from(
                ::core::clone::Clone::clone(&self.set_by_methods),
            )
        }
    }
    impl ::core::default::Default for ItemPatch {
        fn default() -> Self {
            ::core::convert::From::from(__crud::Changes::new())
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Debug for ItemPatch {
        fn fmt(&self, __crud_f: &mut __crud::Formatter<'_>) -> __crud::Formatted {
            self.set_by_methods.fmt_as("ItemPatch", __crud_f)
        }
    }
    impl ::core::convert::From<ItemPatch> for __crud::Changes {
        fn from(__crud_patch: ItemPatch) -> Self {
            __crud_patch.set_by_methods
        }
    }
    impl ::core::convert::From<__crud::Changes> for ItemPatch {
        fn from(set_by_methods: __crud::Changes) -> Self {
            Self { set_by_methods }
        }
    }
    impl<'__crud> __crud::Deserialize<'__crud> for ItemPatch {
        fn deserialize<__CrudD: __crud::Deserializer<'__crud>>(
            __crud_d: __CrudD,
        ) -> ::core::result::Result<Self, __CrudD::Error> {
            __crud::deserialize_patch(&__CRUD_DESCRIPTOR, __crud_d)
        }
    }
    #[allow(dead_code)]
    impl Item {
        /// The fields, as terms of a query.
        const FIELDS: &'static ItemFields = &ItemFields {
            id: __crud::Field::new(0),
        };
    }
    #[cfg(rust_analyzer)]
    const _: () = {
        const _: fn(&Item) = |resource| {};
    };
};
