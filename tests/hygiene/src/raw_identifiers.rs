//! Names that are keywords.

use renamed::prelude::*;

#[derive(ResourceEnum)]
#[crud(crate(::renamed))]
enum r#Type {
    r#Fn,
    r#Self_,
}

#[derive(Resource)]
#[crud(crate(::renamed), filter(r#type, r#fn), sort(r#type), default_sort(desc(r#type)), unique(r#type, r#fn))]
#[crud(has_many(r#in(r#Struct::r#ref, limit = 1, sort(desc(r#type)))))]
struct r#Struct {
    #[crud(id)]
    r#mod: i64,
    #[crud(validate(custom(r#check)))]
    r#type: String,
    r#fn: Option<i32>,
    #[crud(default(r#Type::r#Fn))]
    r#enum: r#Type,
    #[crud(references(r#Struct))]
    r#ref: Option<i64>,
    #[crud(references(r#Struct, expand))]
    as_id: Option<i64>,
}

fn r#check(name: &str) -> Result<(), String> {
    if name.is_empty() { Err("must not be empty".to_owned()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setters_are_called_as_the_fields_are() {
        let new = NewStruct::new("a").r#fn(5).r#enum(r#Type::Self_);
        let patch = StructPatch::default().r#type("b").r#ref(None);
        assert_eq!(renamed::adapter::Changes::from(new).len(), 5);
        assert_eq!(renamed::adapter::Changes::from(patch).len(), 2);
        let named = r#Struct::FIELDS.r#type.eq("a");
        let _ = r#Struct::FIELDS.r#as.is(named.clone()).and(r#Struct::FIELDS.r#in.any(named));
    }
}
