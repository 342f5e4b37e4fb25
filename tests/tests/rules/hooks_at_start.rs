use crud_runtime::BoxError;
use crud_runtime::prelude::*;
use crud_tests::{on_each_backend, on_each_transactional_backend};
use serde::{Deserialize, Serialize};

use crate::hooks::Job;
use crate::resources::Part;

/// A line of a job, which goes with it.
#[derive(Debug, Clone, Resource)]
#[crud(hooks(committed(nothing)))]
struct Line {
    id: i64,
    #[crud(references(Part, on_delete(cascade)))]
    part_id: i64,
}

async fn nothing(_: Changed<'static, Line>, _: App) {}

/// A shelf for a part, or for none.
#[derive(Debug, Clone, Resource)]
#[crud(hooks(validate(any)))]
struct Shelf {
    id: i64,
    #[crud(references(Part, on_delete(set_null)))]
    part_id: Option<i64>,
}

fn any(_: &mut Changeset<'_, Shelf>) {}

/// A tag, whose hooks see no removals.
#[derive(Debug, Clone, Resource)]
#[crud(hooks(validate(any_tag)))]
struct Tag {
    id: i64,
    #[crud(references(Part, on_delete(cascade)))]
    part_id: i64,
}

fn any_tag(_: &mut Changeset<'_, Tag>) {}

async fn refused(service: Service) -> String {
    service.migrate().await.expect_err("a setup that cannot work").to_string()
}

#[test]
fn reference_by_which_the_database_would_pass_the_hooks_is_refused() {
    on_each_transactional_backend(async |database| {
        let service = async || database.service().await;
        let error = refused(service().await.resource::<Part>().resource::<Line>()).await;
        assert!(["Line", "Part", "`part_id`", "`cascade`"].iter().all(|name| error.contains(name)), "{error}");
        let error = refused(service().await.resource::<Part>().resource::<Shelf>()).await;
        assert!(["Shelf", "Part", "`part_id`", "`set_null`"].iter().all(|name| error.contains(name)), "{error}");
        let _ = service()
            .await
            .resource::<Part>()
            .resource::<Tag>()
            .migrate()
            .await
            .expect("`validate` is for records that stay");
    });
}

#[derive(Serialize, Deserialize)]
struct Nothing;

impl crud_runtime::Job for Nothing {
    const KIND: &str = "nothing";

    async fn run(self, _: App) -> Result<(), BoxError> {
        Ok(())
    }
}

#[test]
fn jobs_and_counters_on_storage_without_transactions_are_refused() {
    on_each_backend(async |database| {
        if !database.backend().is_interactive() {
            let error = refused(database.service().await.job::<Nothing>()).await;
            assert!(error.starts_with("the service has jobs, which need transactions"), "{error}");
            let error = refused(database.service().await.extend(crud_runtime::ExtensionOptions::counters)).await;
            assert!(error.starts_with("the service has counters, which need transactions"), "{error}");
        }
    });
}

#[test]
fn hooks_on_storage_without_transactions_are_refused() {
    on_each_backend(async |database| {
        if !database.backend().is_interactive() {
            let error = refused(database.service().await.resource::<Job>()).await;
            assert!(error.starts_with("Job has hooks"), "{error}");
            let error = refused(database.service().await.resource::<Part>().resource::<Tag>()).await;
            assert!(error.starts_with("Tag has hooks"), "{error}");
        }
    });
}
