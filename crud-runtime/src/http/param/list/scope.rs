//! The parameters that select active and deleted records.

use super::json::Json;
use super::parser::{Control, Group, Parser, only};
use crate::http::description::operation_doc::ParameterObject;
use crate::model::scalar;

pub(super) static INCLUDE_DELETED: Control = Control {
    name: "include_deleted",
    group: Group::Deleted,
    is_of: |parser| parser.context.resource.soft_delete.is_some(),
    read: |parser, values| parser.check_flag("include_deleted", only(values)),
    read_member: |parser, value| parser.check_flag_member("include_deleted", value),
    document: |options, _, _| {
        let by_default = options.descriptor.soft_delete?.include_deleted_by_default;
        Some(ParameterObject::flag("include_deleted", "Whether to list deleted records too.", by_default))
    },
};

pub(super) static ONLY_DELETED: Control = Control {
    name: "only_deleted",
    group: Group::Deleted,
    is_of: |parser| parser.context.resource.soft_delete.is_some(),
    read: |parser, values| parser.check_flag("only_deleted", only(values)),
    read_member: |parser, value| parser.check_flag_member("only_deleted", value),
    document: |options, _, _| {
        options.descriptor.soft_delete?;
        Some(ParameterObject::flag("only_deleted", "Whether to list only deleted records.", false))
    },
};

impl Parser<'_> {
    /// Checks a flag. The parser reads the values of both flags before the other parameters.
    fn check_flag(&mut self, name: &str, value: &str) {
        if let Err(error) = scalar::boolean(value) {
            self.reject(name, "type", error.message());
        }
    }

    fn check_flag_member(&mut self, name: &str, value: &Json) {
        if !matches!(value, Json::Bool(_)) {
            self.reject(name, "type", "must be true or false");
        }
    }
}
