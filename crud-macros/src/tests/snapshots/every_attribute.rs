// /// A book on the shelf.
// #[crud(
//     prefix = "/v1/books",
//     table = "shelf",
//     renamed_from("Volume", table = "volumes"),
//     tags("Books", "Shelf"),
//     admin(title(title), list(title, price), group = "Library", read_only),
//     filter(title, r#type, price),
//     sort(title, printed_at),
//     default_sort(desc(printed_at), title),
//     pagination(default_limit = 10, max_limit = 50, over_limit(clamp)),
//     operations(except(delete)),
//     derive(Serialize),
//     rate_limit(100, per = "1m"),
//     unique(title, author_id, case_insensitive(title)),
//     index(printed_at, title),
//     index(author_id, printed_at, some(author_id)),
//     hooks(before(checks::stamp), after(bill), committed(notify), validate(complete)),
//     rename_all = "camelCase",
//     crate(::library::crud)
// )]
// pub(crate) struct Book {
//     #[crud(id)]
//     pub number: String,
//     /// As the cover has it.
//     #[crud(sort, unique(case_insensitive), length(min = 1), validate(pattern = "^[A-Z]"), rename = "name", column = "cover_title")]
//     pub(crate) title: String,
//     #[crud(filter, default(Genre::Novel))]
//     pub r#type: Genre,
//     #[crud(default(State::New), transitions(lend(any(New, Back), Out, role("clerk")), give_back(Out, Back)))]
//     pub state: State,
//     #[crud(decimal(10, 2), range(min = 0, max = 999.5))]
//     pub price: Option<Decimal>,
//     #[crud(references(Author, on_delete(set_null)), index)]
//     pub author_id: Option<i64>,
//     #[crud(validate(one_of(1, 2, 3)), immutable)]
//     pub volume: i16,
//     #[crud(write_only, length(max = 64), validate(custom(checks::isbn)))]
//     pub isbn: String,
//     #[crud(hidden, validate(email))]
//     pub seller: Option<String>,
//     #[crud(read_only, default = 0)]
//     pub views: i64,
//     #[crud(created_at)]
//     pub printed_at: DateTime<Utc>,
//     #[crud(updated_at)]
//     pub changed_at: DateTime<Utc>,
// }

///The fields of a new [`Book`]; `None` stands for a field's default.
#[must_use]
#[allow(dead_code)]
pub(crate) struct NewBook {
    ///The `number`.
    pub(crate) number: String,
    /// As the cover has it.
    pub(crate) title: String,
    ///The `type`.
    pub(crate) r#type: ::core::option::Option<Genre>,
    ///The `state`.
    pub(crate) state: ::core::option::Option<State>,
    ///The `price`.
    pub(crate) price: Option<Decimal>,
    ///The `author_id`.
    pub(crate) author_id: Option<i64>,
    ///The `volume`.
    pub(crate) volume: i16,
    ///The `isbn`.
    pub(crate) isbn: String,
    ///The `seller`.
    pub(crate) seller: Option<String>,
    ///The `views`.
    pub(crate) views: ::core::option::Option<i64>,
}
///Changes of a [`Book`], made by its methods from `BookPatch::default()`: a field that is not set keeps its value.
#[must_use]
pub(crate) struct BookPatch {
    set_by_methods: ::library::crud::__private::Changes,
}
///The fields of [`Book`] as terms of a query.
#[allow(dead_code, missing_docs)]
#[allow(missing_copy_implementations, missing_debug_implementations)]
pub(crate) struct BookFields {
    pub(crate) number: ::library::crud::__private::Field<Book, String>,
    pub(crate) title: ::library::crud::__private::Field<Book, String>,
    pub(crate) r#type: ::library::crud::__private::Field<Book, Genre>,
    pub(crate) state: ::library::crud::__private::Field<Book, State>,
    pub(crate) price: ::library::crud::__private::Field<Book, Option<Decimal>>,
    pub(crate) author_id: ::library::crud::__private::Field<Book, Option<i64>>,
    pub(crate) volume: ::library::crud::__private::Field<Book, i16>,
    pub(crate) isbn: ::library::crud::__private::Field<Book, String>,
    pub(crate) seller: ::library::crud::__private::Field<Book, Option<String>>,
    pub(crate) views: ::library::crud::__private::Field<Book, i64>,
    pub(crate) printed_at: ::library::crud::__private::Field<Book, DateTime<Utc>>,
    pub(crate) changed_at: ::library::crud::__private::Field<Book, DateTime<Utc>>,
}
#[allow(unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::library::crud::__private as __crud;
    static __CRUD_COLUMNS: [__crud::ColumnDescriptor; 12] = [
        <String as __crud::Column>::TYPE
            .column("number", "\"number\":")
            .role(__crud::Role::Id)
            .filterable()
            .sortable()
            .rules(&[__crud::Rule::MaxLength(255)]),
        <String as __crud::Column>::TYPE
            .column("title", "\"name\":")
            .json("name")
            .column("cover_title")
            .doc("As the cover has it.")
            .filterable()
            .sortable()
            .unique(__crud::Uniqueness::All)
            .case_insensitive()
            .rules(
                &[
                    __crud::Rule::MinLength(1),
                    __crud::Rule::Pattern("^[A-Z]"),
                    __crud::Rule::MaxLength(255),
                ],
            ),
        <Genre as __crud::Column>::TYPE
            .column("type", "\"type\":")
            .filterable()
            .default(|| <Genre as __crud::Column>::into_value(
                __crud::IntoColumn::into_column(Genre::Novel),
            )),
        <State as __crud::Column>::TYPE
            .column("state", "\"state\":")
            .default(|| <State as __crud::Column>::into_value(
                __crud::IntoColumn::into_column(State::New),
            ))
            .transitions(
                &[
                    __crud::Transition::new(
                            "lend",
                            "/{id}/lend",
                            &[
                                || <State as __crud::Column>::into_value(<State>::New),
                                || <State as __crud::Column>::into_value(<State>::Back),
                            ],
                            || <State as __crud::Column>::into_value(<State>::Out),
                        )
                        .access(__crud::Access::Role("clerk")),
                    __crud::Transition::new(
                        "give_back",
                        "/{id}/give_back",
                        &[|| <State as __crud::Column>::into_value(<State>::Out)],
                        || <State as __crud::Column>::into_value(<State>::Back),
                    ),
                ],
            ),
        <Option<Decimal> as __crud::Column>::TYPE
            .column("price", "\"price\":")
            .filterable()
            .digits(10u32, 2u32)
            .rules(
                &[
                    __crud::Rule::Min(__crud::Literal::Int(0)),
                    __crud::Rule::Max(__crud::Literal::Float(999.5)),
                ],
            ),
        <Option<i64> as __crud::Column>::TYPE
            .column("author_id", "\"authorId\":")
            .json("authorId")
            .indexed()
            .references(
                || <Author as __crud::Resource>::DESCRIPTOR,
                __crud::OnDelete::SetNull,
            ),
        <i16 as __crud::Column>::TYPE
            .column("volume", "\"volume\":")
            .immutable()
            .rules(
                &[
                    __crud::Rule::OneOf(
                        &[
                            __crud::Literal::Int(1),
                            __crud::Literal::Int(2),
                            __crud::Literal::Int(3),
                        ],
                    ),
                ],
            ),
        <String as __crud::Column>::TYPE
            .column("isbn", "\"isbn\":")
            .write_only()
            .rules(
                &[
                    __crud::Rule::MaxLength(64),
                    __crud::Rule::Custom(|__crud_value| __crud::check_custom(
                        <String as __crud::Column>::from_value(__crud_value),
                        |__crud_value: &String| checks::isbn(__crud_value),
                    )),
                ],
            ),
        <Option<String> as __crud::Column>::TYPE
            .column("seller", "\"seller\":")
            .hidden()
            .rules(&[__crud::Rule::Email]),
        <i64 as __crud::Column>::TYPE
            .column("views", "\"views\":")
            .read_only()
            .default(|| <i64 as __crud::Column>::into_value(
                __crud::IntoColumn::into_column(0),
            )),
        <DateTime<Utc> as __crud::Column>::TYPE
            .column("printed_at", "\"printedAt\":")
            .json("printedAt")
            .role(__crud::Role::CreatedAt)
            .sortable(),
        <DateTime<Utc> as __crud::Column>::TYPE
            .column("changed_at", "\"changedAt\":")
            .json("changedAt")
            .role(__crud::Role::UpdatedAt),
    ];
    static __CRUD_DESCRIPTOR: __crud::Descriptor = __crud::Descriptor::new(
            "Book",
            ::core::module_path!(),
            "/v1/books",
            "shelf",
            &__CRUD_COLUMNS,
            0,
        )
        .tags(&["Books", "Shelf"])
        .presentation(
            __crud::Presentation::new()
                .title(1)
                .list(&[1, 4])
                .group("Library")
                .read_only(),
        )
        .formers(&[__crud::Former::new("Volume", "volumes")])
        .doc("A book on the shelf.")
        .default_sort(&[__crud::SortKey::descending(10), __crud::SortKey::ascending(1)])
        .rate_limit(__crud::RateLimit::new(100, ::core::time::Duration::from_mins(1)))
        .pagination(__crud::Pagination::new(10u32, 50u32).clamp())
        .hooks(&__CRUD_HOOKS)
        .operations(__crud::Operations::ALL.without(__crud::Operation::Delete))
        .uniques(
            &[
                __crud::UniqueGroup::new(&[1, 5], __crud::Uniqueness::All)
                    .case_insensitive(&[1]),
            ],
        )
        .indexes(&[&[10, 1]])
        .partial_indexes(&[__crud::PartialIndex::new(&[5, 10], 5)])
        .sqlite(
            "`number`, `cover_title`, `type`, `state`, `price`, `author_id`, `volume`, `isbn`, `seller`, `views`, `printed_at`, `changed_at`",
            "SELECT `number`, `cover_title`, `type`, `state`, `price`, `author_id`, `volume`, `isbn`, `seller`, `views`, `printed_at`, `changed_at` FROM `shelf` WHERE `number` = ?",
            "INSERT INTO `shelf` (`number`, `cover_title`, `type`, `state`, `price`, `author_id`, `volume`, `isbn`, `seller`, `views`, `printed_at`, `changed_at`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING `number`, `cover_title`, `type`, `state`, `price`, `author_id`, `volume`, `isbn`, `seller`, `views`, `printed_at`, `changed_at`",
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
            "DELETE FROM `shelf` WHERE `number` = ? RETURNING `number`, `cover_title`, `type`, `state`, `price`, `author_id`, `volume`, `isbn`, `seller`, `views`, `printed_at`, `changed_at`",
        )
        .postgres(
            "\"number\", \"cover_title\", \"type\", \"state\", \"price\", \"author_id\", \"volume\", \"isbn\", \"seller\", \"views\", \"printed_at\", \"changed_at\"",
            "SELECT \"number\", \"cover_title\", \"type\", \"state\", \"price\", \"author_id\", \"volume\", \"isbn\", \"seller\", \"views\", \"printed_at\", \"changed_at\" FROM \"shelf\" WHERE \"number\" = $1",
            "INSERT INTO \"shelf\" (\"number\", \"cover_title\", \"type\", \"state\", \"price\", \"author_id\", \"volume\", \"isbn\", \"seller\", \"views\", \"printed_at\", \"changed_at\") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING \"number\", \"cover_title\", \"type\", \"state\", \"price\", \"author_id\", \"volume\", \"isbn\", \"seller\", \"views\", \"printed_at\", \"changed_at\"",
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
            "DELETE FROM \"shelf\" WHERE \"number\" = $1 RETURNING \"number\", \"cover_title\", \"type\", \"state\", \"price\", \"author_id\", \"volume\", \"isbn\", \"seller\", \"views\", \"printed_at\", \"changed_at\"",
        )
        .mysql(
            "`number`, `cover_title`, `type`, `state`, `price`, `author_id`, `volume`, `isbn`, `seller`, `views`, `printed_at`, `changed_at`",
            "SELECT `number`, `cover_title`, `type`, `state`, `price`, `author_id`, `volume`, `isbn`, `seller`, `views`, `printed_at`, `changed_at` FROM `shelf` WHERE `number` = ?",
            "INSERT INTO `shelf` (`number`, `cover_title`, `type`, `state`, `price`, `author_id`, `volume`, `isbn`, `seller`, `views`, `printed_at`, `changed_at`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) /*M!100500 RETURNING `number`, `cover_title`, `type`, `state`, `price`, `author_id`, `volume`, `isbn`, `seller`, `views`, `printed_at`, `changed_at` */",
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
            "DELETE FROM `shelf` WHERE `number` = ?",
        );
    static __CRUD_HOOKS: __crud::Hooks = __crud::Hooks::new()
        .validate(|__crud_a| __crud::ErasedHooks::<Book>::validate(complete, __crud_a))
        .before(|__crud_a, __crud_b| __crud::ErasedHooks::<
            Book,
        >::before(checks::stamp, __crud_a, __crud_b))
        .after(|__crud_a, __crud_b| __crud::ErasedHooks::<
            Book,
        >::after(bill, __crud_a, __crud_b))
        .committed(|__crud_a, __crud_b| __crud::ErasedHooks::<
            Book,
        >::committed(notify, __crud_a, __crud_b));
    #[automatically_derived]
    impl __crud::Resource for Book {
        type Id = String;
        type Tenant = __crud::NoTenant;
        const DESCRIPTOR: &'static __crud::Descriptor = &__CRUD_DESCRIPTOR;
        fn from_row(__crud_row: &dyn __crud::Row) -> __crud::Decoded<Self> {
            let __crud_r = &__crud::RowReader::new(__crud_row, Self::DESCRIPTOR);
            __crud::Ok(Self {
                number: <String as __crud::Column>::read(__crud_r, 0)?,
                title: <String as __crud::Column>::read(__crud_r, 1)?,
                r#type: <Genre as __crud::Column>::read(__crud_r, 2)?,
                state: <State as __crud::Column>::read(__crud_r, 3)?,
                price: <Option<Decimal> as __crud::Column>::read(__crud_r, 4)?,
                author_id: <Option<i64> as __crud::Column>::read(__crud_r, 5)?,
                volume: <i16 as __crud::Column>::read(__crud_r, 6)?,
                isbn: <String as __crud::Column>::read(__crud_r, 7)?,
                seller: <Option<String> as __crud::Column>::read(__crud_r, 8)?,
                views: <i64 as __crud::Column>::read(__crud_r, 9)?,
                printed_at: <DateTime<Utc> as __crud::Column>::read(__crud_r, 10)?,
                changed_at: <DateTime<Utc> as __crud::Column>::read(__crud_r, 11)?,
            })
        }
        fn id(&self) -> Self::Id {
            ::core::clone::Clone::clone(&self.number)
        }
        fn into_values(self) -> __crud::Vec<__crud::Value> {
            __crud::record_values([
                <String as __crud::Column>::into_value(self.number),
                <String as __crud::Column>::into_value(self.title),
                <Genre as __crud::Column>::into_value(self.r#type),
                <State as __crud::Column>::into_value(self.state),
                <Option<Decimal> as __crud::Column>::into_value(self.price),
                <Option<i64> as __crud::Column>::into_value(self.author_id),
                <i16 as __crud::Column>::into_value(self.volume),
                <String as __crud::Column>::into_value(self.isbn),
                <Option<String> as __crud::Column>::into_value(self.seller),
                <i64 as __crud::Column>::into_value(self.views),
                <DateTime<Utc> as __crud::Column>::into_value(self.printed_at),
                <DateTime<Utc> as __crud::Column>::into_value(self.changed_at),
            ])
        }
    }
    impl __crud::Writable for Book {
        type New = NewBook;
        type Patch = BookPatch;
    }
    #[allow(dead_code)]
    impl NewBook {
        ///A new [`Book`] of the fields that a create requires.
        pub(crate) fn new(
            number: impl __crud::IntoColumn<String>,
            title: impl __crud::IntoColumn<String>,
            volume: impl __crud::IntoColumn<i16>,
            isbn: impl __crud::IntoColumn<String>,
        ) -> Self {
            Self {
                number: number.into_column(),
                title: title.into_column(),
                r#type: __crud::None,
                state: __crud::None,
                price: __crud::None,
                author_id: __crud::None,
                volume: volume.into_column(),
                isbn: isbn.into_column(),
                seller: __crud::None,
                views: __crud::None,
            }
        }
        ///Sets `number`.
        pub(crate) fn number(mut self, number: impl __crud::IntoColumn<String>) -> Self {
            self.number = number.into_column();
            self
        }
        ///Sets `title`.
        pub(crate) fn title(mut self, title: impl __crud::IntoColumn<String>) -> Self {
            self.title = title.into_column();
            self
        }
        ///Sets `type`.
        pub(crate) fn r#type(mut self, r#type: impl __crud::IntoColumn<Genre>) -> Self {
            self.r#type = __crud::Some(r#type.into_column());
            self
        }
        ///Sets `state`.
        pub(crate) fn state(mut self, state: impl __crud::IntoColumn<State>) -> Self {
            self.state = __crud::Some(state.into_column());
            self
        }
        ///Sets `price`.
        pub(crate) fn price(
            mut self,
            price: impl __crud::IntoColumn<Option<Decimal>>,
        ) -> Self {
            self.price = price.into_column();
            self
        }
        ///Sets `author_id`.
        pub(crate) fn author_id(
            mut self,
            author_id: impl __crud::IntoColumn<Option<i64>>,
        ) -> Self {
            self.author_id = author_id.into_column();
            self
        }
        ///Sets `volume`.
        pub(crate) fn volume(mut self, volume: impl __crud::IntoColumn<i16>) -> Self {
            self.volume = volume.into_column();
            self
        }
        ///Sets `isbn`.
        pub(crate) fn isbn(mut self, isbn: impl __crud::IntoColumn<String>) -> Self {
            self.isbn = isbn.into_column();
            self
        }
        ///Sets `seller`.
        pub(crate) fn seller(
            mut self,
            seller: impl __crud::IntoColumn<Option<String>>,
        ) -> Self {
            self.seller = seller.into_column();
            self
        }
        ///Sets `views`.
        pub(crate) fn views(mut self, views: impl __crud::IntoColumn<i64>) -> Self {
            self.views = __crud::Some(views.into_column());
            self
        }
    }
    #[automatically_derived]
    impl ::core::clone::Clone for NewBook
    where
        for<'__crud_any> ::core::option::Option<Genre>: ::core::clone::Clone,
        for<'__crud_any> ::core::option::Option<State>: ::core::clone::Clone,
    {
        fn clone(&self) -> Self {
            Self {
                number: ::core::clone::Clone::clone(&self.number),
                title: ::core::clone::Clone::clone(&self.title),
                r#type: ::core::clone::Clone::clone(&self.r#type),
                state: ::core::clone::Clone::clone(&self.state),
                price: ::core::clone::Clone::clone(&self.price),
                author_id: ::core::clone::Clone::clone(&self.author_id),
                volume: ::core::clone::Clone::clone(&self.volume),
                isbn: ::core::clone::Clone::clone(&self.isbn),
                seller: ::core::clone::Clone::clone(&self.seller),
                views: ::core::clone::Clone::clone(&self.views),
            }
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Debug for NewBook {
        fn fmt(&self, __crud_f: &mut __crud::Formatter<'_>) -> __crud::Formatted {
            __crud_f
                .debug_struct("NewBook")
                .field("number", &self.number)
                .field("title", &self.title)
                .field("price", &self.price)
                .field("author_id", &self.author_id)
                .field("volume", &self.volume)
                .field("views", &self.views)
                .finish_non_exhaustive()
        }
    }
    impl ::core::convert::From<NewBook> for __crud::Changes {
        fn from(__crud_new: NewBook) -> Self {
            Self::new()
                .with(0, <String as __crud::Column>::into_value(__crud_new.number))
                .with(1, <String as __crud::Column>::into_value(__crud_new.title))
                .with_some(2, <Genre as __crud::Column>::optional(__crud_new.r#type))
                .with_some(3, <State as __crud::Column>::optional(__crud_new.state))
                .with(
                    4,
                    <Option<Decimal> as __crud::Column>::into_value(__crud_new.price),
                )
                .with(
                    5,
                    <Option<i64> as __crud::Column>::into_value(__crud_new.author_id),
                )
                .with(6, <i16 as __crud::Column>::into_value(__crud_new.volume))
                .with(7, <String as __crud::Column>::into_value(__crud_new.isbn))
                .with(
                    8,
                    <Option<String> as __crud::Column>::into_value(__crud_new.seller),
                )
                .with_some(9, <i64 as __crud::Column>::optional(__crud_new.views))
        }
    }
    impl<'__crud> __crud::Deserialize<'__crud> for NewBook {
        fn deserialize<__CrudD: __crud::Deserializer<'__crud>>(
            __crud_d: __CrudD,
        ) -> ::core::result::Result<Self, __CrudD::Error> {
            __crud::deserialize_new(
                &__CRUD_DESCRIPTOR,
                __crud_d,
                |__crud_r| __crud::Ok(Self {
                    number: <String as __crud::Column>::read(__crud_r, 0)?,
                    title: <String as __crud::Column>::read(__crud_r, 1)?,
                    r#type: <Genre as __crud::Column>::read_given(__crud_r, 2)?,
                    state: <State as __crud::Column>::read_given(__crud_r, 3)?,
                    price: <Option<Decimal> as __crud::Column>::read(__crud_r, 4)?,
                    author_id: <Option<i64> as __crud::Column>::read(__crud_r, 5)?,
                    volume: <i16 as __crud::Column>::read(__crud_r, 6)?,
                    isbn: <String as __crud::Column>::read(__crud_r, 7)?,
                    seller: <Option<String> as __crud::Column>::read(__crud_r, 8)?,
                    views: <i64 as __crud::Column>::read_given(__crud_r, 9)?,
                }),
            )
        }
    }
    #[allow(dead_code)]
    impl BookPatch {
        ///Changes `title`.
        pub(crate) fn title(self, title: impl __crud::IntoColumn<String>) -> Self {
            <String as __crud::Column>::change(self, 1, title)
        }
        ///Changes `type`.
        pub(crate) fn r#type(self, r#type: impl __crud::IntoColumn<Genre>) -> Self {
            <Genre as __crud::Column>::change(self, 2, r#type)
        }
        ///Changes `state`.
        pub(crate) fn state(self, state: impl __crud::IntoColumn<State>) -> Self {
            <State as __crud::Column>::change(self, 3, state)
        }
        ///Changes `price`.
        pub(crate) fn price(
            self,
            price: impl __crud::IntoColumn<Option<Decimal>>,
        ) -> Self {
            <Option<Decimal> as __crud::Column>::change(self, 4, price)
        }
        ///Changes `author_id`.
        pub(crate) fn author_id(
            self,
            author_id: impl __crud::IntoColumn<Option<i64>>,
        ) -> Self {
            <Option<i64> as __crud::Column>::change(self, 5, author_id)
        }
        ///Changes `volume`.
        pub(crate) fn volume(self, volume: impl __crud::IntoColumn<i16>) -> Self {
            <i16 as __crud::Column>::change(self, 6, volume)
        }
        ///Changes `isbn`.
        pub(crate) fn isbn(self, isbn: impl __crud::IntoColumn<String>) -> Self {
            <String as __crud::Column>::change(self, 7, isbn)
        }
        ///Changes `seller`.
        pub(crate) fn seller(
            self,
            seller: impl __crud::IntoColumn<Option<String>>,
        ) -> Self {
            <Option<String> as __crud::Column>::change(self, 8, seller)
        }
        ///Changes `views`.
        pub(crate) fn views(self, views: impl __crud::IntoColumn<i64>) -> Self {
            <i64 as __crud::Column>::change(self, 9, views)
        }
    }
    #[automatically_derived]
    impl ::core::clone::Clone for BookPatch {
        fn clone(&self) -> Self {
            ::core::convert::From::from(
                ::core::clone::Clone::clone(&self.set_by_methods),
            )
        }
    }
    impl ::core::default::Default for BookPatch {
        fn default() -> Self {
            ::core::convert::From::from(__crud::Changes::new())
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Debug for BookPatch {
        fn fmt(&self, __crud_f: &mut __crud::Formatter<'_>) -> __crud::Formatted {
            self.set_by_methods.fmt_as("BookPatch", __crud_f)
        }
    }
    impl ::core::convert::From<BookPatch> for __crud::Changes {
        fn from(__crud_patch: BookPatch) -> Self {
            __crud_patch.set_by_methods
        }
    }
    impl ::core::convert::From<__crud::Changes> for BookPatch {
        fn from(set_by_methods: __crud::Changes) -> Self {
            Self { set_by_methods }
        }
    }
    impl<'__crud> __crud::Deserialize<'__crud> for BookPatch {
        fn deserialize<__CrudD: __crud::Deserializer<'__crud>>(
            __crud_d: __CrudD,
        ) -> ::core::result::Result<Self, __CrudD::Error> {
            __crud::deserialize_patch(&__CRUD_DESCRIPTOR, __crud_d)
        }
    }
    #[allow(dead_code)]
    impl Book {
        /// The fields, as terms of a query.
        pub(crate) const FIELDS: &'static BookFields = &BookFields {
            number: __crud::Field::new(0),
            title: __crud::Field::new(1),
            r#type: __crud::Field::new(2),
            state: __crud::Field::new(3),
            price: __crud::Field::new(4),
            author_id: __crud::Field::new(5),
            volume: __crud::Field::new(6),
            isbn: __crud::Field::new(7),
            seller: __crud::Field::new(8),
            views: __crud::Field::new(9),
            printed_at: __crud::Field::new(10),
            changed_at: __crud::Field::new(11),
        };
    }
    const _: () = __crud::check_requirement(
        <Genre as __crud::Column>::KIND.is_comparable(),
        "`type` cannot be compared, so a list cannot filter by it: remove it here",
    );
    const _: () = __crud::check_requirement(
        <Genre as __crud::Column>::KIND.is_comparable(),
        "`type` cannot be compared, so a list cannot filter by it: remove it here",
    );
    const _: () = __crud::check_requirement(
        ::core::matches!(< State as __crud::Column > ::KIND, __crud::Kind::Enum(_)),
        "`transitions` need an enum that derives `ResourceEnum`, without `other`",
    );
    const _: () = __crud::check_requirement(
        match <State as __crud::Column>::KIND {
            __crud::Kind::Enum(__crud_texts) => __crud_texts.len() == 3,
            _ => true,
        },
        "no transition leads to a variant of this enum: name each in `transitions`, or remove it",
    );
    const _: () = <i64 as __crud::RefersTo<<Author as __crud::Resource>::Id>>::ASSERTED;
    #[automatically_derived]
    impl __crud::Serialize for Book {
        fn serialize<__CrudS: __crud::Serializer>(
            &self,
            __crud_s: __CrudS,
        ) -> ::core::result::Result<__CrudS::Ok, __CrudS::Error> {
            __crud::serialize(<Self as ::core::clone::Clone>::clone(self), __crud_s)
        }
    }
    #[cfg(rust_analyzer)]
    const _: () = {
        use __crud::completion::container::prefix as _;
        use __crud::completion::container::table as _;
        use __crud::completion::container::renamed_from as _;
        use __crud::completion::container::tags as _;
        use __crud::completion::container::admin as _;
        use __crud::completion::container::filter as _;
        use __crud::completion::container::sort as _;
        use __crud::completion::container::default_sort as _;
        use __crud::completion::container::pagination as _;
        use __crud::completion::container::operations as _;
        use __crud::completion::container::derive as _;
        use __crud::completion::container::rate_limit as _;
        use __crud::completion::container::unique as _;
        use __crud::completion::container::index as _;
        use __crud::completion::container::index as _;
        use __crud::completion::container::hooks as _;
        use __crud::completion::container::rename_all as _;
        use __crud::completion::renamed_from::table as _;
        use __crud::completion::admin::title as _;
        use __crud::completion::admin::list as _;
        use __crud::completion::admin::group as _;
        use __crud::completion::admin::read_only as _;
        use __crud::completion::pagination::default_limit as _;
        use __crud::completion::pagination::max_limit as _;
        use __crud::completion::pagination::over_limit as _;
        use __crud::completion::operations::except as _;
        use __crud::completion::derive::Serialize as _;
        use __crud::completion::rate_limit::per as _;
        use __crud::completion::unique::case_insensitive as _;
        use __crud::completion::index::some as _;
        use __crud::completion::hooks::before as _;
        use __crud::completion::hooks::after as _;
        use __crud::completion::hooks::committed as _;
        use __crud::completion::hooks::validate as _;
        use __crud::completion::field::id as _;
        use __crud::completion::field::sort as _;
        use __crud::completion::field::unique as _;
        use __crud::completion::field::length as _;
        use __crud::completion::field::validate as _;
        use __crud::completion::field::rename as _;
        use __crud::completion::field::column as _;
        use __crud::completion::length::min as _;
        use __crud::completion::validate::pattern as _;
        use __crud::completion::field::filter as _;
        use __crud::completion::field::default as _;
        use __crud::completion::field::default as _;
        use __crud::completion::field::transitions as _;
        use __crud::completion::field::decimal as _;
        use __crud::completion::field::range as _;
        use __crud::completion::range::min as _;
        use __crud::completion::range::max as _;
        use __crud::completion::field::references as _;
        use __crud::completion::field::index as _;
        use __crud::completion::references::on_delete as _;
        use __crud::completion::field::validate as _;
        use __crud::completion::field::immutable as _;
        use __crud::completion::validate::one_of as _;
        use __crud::completion::field::write_only as _;
        use __crud::completion::field::length as _;
        use __crud::completion::field::validate as _;
        use __crud::completion::length::max as _;
        use __crud::completion::validate::custom as _;
        use __crud::completion::field::hidden as _;
        use __crud::completion::field::validate as _;
        use __crud::completion::validate::email as _;
        use __crud::completion::field::read_only as _;
        use __crud::completion::field::default as _;
        use __crud::completion::field::created_at as _;
        use __crud::completion::field::updated_at as _;
        const _: fn(&Book) = |resource| {
            _ = &resource.title;
            _ = &resource.r#type;
            _ = &resource.price;
            _ = &resource.title;
            _ = &resource.printed_at;
            _ = &resource.printed_at;
            _ = &resource.title;
            _ = &resource.title;
            _ = &resource.title;
            _ = &resource.price;
            _ = &resource.title;
            _ = &resource.author_id;
            _ = &resource.title;
            _ = &resource.printed_at;
            _ = &resource.title;
            _ = &resource.author_id;
            _ = &resource.printed_at;
            _ = &resource.author_id;
        };
    };
};
