//! [`CallTimes`]: the times of the calls of storage, for metrics.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::model::descriptor::Descriptor;
use crate::storage::adapter::{Adapter, AdapterFuture};
use crate::storage::adapter_layer::AdapterLayer;
use crate::storage::session_variables::SessionVariables;

/// Records the time of a call by its name, such as `list`.
pub(crate) type Observe = Arc<dyn Fn(&'static str, Duration) + Send + Sync>;

/// Times the calls, but not those of transactions. The time of a call includes the wait for a connection, and that of a
/// list the work of its sink.
pub(crate) struct CallTimes {
    inner: Arc<dyn Adapter>,
    observe: Observe,
}

impl CallTimes {
    pub(crate) fn new(inner: Arc<dyn Adapter>, observe: Observe) -> Self {
        Self { inner, observe }
    }
}

impl fmt::Debug for CallTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl AdapterLayer for CallTimes {
    fn inner(&self) -> &dyn Adapter {
        &*self.inner
    }

    fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        Some(Arc::new(Self { inner: self.inner.session(variables)?, observe: self.observe.clone() }))
    }

    fn around<'a, T: Send + 'a>(
        &'a self,
        name: &'static str,
        _: Option<&'static Descriptor>,
        call: AdapterFuture<'a, T>,
    ) -> AdapterFuture<'a, T> {
        Box::pin(async move {
            let begin = Instant::now();
            let result = call.await;
            (self.observe)(name, begin.elapsed());
            result
        })
    }
}
