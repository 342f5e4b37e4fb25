//! Views: values that are malformed, and writes.

mod malformed {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(view(reads(Ticket)))]
    struct NoValue {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(view(7, reads()))]
    struct NoText {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(view(sqlite = "SELECT 1 AS id", oracle = "SELECT 1 AS id FROM dual", reads()))]
    struct UnknownDatabase {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(view())]
    struct Empty {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(view("SELECT 1 AS id"))]
    struct NoReads {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(view("SELECT 1 AS id", reads(String, Nothing, "text")))]
    struct NoResources {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(view("SELECT title FROM tickets", reads()))]
    struct NoKey {
        title: String,
    }
}

mod writes {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    struct Ticket {
        id: i64,
        title: String,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(view("SELECT id, title FROM tickets", reads(Ticket)))]
    struct Board {
        id: i64,
        title: String,
    }

    async fn write(service: &Service, tx: &mut Tx<'_>) -> crud_runtime::Result<()> {
        let boards = service.store::<Board>();
        boards.create(NewBoard { title: "x".into() }).await?;
        boards.update(1, BoardPatch::default()).await?;
        boards.delete(1).await?;
        tx.store::<Board>().lock(1).await?;
        Ok(())
    }
}
