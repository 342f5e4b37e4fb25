// #[crud(filter, sort, upsert(order_id, code))]
// struct Line {
//     #[crud(id, references(Order))]
//     order_id: i64,
//     #[crud(id)]
//     code: String,
//     amount: i32,
// }

///The fields of a new [`Line`]; `None` stands for a field's default.
#[derive(::core::clone::Clone)]
#[must_use]
#[allow(dead_code)]
struct NewLine {
    ///The `order_id`.
    order_id: i64,
    ///The `code`.
    code: String,
    ///The `amount`.
    amount: i32,
}
///Changes of a [`Line`], made by its methods from `LinePatch::default()`: a field that is not set keeps its value.
#[must_use]
struct LinePatch {
    set_by_methods: ::crud_runtime::__private::Changes,
}
///The fields of [`Line`] as terms of a query.
#[allow(dead_code, missing_docs)]
#[allow(missing_copy_implementations, missing_debug_implementations)]
struct LineFields {
    order_id: ::crud_runtime::__private::Field<Line, i64>,
    code: ::crud_runtime::__private::Field<Line, String>,
    amount: ::crud_runtime::__private::Field<Line, i32>,
}
#[allow(unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::crud_runtime::__private as __crud;
    static __CRUD_COLUMNS: [__crud::ColumnDescriptor; 3] = [
        <i64 as __crud::Column>::TYPE
            .column("order_id", "\"order_id\":")
            .role(__crud::Role::Id)
            .given()
            .filterable()
            .sortable()
            .references(
                || <Order as __crud::Resource>::DESCRIPTOR,
                __crud::OnDelete::Restrict,
            ),
        <String as __crud::Column>::TYPE
            .column("code", "\"code\":")
            .role(__crud::Role::Id)
            .given()
            .filterable()
            .sortable()
            .rules(&[__crud::Rule::MaxLength(255)]),
        <i32 as __crud::Column>::TYPE
            .column("amount", "\"amount\":")
            .filterable_if_comparable()
            .sortable_if_comparable(),
    ];
    static __CRUD_DESCRIPTOR: __crud::Descriptor = __crud::Descriptor::new(
            "Line",
            ::core::module_path!(),
            "/lines",
            "lines",
            &__CRUD_COLUMNS,
            0,
        )
        .tags(&["lines"])
        .composite(&[0, 1])
        .upserts(&[&[0, 1]])
        .sqlite(
            "`order_id`, `code`, `amount`",
            "SELECT `order_id`, `code`, `amount` FROM `lines` WHERE `order_id` = ? AND `code` = ?",
            "INSERT INTO `lines` (`order_id`, `code`, `amount`) VALUES (?, ?, ?) RETURNING `order_id`, `code`, `amount`",
            &[0, 1, 2],
            "DELETE FROM `lines` WHERE `order_id` = ? AND `code` = ? RETURNING `order_id`, `code`, `amount`",
        )
        .postgres(
            "\"order_id\", \"code\", \"amount\"",
            "SELECT \"order_id\", \"code\", \"amount\" FROM \"lines\" WHERE \"order_id\" = $1 AND \"code\" = $2",
            "INSERT INTO \"lines\" (\"order_id\", \"code\", \"amount\") VALUES ($1, $2, $3) RETURNING \"order_id\", \"code\", \"amount\"",
            &[0, 1, 2],
            "DELETE FROM \"lines\" WHERE \"order_id\" = $1 AND \"code\" = $2 RETURNING \"order_id\", \"code\", \"amount\"",
        )
        .mysql(
            "`order_id`, `code`, `amount`",
            "SELECT `order_id`, `code`, `amount` FROM `lines` WHERE `order_id` = ? AND `code` = ?",
            "INSERT INTO `lines` (`order_id`, `code`, `amount`) VALUES (?, ?, ?) /*M!100500 RETURNING `order_id`, `code`, `amount` */",
            &[0, 1, 2],
            "DELETE FROM `lines` WHERE `order_id` = ? AND `code` = ?",
        );
    #[automatically_derived]
    impl __crud::Resource for Line {
        type Id = (i64, String);
        type Tenant = __crud::NoTenant;
        const DESCRIPTOR: &'static __crud::Descriptor = &__CRUD_DESCRIPTOR;
        fn from_row(__crud_row: &dyn __crud::Row) -> __crud::Decoded<Self> {
            let __crud_r = &__crud::RowReader::new(__crud_row, Self::DESCRIPTOR);
            __crud::Ok(Self {
                order_id: <i64 as __crud::Column>::read(__crud_r, 0)?,
                code: <String as __crud::Column>::read(__crud_r, 1)?,
                amount: <i32 as __crud::Column>::read(__crud_r, 2)?,
            })
        }
        fn id(&self) -> Self::Id {
            (
                ::core::clone::Clone::clone(&self.order_id),
                ::core::clone::Clone::clone(&self.code),
            )
        }
        fn into_values(self) -> __crud::Vec<__crud::Value> {
            __crud::record_values([
                <i64 as __crud::Column>::into_value(self.order_id),
                <String as __crud::Column>::into_value(self.code),
                <i32 as __crud::Column>::into_value(self.amount),
            ])
        }
    }
    impl __crud::Writable for Line {
        type New = NewLine;
        type Patch = LinePatch;
    }
    #[allow(dead_code)]
    impl NewLine {
        ///A new [`Line`] of the fields that a create requires.
        fn new(
            order_id: impl __crud::IntoColumn<i64>,
            code: impl __crud::IntoColumn<String>,
            amount: impl __crud::IntoColumn<i32>,
        ) -> Self {
            Self {
                order_id: order_id.into_column(),
                code: code.into_column(),
                amount: amount.into_column(),
            }
        }
        ///Sets `order_id`.
        fn order_id(mut self, order_id: impl __crud::IntoColumn<i64>) -> Self {
            self.order_id = order_id.into_column();
            self
        }
        ///Sets `code`.
        fn code(mut self, code: impl __crud::IntoColumn<String>) -> Self {
            self.code = code.into_column();
            self
        }
        ///Sets `amount`.
        fn amount(mut self, amount: impl __crud::IntoColumn<i32>) -> Self {
            self.amount = amount.into_column();
            self
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Debug for NewLine {
        fn fmt(&self, __crud_f: &mut __crud::Formatter<'_>) -> __crud::Formatted {
            __crud_f
                .debug_struct("NewLine")
                .field("order_id", &self.order_id)
                .field("code", &self.code)
                .field("amount", &self.amount)
                .finish()
        }
    }
    impl ::core::convert::From<NewLine> for __crud::Changes {
        fn from(__crud_new: NewLine) -> Self {
            Self::new()
                .with(0, <i64 as __crud::Column>::into_value(__crud_new.order_id))
                .with(1, <String as __crud::Column>::into_value(__crud_new.code))
                .with(2, <i32 as __crud::Column>::into_value(__crud_new.amount))
        }
    }
    impl<'__crud> __crud::Deserialize<'__crud> for NewLine {
        fn deserialize<__CrudD: __crud::Deserializer<'__crud>>(
            __crud_d: __CrudD,
        ) -> ::core::result::Result<Self, __CrudD::Error> {
            __crud::deserialize_new(
                &__CRUD_DESCRIPTOR,
                __crud_d,
                |__crud_r| __crud::Ok(Self {
                    order_id: <i64 as __crud::Column>::read(__crud_r, 0)?,
                    code: <String as __crud::Column>::read(__crud_r, 1)?,
                    amount: <i32 as __crud::Column>::read(__crud_r, 2)?,
                }),
            )
        }
    }
    #[allow(dead_code)]
    impl LinePatch {
        ///Changes `amount`.
        fn amount(self, amount: impl __crud::IntoColumn<i32>) -> Self {
            <i32 as __crud::Column>::change(self, 2, amount)
        }
    }
    #[automatically_derived]
    impl ::core::clone::Clone for LinePatch {
        fn clone(&self) -> Self {
            ::core::convert::From::from(
                ::core::clone::Clone::clone(&self.set_by_methods),
            )
        }
    }
    impl ::core::default::Default for LinePatch {
        fn default() -> Self {
            ::core::convert::From::from(__crud::Changes::new())
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Debug for LinePatch {
        fn fmt(&self, __crud_f: &mut __crud::Formatter<'_>) -> __crud::Formatted {
            self.set_by_methods.fmt_as("LinePatch", __crud_f)
        }
    }
    impl ::core::convert::From<LinePatch> for __crud::Changes {
        fn from(__crud_patch: LinePatch) -> Self {
            __crud_patch.set_by_methods
        }
    }
    impl ::core::convert::From<__crud::Changes> for LinePatch {
        fn from(set_by_methods: __crud::Changes) -> Self {
            Self { set_by_methods }
        }
    }
    impl<'__crud> __crud::Deserialize<'__crud> for LinePatch {
        fn deserialize<__CrudD: __crud::Deserializer<'__crud>>(
            __crud_d: __CrudD,
        ) -> ::core::result::Result<Self, __CrudD::Error> {
            __crud::deserialize_patch(&__CRUD_DESCRIPTOR, __crud_d)
        }
    }
    #[allow(dead_code)]
    impl Line {
        /// The fields, as terms of a query.
        const FIELDS: &'static LineFields = &LineFields {
            order_id: __crud::Field::new(0),
            code: __crud::Field::new(1),
            amount: __crud::Field::new(2),
        };
    }
    const _: () = <i64 as __crud::RefersTo<<Order as __crud::Resource>::Id>>::ASSERTED;
    #[cfg(rust_analyzer)]
    const _: () = {
        use __crud::completion::container::filter as _;
        use __crud::completion::container::sort as _;
        use __crud::completion::container::upsert as _;
        use __crud::completion::field::id as _;
        use __crud::completion::field::references as _;
        use __crud::completion::field::id as _;
        const _: fn(&Line) = |resource| {
            _ = &resource.order_id;
            _ = &resource.code;
        };
    };
};
