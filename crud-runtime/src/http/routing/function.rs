//! [`Function`]: functions whose arguments are a tuple.

/// A function that answers requests: an `async fn` of up to 16 arguments, or a closure whose arguments have their types.
///
/// The trait requires nothing of the arguments, so that the compiler finds the one tuple that fits and reports each
/// argument by itself.
///
/// ```
/// use crud_runtime::routing::{Context, Route, get};
///
/// let route: Route = get(async |ctx: Context| ctx.now().to_rfc3339());
/// ```
#[diagnostic::on_unimplemented(
    message = "expected a handler, found `{Self}`",
    label = "not a handler",
    note = "a handler is an `async fn` of up to 16 arguments, such as `async fn take(ctx: Context, body: Valid<Take>) -> \
            crud_runtime::Result<Record<Part>>`; a closure states the types of its arguments"
)]
pub trait Function<A>: Clone + Send + Sync + 'static {
    /// The future of the answer.
    type Output;

    /// Calls the function.
    fn run(self, arguments: A) -> Self::Output;
}

/// The future that a handler returns: that of an `async fn`.
///
/// ```
/// use crud_runtime::routing::{Route, get};
///
/// async fn ping() -> &'static str {
///     "pong"
/// }
///
/// let route: Route = get(ping);
/// ```
#[diagnostic::on_unimplemented(
    message = "expected an `async fn` as the handler, found a function that returns `{Self}`",
    label = "not `async`",
    note = "write `async fn`, or `async ||` where the handler is a closure"
)]
pub trait HandlerFuture: Future<Output = Self::Answer> {
    /// The answer.
    type Answer;
}

#[diagnostic::do_not_recommend]
impl<T: Future> HandlerFuture for T {
    type Answer = T::Output;
}

macro_rules! functions {
    ($($argument:ident)*) => {
        impl<F, O, $($argument),*> Function<($($argument,)*)> for F
        where
            F: FnOnce($($argument),*) -> O + Clone + Send + Sync + 'static,
        {
            type Output = O;

            #[allow(non_snake_case)]
            fn run(self, ($($argument,)*): ($($argument,)*)) -> O {
                self($($argument),*)
            }
        }
    };
}

/// Implements the trait for functions with an increasing number of arguments.
macro_rules! functions_up_to {
    ([$($head:ident)*]) => {
        functions!($($head)*);
    };
    ([$($head:ident)*] $next:ident $($rest:ident)*) => {
        functions!($($head)*);
        functions_up_to!([$($head)* $next] $($rest)*);
    };
}

functions_up_to!([] A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16);
