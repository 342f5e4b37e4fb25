// /// A product in the catalogue.
// #[crud(
//     filter(name, price, status, parent_id),
//     sort(name, price, created_at),
//     default_sort(-created_at),
//     pagination(default_limit = 20, max_limit = 100),
// )]
// pub struct Product {
//     /// The key.
//     pub id: Uuid,
//     /// What it is called.
//     #[crud(min_length = 1, max_length = 200)]
//     pub name: String,
//     /// What it is, in a sentence or two.
//     pub description: Option<String>,
//     /// What one piece costs.
//     #[crud(min = 0)]
//     pub price: f64,
//     /// How far it has come.
//     #[crud(default = Status::Draft)]
//     pub status: Status,
//     /// What it belongs to.
//     #[crud(references = Product)]
//     pub parent_id: Uuid,
//     /// When it came into the catalogue.
//     #[crud(created_at)]
//     pub created_at: DateTime<Utc>,
//     /// When it was last changed.
//     #[crud(updated_at)]
//     pub updated_at: DateTime<Utc>,
// }

///The fields of a new [`Product`]; `None` stands for a field's default.
#[must_use]
#[allow(dead_code)]
pub struct NewProduct {
    /// What it is called.
    pub name: String,
    /// What it is, in a sentence or two.
    pub description: Option<String>,
    /// What one piece costs.
    pub price: f64,
    /// How far it has come.
    pub status: ::core::option::Option<Status>,
    /// What it belongs to.
    pub parent_id: Uuid,
}
///Changes of a [`Product`]: what is not set stays as it is.
#[must_use]
pub struct ProductPatch(::crud_runtime::__private::Changes);
///The fields of [`Product`] as terms of a query.
#[allow(dead_code)]
pub struct ProductFields {
    ///The field `id`.
    pub id: ::crud_runtime::__private::Field<Product, Uuid>,
    ///The field `name`.
    pub name: ::crud_runtime::__private::Field<Product, String>,
    ///The field `description`.
    pub description: ::crud_runtime::__private::Field<Product, Option<String>>,
    ///The field `price`.
    pub price: ::crud_runtime::__private::Field<Product, f64>,
    ///The field `status`.
    pub status: ::crud_runtime::__private::Field<Product, Status>,
    ///The field `parent_id`.
    pub parent_id: ::crud_runtime::__private::Field<Product, Uuid>,
    ///The field `created_at`.
    pub created_at: ::crud_runtime::__private::Field<Product, DateTime<Utc>>,
    ///The field `updated_at`.
    pub updated_at: ::crud_runtime::__private::Field<Product, DateTime<Utc>>,
}
#[allow(unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::crud_runtime::__private as __crud;
    static __CRUD_DESCRIPTOR: __crud::Descriptor = __crud::Descriptor::new(
            "Product",
            ::core::module_path!(),
            "/products",
            "products",
            &[
                __crud::ColumnDescriptor::of(
                        "id",
                        "\"id\":",
                        <Uuid as __crud::Column>::TYPE,
                    )
                    .doc("The key.")
                    .role(__crud::Role::Id),
                __crud::ColumnDescriptor::of(
                        "name",
                        "\"name\":",
                        <String as __crud::Column>::TYPE,
                    )
                    .doc("What it is called.")
                    .filterable()
                    .sortable()
                    .rules(&[__crud::Rule::MinLength(1), __crud::Rule::MaxLength(200)]),
                __crud::ColumnDescriptor::of(
                        "description",
                        "\"description\":",
                        <Option<String> as __crud::Column>::TYPE,
                    )
                    .doc("What it is, in a sentence or two."),
                __crud::ColumnDescriptor::of(
                        "price",
                        "\"price\":",
                        <f64 as __crud::Column>::TYPE,
                    )
                    .doc("What one piece costs.")
                    .filterable()
                    .sortable()
                    .rules(&[__crud::Rule::Min(__crud::Literal::Int(0))]),
                __crud::ColumnDescriptor::of(
                        "status",
                        "\"status\":",
                        <Status as __crud::Column>::TYPE,
                    )
                    .doc("How far it has come.")
                    .filterable()
                    .default(|| <Status as __crud::Column>::into_value(
                        __crud::IntoColumn::into_column(Status::Draft),
                    )),
                __crud::ColumnDescriptor::of(
                        "parent_id",
                        "\"parent_id\":",
                        <Uuid as __crud::Column>::TYPE,
                    )
                    .doc("What it belongs to.")
                    .filterable()
                    .references(
                        || <Product as __crud::Resource>::DESCRIPTOR,
                        __crud::OnDelete::Restrict,
                    ),
                __crud::ColumnDescriptor::of(
                        "created_at",
                        "\"created_at\":",
                        <DateTime<Utc> as __crud::Column>::TYPE,
                    )
                    .doc("When it came into the catalogue.")
                    .role(__crud::Role::CreatedAt)
                    .sortable(),
                __crud::ColumnDescriptor::of(
                        "updated_at",
                        "\"updated_at\":",
                        <DateTime<Utc> as __crud::Column>::TYPE,
                    )
                    .doc("When it was last changed.")
                    .role(__crud::Role::UpdatedAt),
            ],
            0,
        )
        .tags(&["products"])
        .doc("A product in the catalogue.")
        .default_sort(&[__crud::SortKey::descending(6)])
        .pagination(__crud::Pagination {
            default_limit: 20u32,
            max_limit: 100u32,
            over_limit: __crud::OverLimit::Reject,
        })
        .sqlite(__crud::Statements {
            select: "SELECT \"id\", \"name\", \"description\", \"price\", \"status\", \"parent_id\", \"created_at\", \"updated_at\" FROM \"products\"",
            count: "SELECT COUNT(*) FROM \"products\"",
            get: "SELECT \"id\", \"name\", \"description\", \"price\", \"status\", \"parent_id\", \"created_at\", \"updated_at\" FROM \"products\" WHERE \"id\" = ?1",
            insert: "INSERT INTO \"products\" (\"id\", \"name\", \"description\", \"price\", \"status\", \"parent_id\", \"created_at\", \"updated_at\") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING \"id\", \"name\", \"description\", \"price\", \"status\", \"parent_id\", \"created_at\", \"updated_at\"",
            insert_columns: &[0, 1, 2, 3, 4, 5, 6, 7],
            update: "UPDATE \"products\" SET ",
            returning: " RETURNING \"id\", \"name\", \"description\", \"price\", \"status\", \"parent_id\", \"created_at\", \"updated_at\"",
            delete: "DELETE FROM \"products\" WHERE \"id\" = ?1 RETURNING \"id\", \"name\", \"description\", \"price\", \"status\", \"parent_id\", \"created_at\", \"updated_at\"",
        });
    #[automatically_derived]
    impl __crud::Resource for Product {
        type Id = Uuid;
        type New = NewProduct;
        type Patch = ProductPatch;
        const DESCRIPTOR: &'static __crud::Descriptor = &__CRUD_DESCRIPTOR;
        fn from_row(
            __crud_row: &dyn __crud::Row,
        ) -> ::core::result::Result<Self, __crud::AdapterError> {
            let __crud_row = &__crud::RowReader::new(__crud_row, Self::DESCRIPTOR);
            ::core::result::Result::Ok(Self {
                id: <Uuid as __crud::Column>::read(__crud_row, 0)?,
                name: <String as __crud::Column>::read(__crud_row, 1)?,
                description: <Option<String> as __crud::Column>::read(__crud_row, 2)?,
                price: <f64 as __crud::Column>::read(__crud_row, 3)?,
                status: <Status as __crud::Column>::read(__crud_row, 4)?,
                parent_id: <Uuid as __crud::Column>::read(__crud_row, 5)?,
                created_at: <DateTime<Utc> as __crud::Column>::read(__crud_row, 6)?,
                updated_at: <DateTime<Utc> as __crud::Column>::read(__crud_row, 7)?,
            })
        }
        fn id(&self) -> &Self::Id {
            let _ = (
                &self.name,
                &self.description,
                &self.price,
                &self.status,
                &self.parent_id,
                &self.created_at,
                &self.updated_at,
            );
            &self.id
        }
    }
    #[allow(dead_code)]
    impl NewProduct {
        ///A new [`Product`] of the fields that a create must say.
        #[allow(clippy::too_many_arguments)]
        pub fn new(
            name: impl __crud::IntoColumn<String>,
            price: impl __crud::IntoColumn<f64>,
            parent_id: impl __crud::IntoColumn<Uuid>,
        ) -> Self {
            Self {
                name: name.into_column(),
                description: ::core::option::Option::None,
                price: price.into_column(),
                status: ::core::option::Option::None,
                parent_id: parent_id.into_column(),
            }
        }
        ///Sets `name`.
        pub fn name(mut self, name: impl __crud::IntoColumn<String>) -> Self {
            self.name = name.into_column();
            self
        }
        ///Sets `description`.
        pub fn description(
            mut self,
            description: impl __crud::IntoColumn<Option<String>>,
        ) -> Self {
            self.description = description.into_column();
            self
        }
        ///Sets `price`.
        pub fn price(mut self, price: impl __crud::IntoColumn<f64>) -> Self {
            self.price = price.into_column();
            self
        }
        ///Sets `status`.
        pub fn status(mut self, status: impl __crud::IntoColumn<Status>) -> Self {
            self.status = ::core::option::Option::Some(status.into_column());
            self
        }
        ///Sets `parent_id`.
        pub fn parent_id(mut self, parent_id: impl __crud::IntoColumn<Uuid>) -> Self {
            self.parent_id = parent_id.into_column();
            self
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Debug for NewProduct {
        fn fmt(&self, __crud_f: &mut __crud::fmt::Formatter<'_>) -> __crud::fmt::Result {
            __crud_f
                .debug_struct("NewProduct")
                .field("name", &self.name)
                .field("description", &self.description)
                .field("price", &self.price)
                .field("parent_id", &self.parent_id)
                .finish_non_exhaustive()
        }
    }
    #[automatically_derived]
    impl ::core::convert::From<NewProduct> for __crud::Changes {
        fn from(__crud_new: NewProduct) -> Self {
            let __crud_to = Self::new();
            let __crud_to = <String as __crud::Column>::change(
                __crud_to,
                1,
                __crud_new.name,
            );
            let __crud_to = <Option<
                String,
            > as __crud::Column>::change(__crud_to, 2, __crud_new.description);
            let __crud_to = <f64 as __crud::Column>::change(
                __crud_to,
                3,
                __crud_new.price,
            );
            let __crud_to = match __crud_new.status {
                ::core::option::Option::Some(__crud_value) => {
                    <Status as __crud::Column>::change(__crud_to, 4, __crud_value)
                }
                ::core::option::Option::None => __crud_to,
            };
            let __crud_to = <Uuid as __crud::Column>::change(
                __crud_to,
                5,
                __crud_new.parent_id,
            );
            __crud_to
        }
    }
    #[allow(dead_code)]
    impl ProductPatch {
        ///Changes `name`.
        pub fn name(self, name: impl __crud::IntoColumn<String>) -> Self {
            Self(<String as __crud::Column>::change(self.0, 1, name))
        }
        ///Changes `description`.
        pub fn description(
            self,
            description: impl __crud::IntoColumn<Option<String>>,
        ) -> Self {
            Self(<Option<String> as __crud::Column>::change(self.0, 2, description))
        }
        ///Changes `price`.
        pub fn price(self, price: impl __crud::IntoColumn<f64>) -> Self {
            Self(<f64 as __crud::Column>::change(self.0, 3, price))
        }
        ///Changes `status`.
        pub fn status(self, status: impl __crud::IntoColumn<Status>) -> Self {
            Self(<Status as __crud::Column>::change(self.0, 4, status))
        }
        ///Changes `parent_id`.
        pub fn parent_id(self, parent_id: impl __crud::IntoColumn<Uuid>) -> Self {
            Self(<Uuid as __crud::Column>::change(self.0, 5, parent_id))
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Debug for ProductPatch {
        fn fmt(&self, __crud_f: &mut __crud::fmt::Formatter<'_>) -> __crud::fmt::Result {
            __crud_f.debug_tuple("ProductPatch").field(&self.0).finish()
        }
    }
    #[automatically_derived]
    impl ::core::clone::Clone for ProductPatch {
        fn clone(&self) -> Self {
            Self(::core::clone::Clone::clone(&self.0))
        }
    }
    #[automatically_derived]
    impl ::core::default::Default for ProductPatch {
        fn default() -> Self {
            Self(__crud::Changes::new())
        }
    }
    #[automatically_derived]
    impl ::core::convert::From<ProductPatch> for __crud::Changes {
        fn from(__crud_patch: ProductPatch) -> Self {
            __crud_patch.0
        }
    }
    #[allow(dead_code)]
    impl Product {
        /// The fields, as terms of a query.
        pub const FIELDS: ProductFields = ProductFields {
            id: __crud::Field::new(0),
            name: __crud::Field::new(1),
            description: __crud::Field::new(2),
            price: __crud::Field::new(3),
            status: __crud::Field::new(4),
            parent_id: __crud::Field::new(5),
            created_at: __crud::Field::new(6),
            updated_at: __crud::Field::new(7),
        };
    }
    #[automatically_derived]
    impl ::core::marker::Copy for ProductFields {}
    #[automatically_derived]
    impl ::core::clone::Clone for ProductFields {
        fn clone(&self) -> Self {
            *self
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Debug for ProductFields {
        fn fmt(&self, __crud_f: &mut __crud::fmt::Formatter<'_>) -> __crud::fmt::Result {
            __crud_f.write_str("ProductFields")
        }
    }
    const _: () = ::core::assert!(
        < Status as __crud::Column > ::KIND.is_comparable(),
        "`status` holds what cannot be compared, so no list can filter by it: remove it here"
    );
    const _: () = <Uuid as __crud::RefersTo<
        <Product as __crud::Resource>::Id,
    >>::ASSERTED;
    #[cfg(rust_analyzer)]
    const _: () = {
        use __crud::ide::container::filter as _;
        use __crud::ide::container::sort as _;
        use __crud::ide::container::default_sort as _;
        use __crud::ide::container::pagination as _;
        use __crud::ide::pagination::default_limit as _;
        use __crud::ide::pagination::max_limit as _;
        use __crud::ide::field::min_length as _;
        use __crud::ide::field::max_length as _;
        use __crud::ide::field::min as _;
        use __crud::ide::field::default as _;
        use __crud::ide::field::references as _;
        use __crud::ide::field::created_at as _;
        use __crud::ide::field::updated_at as _;
        const _: fn(&Product) = |resource| {
            _ = &resource.name;
            _ = &resource.price;
            _ = &resource.status;
            _ = &resource.parent_id;
            _ = &resource.name;
            _ = &resource.price;
            _ = &resource.created_at;
            _ = &resource.created_at;
        };
    };
};
