//! Direct documents: commands that tests send to MongoDB as other programs do, not through the service.

use ::mongodb::bson::{Bson, Document, doc};
use ::mongodb::{Client, Collection};

use crate::backend::Database;

impl Database {
    /// A collection, over a connection of the test's.
    ///
    /// # Panics
    /// When the database is not in MongoDB or cannot be reached.
    pub async fn collection(&self, name: &str) -> Collection<Document> {
        let client = Client::with_uri_str(self.url()).await.expect("a connection to MongoDB");
        client.default_database().expect("the database of the URL").collection(name)
    }

    /// Inserts the entries `1` to `count` into the kitchen's `entries`, as another program would.
    pub(crate) async fn fill_documents(&self, count: u32) {
        let entries = self.collection("entries").await;
        let numbers: Vec<u32> = (1..=count).collect();
        for chunk in numbers.chunks(10_000) {
            let documents = chunk.iter().map(
                |number| doc! { "_id": i64::from(*number), "text": format!("entry {number}"), "flag": Bson::Null },
            );
            entries.insert_many(documents).await.expect("the entries");
        }
    }
}
