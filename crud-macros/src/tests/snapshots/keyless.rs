// #[crud(table("log_lines", no_key), sort)]
// struct LogLine {
//     level: i32,
//     message: String,
// }

///The fields of [`LogLine`] as terms of a query.
#[allow(dead_code, missing_docs)]
#[allow(missing_copy_implementations, missing_debug_implementations)]
struct LogLineFields {
    level: ::crud_runtime::__private::Field<LogLine, i32>,
    message: ::crud_runtime::__private::Field<LogLine, String>,
}
#[allow(unexpected_cfgs, unused_qualifications)]
const _: () = {
    use ::crud_runtime::__private as __crud;
    static __CRUD_COLUMNS: [__crud::ColumnDescriptor; 2] = [
        <i32 as __crud::Column>::TYPE
            .column("level", "\"level\":")
            .sortable_if_comparable(),
        <String as __crud::Column>::TYPE
            .column("message", "\"message\":")
            .sortable_if_comparable(),
    ];
    static __CRUD_DESCRIPTOR: __crud::Descriptor = __crud::Descriptor::new(
            "LogLine",
            ::core::module_path!(),
            "/log_lines",
            "log_lines",
            &__CRUD_COLUMNS,
            0,
        )
        .tags(&["log_lines"])
        .keyless()
        .operations(__crud::Operations::NONE.with(__crud::Operation::List))
        .sqlite("`level`, `message`", "", "", &[], "")
        .postgres("\"level\", \"message\"", "", "", &[], "")
        .mysql("`level`, `message`", "", "", &[], "");
    #[automatically_derived]
    impl __crud::Resource for LogLine {
        type Id = __crud::NoKey;
        type Tenant = __crud::NoTenant;
        const DESCRIPTOR: &'static __crud::Descriptor = &__CRUD_DESCRIPTOR;
        fn from_row(__crud_row: &dyn __crud::Row) -> __crud::Decoded<Self> {
            let __crud_r = &__crud::RowReader::new(__crud_row, Self::DESCRIPTOR);
            __crud::Ok(Self {
                level: <i32 as __crud::Column>::read(__crud_r, 0)?,
                message: <String as __crud::Column>::read(__crud_r, 1)?,
            })
        }
        fn id(&self) -> Self::Id {
            __crud::NoKey::NONE
        }
        fn into_values(self) -> __crud::Vec<__crud::Value> {
            __crud::record_values([
                <i32 as __crud::Column>::into_value(self.level),
                <String as __crud::Column>::into_value(self.message),
            ])
        }
    }
    #[allow(dead_code)]
    impl LogLine {
        /// The fields, as terms of a query.
        const FIELDS: &'static LogLineFields = &LogLineFields {
            level: __crud::Field::new(0),
            message: __crud::Field::new(1),
        };
    }
    #[cfg(rust_analyzer)]
    const _: () = {
        use __crud::completion::container::table as _;
        use __crud::completion::container::sort as _;
        use __crud::completion::table::no_key as _;
        const _: fn(&LogLine) = |resource| {};
    };
};
