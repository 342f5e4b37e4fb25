// #[crud(
//     filter(title, author::name),
//     sort(title, author::name),
//     has_many(notes(crate::Note::book_id, limit = 5, sort(desc(made), id)), sequels(Book::previous_id, nested)),
//     many_to_many(tags(BookTag), readers(crate::Loan::book_id, crate::Loan::reader_id, limit = 3))
// )]
// pub struct Book {
//     pub id: i64,
//     pub title: String,
//     #[crud(references(Author, expand))]
//     pub author_id: Option<i64>,
//     #[crud(references(Book, relation(previous)))]
//     pub previous_id: Option<i64>,
// }

///The fields of a new [`Book`]; `None` stands for a field's default.
#[derive(::core::clone::Clone)]
#[must_use]
#[allow(dead_code)]
pub struct NewBook {
    ///The `title`.
    pub title: String,
    ///The `author_id`.
    pub author_id: Option<i64>,
    ///The `previous_id`.
    pub previous_id: Option<i64>,
}
///Changes of a [`Book`], made by its methods from `BookPatch::default()`: a field that is not set keeps its value.
#[must_use]
pub struct BookPatch {
    set_by_methods: ::crud_runtime::__private::Changes,
}
///The fields of [`Book`] as terms of a query.
#[allow(dead_code, missing_docs)]
#[allow(missing_copy_implementations, missing_debug_implementations)]
#[allow(private_interfaces)]
pub struct BookFields {
    pub id: ::crud_runtime::__private::Field<Book, i64>,
    pub title: ::crud_runtime::__private::Field<Book, String>,
    pub author_id: ::crud_runtime::__private::Field<Book, Option<i64>>,
    pub previous_id: ::crud_runtime::__private::Field<Book, Option<i64>>,
    ///The record that `author_id` refers to.
    pub author: ::crud_runtime::__private::ToOne<Book, Author>,
    ///The record that `previous_id` refers to.
    pub previous: ::crud_runtime::__private::ToOne<Book, Book>,
    ///The records that refer to one: `notes`.
    pub notes: ::crud_runtime::__private::ToMany<Book, crate::Note>,
    ///The records that refer to one: `sequels`.
    pub sequels: ::crud_runtime::__private::ToMany<Book, Book>,
}
#[allow(unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::crud_runtime::__private as __crud;
    static __CRUD_COLUMNS: [__crud::ColumnDescriptor; 4] = [
        <i64 as __crud::Column>::TYPE
            .column("id", "\"id\":")
            .role(__crud::Role::Id)
            .filterable()
            .sortable(),
        <String as __crud::Column>::TYPE
            .column("title", "\"title\":")
            .filterable()
            .sortable(),
        <Option<i64> as __crud::Column>::TYPE
            .column("author_id", "\"author_id\":")
            .references(
                || <Author as __crud::Resource>::DESCRIPTOR,
                __crud::OnDelete::Restrict,
            )
            .expandable("author"),
        <Option<i64> as __crud::Column>::TYPE
            .column("previous_id", "\"previous_id\":")
            .references(
                || <Book as __crud::Resource>::DESCRIPTOR,
                __crud::OnDelete::Restrict,
            )
            .named("previous"),
    ];
    static __CRUD_DESCRIPTOR: __crud::Descriptor = __crud::Descriptor::new(
            "Book",
            ::core::module_path!(),
            "/books",
            "books",
            &__CRUD_COLUMNS,
            0,
        )
        .tags(&["books"])
        .paths(const {
            &[__crud::FieldPath::new(2, <Author>::FIELDS.name.comparable())]
        })
        .sort_paths(const {
            &[__crud::FieldPath::new(2, <Author>::FIELDS.name.comparable())]
        })
        .children(const {
            &[
                __crud::Children::new(
                        "notes",
                        || <crate::Note as __crud::Resource>::DESCRIPTOR,
                        <crate::Note>::FIELDS.book_id.referring::<i64>(),
                        5u32,
                    )
                    .sort(const {
                        &[
                            __crud::SortKey::descending(
                                <crate::Note>::FIELDS.made.comparable(),
                            ),
                            __crud::SortKey::ascending(
                                <crate::Note>::FIELDS.id.comparable(),
                            ),
                        ]
                    }),
                __crud::Children::new(
                        "sequels",
                        || <Book as __crud::Resource>::DESCRIPTOR,
                        <Book>::FIELDS.previous_id.referring::<i64>(),
                        20u32,
                    )
                    .nested(),
            ]
        })
        .many_to_many(const {
            &[
                __crud::ManyToMany::new(
                    "tags",
                    "/{id}/tags",
                    "/{id}/tags/{linked}",
                    || <BookTag as __crud::Resource>::DESCRIPTOR,
                    20u32,
                ),
                __crud::ManyToMany::new(
                        "readers",
                        "/{id}/readers",
                        "/{id}/readers/{linked}",
                        || <crate::Loan as __crud::Resource>::DESCRIPTOR,
                        3u32,
                    )
                    .columns(
                        <crate::Loan>::FIELDS.book_id.referring::<i64>(),
                        <crate::Loan>::FIELDS.reader_id.column(),
                    ),
            ]
        })
        .sqlite(
            "`id`, `title`, `author_id`, `previous_id`",
            "SELECT `id`, `title`, `author_id`, `previous_id` FROM `books` WHERE `id` = ?",
            "INSERT INTO `books` (`title`, `author_id`, `previous_id`) VALUES (?, ?, ?) RETURNING `id`, `title`, `author_id`, `previous_id`",
            &[1, 2, 3],
            "DELETE FROM `books` WHERE `id` = ? RETURNING `id`, `title`, `author_id`, `previous_id`",
        )
        .postgres(
            "\"id\", \"title\", \"author_id\", \"previous_id\"",
            "SELECT \"id\", \"title\", \"author_id\", \"previous_id\" FROM \"books\" WHERE \"id\" = $1",
            "INSERT INTO \"books\" (\"title\", \"author_id\", \"previous_id\") VALUES ($1, $2, $3) RETURNING \"id\", \"title\", \"author_id\", \"previous_id\"",
            &[1, 2, 3],
            "DELETE FROM \"books\" WHERE \"id\" = $1 RETURNING \"id\", \"title\", \"author_id\", \"previous_id\"",
        )
        .mysql(
            "`id`, `title`, `author_id`, `previous_id`",
            "SELECT `id`, `title`, `author_id`, `previous_id` FROM `books` WHERE `id` = ?",
            "INSERT INTO `books` (`title`, `author_id`, `previous_id`) VALUES (?, ?, ?) /*M!100500 RETURNING `id`, `title`, `author_id`, `previous_id` */",
            &[1, 2, 3],
            "DELETE FROM `books` WHERE `id` = ?",
        );
    #[automatically_derived]
    impl __crud::Resource for Book {
        type Id = i64;
        type Tenant = __crud::NoTenant;
        const DESCRIPTOR: &'static __crud::Descriptor = &__CRUD_DESCRIPTOR;
        fn from_row(__crud_row: &dyn __crud::Row) -> __crud::Decoded<Self> {
            let __crud_r = &__crud::RowReader::new(__crud_row, Self::DESCRIPTOR);
            __crud::Ok(Self {
                id: <i64 as __crud::Column>::read(__crud_r, 0)?,
                title: <String as __crud::Column>::read(__crud_r, 1)?,
                author_id: <Option<i64> as __crud::Column>::read(__crud_r, 2)?,
                previous_id: <Option<i64> as __crud::Column>::read(__crud_r, 3)?,
            })
        }
        fn id(&self) -> Self::Id {
            ::core::clone::Clone::clone(&self.id)
        }
        fn into_values(self) -> __crud::Vec<__crud::Value> {
            __crud::record_values([
                <i64 as __crud::Column>::into_value(self.id),
                <String as __crud::Column>::into_value(self.title),
                <Option<i64> as __crud::Column>::into_value(self.author_id),
                <Option<i64> as __crud::Column>::into_value(self.previous_id),
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
        pub fn new(title: impl __crud::IntoColumn<String>) -> Self {
            Self {
                title: title.into_column(),
                author_id: __crud::None,
                previous_id: __crud::None,
            }
        }
        ///Sets `title`.
        pub fn title(mut self, title: impl __crud::IntoColumn<String>) -> Self {
            self.title = title.into_column();
            self
        }
        ///Sets `author_id`.
        pub fn author_id(
            mut self,
            author_id: impl __crud::IntoColumn<Option<i64>>,
        ) -> Self {
            self.author_id = author_id.into_column();
            self
        }
        ///Sets `previous_id`.
        pub fn previous_id(
            mut self,
            previous_id: impl __crud::IntoColumn<Option<i64>>,
        ) -> Self {
            self.previous_id = previous_id.into_column();
            self
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Debug for NewBook {
        fn fmt(&self, __crud_f: &mut __crud::Formatter<'_>) -> __crud::Formatted {
            __crud_f
                .debug_struct("NewBook")
                .field("title", &self.title)
                .field("author_id", &self.author_id)
                .field("previous_id", &self.previous_id)
                .finish()
        }
    }
    impl ::core::convert::From<NewBook> for __crud::Changes {
        fn from(__crud_new: NewBook) -> Self {
            Self::new()
                .with(1, <String as __crud::Column>::into_value(__crud_new.title))
                .with(
                    2,
                    <Option<i64> as __crud::Column>::into_value(__crud_new.author_id),
                )
                .with(
                    3,
                    <Option<i64> as __crud::Column>::into_value(__crud_new.previous_id),
                )
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
                    title: <String as __crud::Column>::read(__crud_r, 1)?,
                    author_id: <Option<i64> as __crud::Column>::read(__crud_r, 2)?,
                    previous_id: <Option<i64> as __crud::Column>::read(__crud_r, 3)?,
                }),
            )
        }
    }
    #[allow(dead_code)]
    impl BookPatch {
        ///Changes `title`.
        pub fn title(self, title: impl __crud::IntoColumn<String>) -> Self {
            <String as __crud::Column>::change(self, 1, title)
        }
        ///Changes `author_id`.
        pub fn author_id(self, author_id: impl __crud::IntoColumn<Option<i64>>) -> Self {
            <Option<i64> as __crud::Column>::change(self, 2, author_id)
        }
        ///Changes `previous_id`.
        pub fn previous_id(
            self,
            previous_id: impl __crud::IntoColumn<Option<i64>>,
        ) -> Self {
            <Option<i64> as __crud::Column>::change(self, 3, previous_id)
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
        pub const FIELDS: &'static BookFields = &BookFields {
            id: __crud::Field::new(0),
            title: __crud::Field::new(1),
            author_id: __crud::Field::new(2),
            previous_id: __crud::Field::new(3),
            author: __crud::ToOne::new(2),
            previous: __crud::ToOne::new(3),
            notes: __crud::ToMany::new(0),
            sequels: __crud::ToMany::new(1),
        };
    }
    const _: () = <i64 as __crud::RefersTo<<Author as __crud::Resource>::Id>>::ASSERTED;
    const _: () = <i64 as __crud::RefersTo<<Book as __crud::Resource>::Id>>::ASSERTED;
    const _: () = __crud::check_requirement(
        <BookTag as __crud::Resource>::DESCRIPTOR.has_two_references(),
        "expected the junction of `Book` and the other records, which refers to both, such as `tags(BookBookTag)`",
    );
    #[cfg(rust_analyzer)]
    const _: () = {
        use __crud::completion::container::filter as _;
        use __crud::completion::container::sort as _;
        use __crud::completion::container::has_many as _;
        use __crud::completion::container::many_to_many as _;
        use __crud::completion::has_many::limit as _;
        use __crud::completion::has_many::sort as _;
        use __crud::completion::has_many::nested as _;
        use __crud::completion::many_to_many::limit as _;
        use __crud::completion::field::references as _;
        use __crud::completion::references::expand as _;
        use __crud::completion::field::references as _;
        use __crud::completion::references::relation as _;
        const _: fn(&Book) = |resource| {
            _ = &resource.title;
            _ = &resource.title;
        };
    };
};
