//! axum's extractors as described arguments.

use axum::Extension;
use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{
    ConnectInfo, MatchedPath, NestedPath, OriginalUri, Path, Query, RawPathParams, RawQuery, Request, State,
};
use axum::http::{Extensions, HeaderMap, Method, Uri, Version};

use crate::http::description::documented_type::{Documented, typed};
use crate::http::routing::argument::path_types::{PathTypes, QueryTypes};
use crate::http::routing::describe::{DescribeArgument, Described, DescribedBody, Reading};
use crate::model::principal::Principal;

macro_rules! undescribed {
    ($($type:ty $(where $parameter:ident)?;)+) => { $(
        impl<S $(, $parameter)?> DescribeArgument<S> for $type {}
    )+ };
}

undescribed! {
    Principal;
    State<T> where T;
    Extension<T> where T;
    ConnectInfo<T> where T;
    HeaderMap;
    Extensions;
    Method;
    Uri;
    Version;
    OriginalUri;
    MatchedPath;
    NestedPath;
    RawQuery;
    RawPathParams;
}

impl<S> DescribeArgument<S> for Bytes {
    fn describe(described: &mut Described) {
        described.reads(Reading::All, DescribedBody::Any("application/octet-stream"));
    }
}

impl<S> DescribeArgument<S> for String {
    fn describe(described: &mut Described) {
        described.reads(Reading::All, DescribedBody::Any("text/plain"));
    }
}

impl<S> DescribeArgument<S> for Request {
    const STREAMS: bool = true;

    fn describe(described: &mut Described) {
        described.body = Some(DescribedBody::Any("application/octet-stream"));
    }
}

impl<S> DescribeArgument<S> for Body {
    const STREAMS: bool = true;

    fn describe(described: &mut Described) {
        <Request as DescribeArgument<S>>::describe(described);
    }
}

/// The parts of an HTML form as they arrive, with its files; [`Route::describe_json`](crate::http::routing::route::Route::describe_json)
/// adds their names.
#[cfg(feature = "multipart")]
impl<S> DescribeArgument<S> for axum::extract::Multipart {
    const STREAMS: bool = true;

    fn describe(described: &mut Described) {
        described.body = Some(DescribedBody::Multipart);
    }
}

impl<S, T: Documented> DescribeArgument<S> for Json<T> {
    fn describe(described: &mut Described) {
        described.reads(Reading::All, DescribedBody::Typed(typed::<T>));
    }
}

impl<S, M, T: PathTypes<M>> DescribeArgument<S, M> for Path<T> {
    fn describe(described: &mut Described) {
        described.segments = Some(T::segments());
    }
}

impl<S, M, T: QueryTypes<M>> DescribeArgument<S, M> for Query<T> {
    fn describe(described: &mut Described) {
        described.parameters.extend(T::parameters().into_iter().map(|parameter| parameter.0));
    }
}

/// An argument that may be absent: its parameters are not required.
impl<S, M, T: DescribeArgument<S, M>> DescribeArgument<S, (M,)> for Option<T> {
    const LOCKS: bool = T::LOCKS;
    const STREAMS: bool = T::STREAMS;

    fn describe(described: &mut Described) {
        T::describe(described);
    }
}

/// An argument whose rejection the handler answers.
impl<S, M, T: DescribeArgument<S, M>, E> DescribeArgument<S, (M,)> for Result<T, E> {
    const LOCKS: bool = T::LOCKS;
    const STREAMS: bool = T::STREAMS;

    fn describe(described: &mut Described) {
        T::describe(described);
    }
}
