//! Operations of several writes, in one transaction.

use axum::body::Bytes;
use axum::response::Response;
use crud_core::retry;

use super::request::ResourceRequest;
use crate::model::problem::Problem;
use crate::storage::future::BoxFuture;
use crate::store::transaction::shared::End;

impl ResourceRequest {
    /// Runs an operation in the transaction of the request, or in a new one, which its success commits. When another
    /// transaction is in the way, it runs again. The body is read before: a slow client must not hold locks.
    ///
    /// # Errors
    /// Errors of the operation, which leaves nothing behind then.
    pub(crate) async fn in_transaction(
        self,
        body: Bytes,
        operation: impl Fn(Self) -> BoxFuture<'static, Result<Response, Problem>> + Send + Sync,
    ) -> Result<Response, Problem> {
        if self.is_in_transaction() {
            return operation(self.with_body(body)).await;
        }
        let app = self.state.app().clone();
        let (_, answered) = retry!(
            async {
                let transaction = app.start_transaction().await.map_err(Problem::from_storage)?;
                let mut attempt = self.with_body(body.clone());
                attempt.join(transaction.clone());
                let mut answered = operation(attempt).await;
                if answered.is_ok() {
                    if let Err(error) = transaction.commit().await {
                        answered = Err(Problem::from_storage(error));
                    }
                } else if transaction.end().await.is_none() {
                    // Its locks are released before the answer. The operation's own error says more than one of the end.
                    drop(transaction.roll_back().await);
                }
                Ok::<_, Problem>((transaction.end().await, answered))
            },
            End::is_conflict
        )?;
        answered
    }
}
