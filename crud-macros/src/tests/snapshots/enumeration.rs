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
            let __crud_text = match self {
                Self::Draft => "draft",
                Self::InReview => "in_review",
                Self::Published => "live",
            };
            __crud::enum_value(__crud_text)
        }
        fn from_value(__crud_value: __crud::ValueRef<'_>) -> __crud::Parsed<Self> {
            match __crud::enum_text(__crud_value) {
                __crud::Ok("draft") => __crud::Ok(Self::Draft),
                __crud::Ok("in_review") => __crud::Ok(Self::InReview),
                __crud::Ok("live") => __crud::Ok(Self::Published),
                __crud_text => __crud::enum_error(Self::KIND, __crud_text),
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
