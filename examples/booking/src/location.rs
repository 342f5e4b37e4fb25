use crud_files::File;
use crud_runtime::column::TimeZone;
use crud_runtime::prelude::*;

/// A building of a company, with its clock.
#[derive(Debug, Clone, Resource)]
#[crud(admin(group = "Places"), filter(name), sort(name), default_sort(name), pagination, audit, time_zone(time_zone))]
pub struct Location {
    pub id: i64,
    #[crud(tenant)]
    pub company_id: i64,
    #[crud(unique, length(min = 1, max = 100))]
    pub name: String,
    #[crud(length(max = 200))]
    pub address: String,
    pub time_zone: TimeZone,
    #[crud(file(max = "10MB", types("image/*", "application/pdf")))]
    pub floor_plan: Option<File>,
}
