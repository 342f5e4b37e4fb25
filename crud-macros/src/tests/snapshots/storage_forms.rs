// #[crud(table = "film", soft_delete)]
// pub struct Film {
//     pub id: i32,
//     #[crud(column(sql_type = "mpaa_rating"), default(Rating::G))]
//     pub rating: Rating,
//     #[crud(column(sql_type = "mpaa_rating[]"))]
//     pub ratings: Vec<String>,
//     #[crud(column(sql_type = "year"))]
//     pub release_year: Option<i32>,
//     #[crud(column(format = "%Y-%m-%d %H:%M:%S"))]
//     pub shown: Option<NaiveDateTime>,
//     #[crud(column(format = "uppercase"))]
//     pub token: Uuid,
//     #[crud(deleted_at)]
//     pub removed: bool,
// }

///The fields of a new [`Film`]; `None` stands for a field's default.
#[must_use]
#[allow(dead_code)]
pub struct NewFilm {
    ///The `rating`.
    pub rating: ::core::option::Option<Rating>,
    ///The `ratings`.
    pub ratings: Vec<String>,
    ///The `release_year`.
    pub release_year: Option<i32>,
    ///The `shown`.
    pub shown: Option<NaiveDateTime>,
    ///The `token`.
    pub token: Uuid,
}
///Changes of a [`Film`], made by its methods from `FilmPatch::default()`: a field that is not set keeps its value.
#[must_use]
pub struct FilmPatch {
    set_by_methods: ::crud_runtime::__private::Changes,
}
///The fields of [`Film`] as terms of a query.
#[allow(dead_code, missing_docs)]
#[allow(missing_copy_implementations, missing_debug_implementations)]
pub struct FilmFields {
    pub id: ::crud_runtime::__private::Field<Film, i32>,
    pub rating: ::crud_runtime::__private::Field<Film, Rating>,
    pub ratings: ::crud_runtime::__private::Field<Film, Vec<String>>,
    pub release_year: ::crud_runtime::__private::Field<Film, Option<i32>>,
    pub shown: ::crud_runtime::__private::Field<Film, Option<NaiveDateTime>>,
    pub token: ::crud_runtime::__private::Field<Film, Uuid>,
    pub removed: ::crud_runtime::__private::Field<Film, bool>,
}
#[allow(unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::crud_runtime::__private as __crud;
    static __CRUD_COLUMNS: [__crud::ColumnDescriptor; 8] = [
        <i32 as __crud::Column>::TYPE.column("id", "\"id\":").role(__crud::Role::Id),
        <Rating as __crud::Column>::TYPE
            .column("rating", "\"rating\":")
            .default(|| <Rating as __crud::Column>::into_value(
                __crud::IntoColumn::into_column(Rating::G),
            ))
            .sql_type("mpaa_rating"),
        <Vec<String> as __crud::Column>::TYPE
            .column("ratings", "\"ratings\":")
            .sql_type("mpaa_rating[]"),
        <Option<i32> as __crud::Column>::TYPE
            .column("release_year", "\"release_year\":")
            .sql_type("year"),
        <Option<NaiveDateTime> as __crud::Column>::TYPE
            .column("shown", "\"shown\":")
            .format(__crud::StoredFormat::Pattern("%Y-%m-%d %H:%M:%S")),
        <Uuid as __crud::Column>::TYPE
            .column("token", "\"token\":")
            .format(__crud::StoredFormat::Uppercase),
        <bool as __crud::Column>::TYPE
            .column("removed", "\"removed\":")
            .role(__crud::Role::DeletedAt),
        __crud::ColumnDescriptor::is_deleted("is_deleted", "\"is_deleted\":"),
    ];
    static __CRUD_DESCRIPTOR: __crud::Descriptor = __crud::Descriptor::new(
            "Film",
            ::core::module_path!(),
            "/films",
            "film",
            &__CRUD_COLUMNS,
            0,
        )
        .tags(&["films"])
        .soft_delete(__crud::SoftDelete::new(6))
        .sqlite(
            "`id`, `rating`, `ratings`, `release_year`, `shown`, `token`, `removed`, `removed`",
            "SELECT `id`, `rating`, `ratings`, `release_year`, `shown`, `token`, `removed`, `removed` FROM `film` WHERE `id` = ?",
            "INSERT INTO `film` (`rating`, `ratings`, `release_year`, `shown`, `token`, `removed`) VALUES (?, ?, ?, ?, ?, ?) RETURNING `id`, `rating`, `ratings`, `release_year`, `shown`, `token`, `removed`, `removed`",
            &[1, 2, 3, 4, 5, 6],
            "DELETE FROM `film` WHERE `id` = ? RETURNING `id`, `rating`, `ratings`, `release_year`, `shown`, `token`, `removed`, `removed`",
        )
        .postgres(
            "\"id\", \"rating\"::text, \"ratings\"::text[], \"release_year\", \"shown\", \"token\", \"removed\", \"removed\"",
            "SELECT \"id\", \"rating\"::text, \"ratings\"::text[], \"release_year\", \"shown\", \"token\", \"removed\", \"removed\" FROM \"film\" WHERE \"id\" = $1",
            "INSERT INTO \"film\" (\"rating\", \"ratings\", \"release_year\", \"shown\", \"token\", \"removed\") VALUES ($1::mpaa_rating, $2::mpaa_rating[], $3, $4, $5, $6) RETURNING \"id\", \"rating\"::text, \"ratings\"::text[], \"release_year\", \"shown\", \"token\", \"removed\", \"removed\"",
            &[1, 2, 3, 4, 5, 6],
            "DELETE FROM \"film\" WHERE \"id\" = $1 RETURNING \"id\", \"rating\"::text, \"ratings\"::text[], \"release_year\", \"shown\", \"token\", \"removed\", \"removed\"",
        )
        .mysql(
            "`id`, CAST(`rating` AS CHAR), CAST(`ratings` AS CHAR), `release_year`, `shown`, `token`, `removed`, `removed`",
            "SELECT `id`, CAST(`rating` AS CHAR), CAST(`ratings` AS CHAR), `release_year`, `shown`, `token`, `removed`, `removed` FROM `film` WHERE `id` = ?",
            "INSERT INTO `film` (`rating`, `ratings`, `release_year`, `shown`, `token`, `removed`) VALUES (?, ?, ?, ?, ?, ?) /*M!100500 RETURNING `id`, CAST(`rating` AS CHAR), CAST(`ratings` AS CHAR), `release_year`, `shown`, `token`, `removed`, `removed` */",
            &[1, 2, 3, 4, 5, 6],
            "DELETE FROM `film` WHERE `id` = ?",
        );
    #[automatically_derived]
    impl __crud::Resource for Film {
        type Id = i32;
        type Tenant = __crud::NoTenant;
        const DESCRIPTOR: &'static __crud::Descriptor = &__CRUD_DESCRIPTOR;
        fn from_row(__crud_row: &dyn __crud::Row) -> __crud::Decoded<Self> {
            let __crud_r = &__crud::RowReader::new(__crud_row, Self::DESCRIPTOR);
            __crud::Ok(Self {
                id: <i32 as __crud::Column>::read(__crud_r, 0)?,
                rating: <Rating as __crud::Column>::read(__crud_r, 1)?,
                ratings: <Vec<String> as __crud::Column>::read(__crud_r, 2)?,
                release_year: <Option<i32> as __crud::Column>::read(__crud_r, 3)?,
                shown: <Option<NaiveDateTime> as __crud::Column>::read(__crud_r, 4)?,
                token: <Uuid as __crud::Column>::read(__crud_r, 5)?,
                removed: <bool as __crud::Column>::read(__crud_r, 6)?,
            })
        }
        fn id(&self) -> Self::Id {
            ::core::clone::Clone::clone(&self.id)
        }
        fn into_values(self) -> __crud::Vec<__crud::Value> {
            __crud::record_values([
                <i32 as __crud::Column>::into_value(self.id),
                <Rating as __crud::Column>::into_value(self.rating),
                <Vec<String> as __crud::Column>::into_value(self.ratings),
                <Option<i32> as __crud::Column>::into_value(self.release_year),
                <Option<NaiveDateTime> as __crud::Column>::into_value(self.shown),
                <Uuid as __crud::Column>::into_value(self.token),
                <bool as __crud::Column>::into_value(self.removed),
            ])
        }
    }
    impl __crud::Writable for Film {
        type New = NewFilm;
        type Patch = FilmPatch;
    }
    #[allow(dead_code)]
    impl NewFilm {
        ///A new [`Film`] of the fields that a create requires.
        pub fn new(
            ratings: impl __crud::IntoColumn<Vec<String>>,
            token: impl __crud::IntoColumn<Uuid>,
        ) -> Self {
            Self {
                rating: __crud::None,
                ratings: ratings.into_column(),
                release_year: __crud::None,
                shown: __crud::None,
                token: token.into_column(),
            }
        }
        ///Sets `rating`.
        pub fn rating(mut self, rating: impl __crud::IntoColumn<Rating>) -> Self {
            self.rating = __crud::Some(rating.into_column());
            self
        }
        ///Sets `ratings`.
        pub fn ratings(mut self, ratings: impl __crud::IntoColumn<Vec<String>>) -> Self {
            self.ratings = ratings.into_column();
            self
        }
        ///Sets `release_year`.
        pub fn release_year(
            mut self,
            release_year: impl __crud::IntoColumn<Option<i32>>,
        ) -> Self {
            self.release_year = release_year.into_column();
            self
        }
        ///Sets `shown`.
        pub fn shown(
            mut self,
            shown: impl __crud::IntoColumn<Option<NaiveDateTime>>,
        ) -> Self {
            self.shown = shown.into_column();
            self
        }
        ///Sets `token`.
        pub fn token(mut self, token: impl __crud::IntoColumn<Uuid>) -> Self {
            self.token = token.into_column();
            self
        }
    }
    #[automatically_derived]
    impl ::core::clone::Clone for NewFilm
    where
        for<'__crud_any> ::core::option::Option<Rating>: ::core::clone::Clone,
    {
        fn clone(&self) -> Self {
            Self {
                rating: ::core::clone::Clone::clone(&self.rating),
                ratings: ::core::clone::Clone::clone(&self.ratings),
                release_year: ::core::clone::Clone::clone(&self.release_year),
                shown: ::core::clone::Clone::clone(&self.shown),
                token: ::core::clone::Clone::clone(&self.token),
            }
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Debug for NewFilm {
        fn fmt(&self, __crud_f: &mut __crud::Formatter<'_>) -> __crud::Formatted {
            __crud_f
                .debug_struct("NewFilm")
                .field("ratings", &self.ratings)
                .field("release_year", &self.release_year)
                .field("shown", &self.shown)
                .field("token", &self.token)
                .finish_non_exhaustive()
        }
    }
    impl ::core::convert::From<NewFilm> for __crud::Changes {
        fn from(__crud_new: NewFilm) -> Self {
            Self::new()
                .with_some(1, <Rating as __crud::Column>::optional(__crud_new.rating))
                .with(2, <Vec<String> as __crud::Column>::into_value(__crud_new.ratings))
                .with(
                    3,
                    <Option<i32> as __crud::Column>::into_value(__crud_new.release_year),
                )
                .with(
                    4,
                    <Option<
                        NaiveDateTime,
                    > as __crud::Column>::into_value(__crud_new.shown),
                )
                .with(5, <Uuid as __crud::Column>::into_value(__crud_new.token))
        }
    }
    impl<'__crud> __crud::Deserialize<'__crud> for NewFilm {
        fn deserialize<__CrudD: __crud::Deserializer<'__crud>>(
            __crud_d: __CrudD,
        ) -> ::core::result::Result<Self, __CrudD::Error> {
            __crud::deserialize_new(
                &__CRUD_DESCRIPTOR,
                __crud_d,
                |__crud_r| __crud::Ok(Self {
                    rating: <Rating as __crud::Column>::read_given(__crud_r, 1)?,
                    ratings: <Vec<String> as __crud::Column>::read(__crud_r, 2)?,
                    release_year: <Option<i32> as __crud::Column>::read(__crud_r, 3)?,
                    shown: <Option<NaiveDateTime> as __crud::Column>::read(__crud_r, 4)?,
                    token: <Uuid as __crud::Column>::read(__crud_r, 5)?,
                }),
            )
        }
    }
    #[allow(dead_code)]
    impl FilmPatch {
        ///Changes `rating`.
        pub fn rating(self, rating: impl __crud::IntoColumn<Rating>) -> Self {
            <Rating as __crud::Column>::change(self, 1, rating)
        }
        ///Changes `ratings`.
        pub fn ratings(self, ratings: impl __crud::IntoColumn<Vec<String>>) -> Self {
            <Vec<String> as __crud::Column>::change(self, 2, ratings)
        }
        ///Changes `release_year`.
        pub fn release_year(
            self,
            release_year: impl __crud::IntoColumn<Option<i32>>,
        ) -> Self {
            <Option<i32> as __crud::Column>::change(self, 3, release_year)
        }
        ///Changes `shown`.
        pub fn shown(
            self,
            shown: impl __crud::IntoColumn<Option<NaiveDateTime>>,
        ) -> Self {
            <Option<NaiveDateTime> as __crud::Column>::change(self, 4, shown)
        }
        ///Changes `token`.
        pub fn token(self, token: impl __crud::IntoColumn<Uuid>) -> Self {
            <Uuid as __crud::Column>::change(self, 5, token)
        }
    }
    #[automatically_derived]
    impl ::core::clone::Clone for FilmPatch {
        fn clone(&self) -> Self {
            ::core::convert::From::from(
                ::core::clone::Clone::clone(&self.set_by_methods),
            )
        }
    }
    impl ::core::default::Default for FilmPatch {
        fn default() -> Self {
            ::core::convert::From::from(__crud::Changes::new())
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Debug for FilmPatch {
        fn fmt(&self, __crud_f: &mut __crud::Formatter<'_>) -> __crud::Formatted {
            self.set_by_methods.fmt_as("FilmPatch", __crud_f)
        }
    }
    impl ::core::convert::From<FilmPatch> for __crud::Changes {
        fn from(__crud_patch: FilmPatch) -> Self {
            __crud_patch.set_by_methods
        }
    }
    impl ::core::convert::From<__crud::Changes> for FilmPatch {
        fn from(set_by_methods: __crud::Changes) -> Self {
            Self { set_by_methods }
        }
    }
    impl<'__crud> __crud::Deserialize<'__crud> for FilmPatch {
        fn deserialize<__CrudD: __crud::Deserializer<'__crud>>(
            __crud_d: __CrudD,
        ) -> ::core::result::Result<Self, __CrudD::Error> {
            __crud::deserialize_patch(&__CRUD_DESCRIPTOR, __crud_d)
        }
    }
    #[allow(dead_code)]
    impl Film {
        /// The fields, as terms of a query.
        pub const FIELDS: &'static FilmFields = &FilmFields {
            id: __crud::Field::new(0),
            rating: __crud::Field::new(1),
            ratings: __crud::Field::new(2),
            release_year: __crud::Field::new(3),
            shown: __crud::Field::new(4),
            token: __crud::Field::new(5),
            removed: __crud::Field::new(6),
        };
    }
    const _: () = __crud::check_requirement(
        ::core::matches!(
            < Rating as __crud::Column > ::KIND, __crud::Kind::Text |
            __crud::Kind::Enum(_)
        ),
        "`sql_type` on a type of the program needs one that is stored as text",
    );
    #[cfg(rust_analyzer)]
    const _: () = {
        use __crud::completion::container::table as _;
        use __crud::completion::container::soft_delete as _;
        use __crud::completion::field::column as _;
        use __crud::completion::field::default as _;
        use __crud::completion::column::sql_type as _;
        use __crud::completion::field::column as _;
        use __crud::completion::column::sql_type as _;
        use __crud::completion::field::column as _;
        use __crud::completion::column::sql_type as _;
        use __crud::completion::field::column as _;
        use __crud::completion::column::format as _;
        use __crud::completion::field::column as _;
        use __crud::completion::column::format as _;
        use __crud::completion::field::deleted_at as _;
        const _: fn(&Film) = |resource| {};
    };
};
