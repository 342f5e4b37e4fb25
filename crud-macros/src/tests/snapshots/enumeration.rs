// #[crud(rename_all = "snake_case")]
// pub enum Status {
//     Draft,
//     InReview,
//     #[crud(rename = "live")]
//     Published,
// }

#[allow(unexpected_cfgs)]
const _: () = {
    use ::crud_runtime::__private as __crud;
    #[automatically_derived]
    impl __crud::Column for Status {
        const KIND: __crud::Kind = __crud::Kind::Enum(&["draft", "in_review", "live"]);
        const CHECK: ::core::option::Option<__crud::Check> = __crud::None;
        fn into_value(self) -> __crud::Value {
            match self {
                Self::Draft => __crud::enum_value("draft"),
                Self::InReview => __crud::enum_value("in_review"),
                Self::Published => __crud::enum_value("live"),
            }
        }
        fn from_value(
            __crud_value: __crud::ValueRef<'_>,
        ) -> ::core::result::Result<Self, __crud::ColumnError> {
            match __crud::enum_text(__crud_value)? {
                "draft" => __crud::Ok(Self::Draft),
                "in_review" => __crud::Ok(Self::InReview),
                "live" => __crud::Ok(Self::Published),
                __crud_text => __crud::Err(__crud::enum_error(Self::KIND, __crud_text)),
            }
        }
    }
    #[automatically_derived]
    impl __crud::ComparableColumn for Status {}
    #[cfg(rust_analyzer)]
    const _: () = {
        use __crud::completion::variant::rename as _;
        use __crud::completion::enumeration::rename_all as _;
        const _: fn(&Status) = |resource| {};
    };
};
