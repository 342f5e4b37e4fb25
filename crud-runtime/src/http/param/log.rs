//! [`LogQuery`]: the query parameters of requests for the log.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};

use super::query_string::pairs;
use super::{Parameter, Refused, integer, is_second, limit_schema, number, plain_text, read};
use crate::http::description::json_schema::Schema;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::problem::Problem;
use crate::model::text;
use crate::query::{Condition, ListQuery, Select};
use crate::store::audit_record::{AuditRecord, EntityId, LinkAction, has_integer_key};

/// The page size of requests without `limit`.
pub(crate) const DEFAULT_LIMIT: u64 = 20;

/// The largest page size.
const MAX_LIMIT: u64 = 100;

/// The parameters of every request for the log, in the order of the document.
pub(crate) const PARAMETERS: &[Parameter<LogQuery>] = &[
    Parameter {
        name: "action",
        description: "The action, such as `update`.",
        schema: Schema::plain_text,
        read: |query, value| plain_text(value).map(|value| query.action = Some(value)),
    },
    Parameter {
        name: "user_id",
        description: "The actor's id.",
        schema: || Schema::integer().with("format", "int64"),
        read: |query, value| integer(value).map(|value| query.user_id = Some(value)),
    },
    Parameter {
        name: "start_date",
        description: "Changes since this time (RFC 3339), or from this day.",
        schema: moment_schema,
        read: |query, value| query.moment(value).map(|value| query.start = Some(value.time)),
    },
    Parameter {
        name: "end_date",
        description: "Changes until this time (RFC 3339), or until the end of this day.",
        schema: moment_schema,
        read: |query, value| {
            let TimeOrDay { time, is_day } = query.moment(value)?;
            let next_day = time.checked_add_days(Days::new(1)).filter(|_| is_day);
            query.end = Some(next_day.map_or(UpperBound::Inclusive(time), UpperBound::Exclusive));
            Ok(())
        },
    },
    Parameter {
        name: "sort",
        description: "The order: `-timestamp` for the newest first.",
        schema: || {
            Schema::choice(["timestamp", "-timestamp"])
                .with("x-enum-varnames", vec!["TIMESTAMP", "TIMESTAMP_DESC"])
                .with("default", "timestamp")
        },
        read: |query, value| {
            query.require_timestamps()?;
            is_second(value, ["timestamp", "-timestamp"]).map(|is_descending| query.is_descending = is_descending)
        },
    },
    Parameter {
        name: "skip",
        description: "The number of entries to skip.",
        schema: || Schema::count().with("maximum", i64::MAX).with("default", 0),
        read: |query, value| {
            query.skip = u64::try_from(integer(value)?).map_err(|_| "must not be negative")?;
            Ok(())
        },
    },
    Parameter {
        name: "limit",
        description: "The maximum number of entries to return.",
        schema: || limit_schema(MAX_LIMIT, DEFAULT_LIMIT),
        read: |query, value| number(value, 1, MAX_LIMIT).map(|value| query.limit = value),
    },
];

/// The additional parameters of the log of all resources, which stand before the others.
pub(crate) const ENTITY_PARAMETERS: &[Parameter<LogQuery>] = &[
    Parameter {
        name: "entity_type",
        description: "The type of the record, such as `Product`.",
        schema: Schema::plain_text,
        read: |query, value| plain_text(value).map(|value| query.entity_types = vec![value]),
    },
    Parameter {
        name: "entity_id",
        description: "The key of the record.",
        schema: Schema::plain_text,
        read: |query, value| {
            let text = plain_text(value)?;
            let number = integer(value).ok();
            query.entity_id = Some(number.map_or(EntityFilter::Id(EntityId::Text(text)), EntityFilter::Number));
            Ok(())
        },
    },
];

fn moment_schema() -> Schema {
    Schema::text().with("examples", vec!["2026-01-31", "2026-01-31T12:00:00Z"])
}

/// The filters and the page of a request for the log.
#[derive(Debug, Default)]
pub(crate) struct LogQuery {
    /// The present and former names of the records' resource; empty for all resources.
    entity_types: Vec<String>,
    entity_id: Option<EntityFilter>,
    action: Option<String>,
    user_id: Option<i64>,
    start: Option<DateTime<Utc>>,
    end: Option<UpperBound>,
    /// Whether the newest entry comes first.
    is_descending: bool,
    skip: u64,
    limit: u64,
    visible: VisibleEntries,
    /// Whether entries have timestamps, to filter and sort by.
    has_timestamps: bool,
    /// The key of the entry after which the answer begins.
    after: Option<i64>,
    /// Whether the answer has entries about linked records.
    has_links: bool,
}

/// The entries that a reader sees.
#[derive(Debug, Default)]
pub(crate) enum VisibleEntries {
    #[default]
    All,
    /// Entries of a tenant, and entries of the exempt resources in every tenant.
    Of { tenant: Option<String>, exempt: Vec<&'static Descriptor> },
}

impl VisibleEntries {
    fn condition(self) -> Option<Condition<AuditRecord>> {
        let Self::Of { tenant, exempt } = self else { return None };
        let fields = AuditRecord::FIELDS;
        let names: Vec<String> = exempt.iter().flat_map(|of| of.names()).map(str::to_owned).collect();
        let of_resources = (!names.is_empty() || tenant.is_none()).then(|| fields.entity_type.is_in(names));
        let of_tenant = tenant.map(|tenant| fields.tenant.eq(tenant));
        match (of_tenant, of_resources) {
            (Some(of_tenant), Some(of_resources)) => Some(of_tenant.or(of_resources)),
            (of_tenant, of_resources) => of_tenant.or(of_resources),
        }
    }
}

/// A filter by the record's key.
#[derive(Debug)]
enum EntityFilter {
    Id(EntityId),
    /// A number, without the resource: an integer key, or a text key of digits.
    Number(i64),
}

/// The upper bound of a time range.
#[derive(Debug, Clone, Copy)]
enum UpperBound {
    Inclusive(DateTime<Utc>),
    Exclusive(DateTime<Utc>),
}

impl LogQuery {
    fn new(has_timestamps: bool) -> Self {
        Self { limit: DEFAULT_LIMIT, has_links: true, has_timestamps, ..Self::default() }
    }

    /// Parses the parameters of the log of all these resources.
    ///
    /// # Errors
    /// A validation problem with every invalid parameter.
    pub(crate) fn parse(query: &str, resources: &[&'static Descriptor]) -> Result<Self, Problem> {
        let entity_type = pairs(query).find_map(|(name, value)| (name.ok()? == "entity_type").then_some(value.ok()?));
        let resource =
            resources.iter().find(|resource| entity_type.as_deref().is_some_and(|name| resource.is_named(name)));
        let has_timestamps = |resource: &&'static Descriptor| resource.audit.is_some_and(|audit| audit.track_timestamp);
        // The program's own entries always have timestamps.
        let mut parsed = Self::new(resource.is_none_or(has_timestamps) && resources.iter().any(has_timestamps));
        read(query, &[ENTITY_PARAMETERS, PARAMETERS], &mut parsed)?;
        if let Some(resource) = resource {
            parsed.entity_types = resource.names().map(str::to_owned).collect();
        }
        if let (Some(EntityFilter::Number(id)), Some(resource)) = (&parsed.entity_id, resource) {
            let id = if has_integer_key(resource) { EntityId::Integer(*id) } else { EntityId::Text(id.to_string()) };
            parsed.entity_id = Some(EntityFilter::Id(id));
        }
        Ok(parsed)
    }

    /// Parses the parameters of the log of one record.
    ///
    /// # Errors
    /// Errors of [`parse`](Self::parse).
    pub(crate) fn parse_for_record(query: &str, resource: &'static Descriptor, id: &Key) -> Result<Self, Problem> {
        let mut parsed = Self::new(resource.audit.is_some_and(|audit| audit.track_timestamp));
        read(query, &[PARAMETERS], &mut parsed)?;
        parsed.entity_types = resource.names().map(str::to_owned).collect();
        parsed.entity_id = Some(EntityFilter::Id(EntityId::from_key(id)));
        Ok(parsed)
    }

    /// Limits the query to the entries of one tenant.
    pub(crate) fn of_tenant(self, tenant: Option<String>) -> Self {
        match tenant {
            Some(tenant) => self.visible(VisibleEntries::Of { tenant: Some(tenant), exempt: Vec::new() }),
            None => self,
        }
    }

    /// Limits the query to the entries that the reader sees.
    pub(crate) fn visible(self, visible: VisibleEntries) -> Self {
        Self { visible, ..self }
    }

    /// Limits the query to the entries after one.
    pub(crate) fn after(self, entry: Option<i64>) -> Self {
        Self { after: entry, ..self }
    }

    /// Leaves out the entries about linked records.
    pub(crate) fn without_links(self) -> Self {
        Self { has_links: false, ..self }
    }

    /// Whether the request is for every entry from the first on.
    pub(crate) fn is_unfiltered(&self) -> bool {
        self.action.is_none() && self.user_id.is_none() && self.start.is_none() && self.end.is_none() && self.skip == 0
    }

    /// A time or a day, where entries have timestamps.
    fn moment(&self, value: &str) -> Result<TimeOrDay, Refused> {
        self.require_timestamps()?;
        time_or_day(value)
    }

    fn require_timestamps(&self) -> Result<(), Refused> {
        if self.has_timestamps { Ok(()) } else { Err("must not be given: entries have no timestamps".into()) }
    }

    /// The list query of the log's resource.
    pub(crate) fn into_list_query(self) -> ListQuery {
        let fields = AuditRecord::FIELDS;
        let conditions = [
            match <[String; 1]>::try_from(self.entity_types) {
                Ok([name]) => Some(fields.entity_type.eq(name)),
                Err(names) => (!names.is_empty()).then(|| fields.entity_type.is_in(names)),
            },
            self.entity_id.map(|entity| match entity {
                EntityFilter::Id(EntityId::Integer(id)) => fields.entity_id.eq(id),
                EntityFilter::Id(EntityId::Text(key)) => fields.entity_key.eq(key),
                EntityFilter::Number(id) => fields.entity_id.eq(id).or(fields.entity_key.eq(id.to_string())),
            }),
            self.action.map(|action| fields.action.eq(action)),
            self.user_id.map(|id| fields.user_id.eq(id)),
            self.visible.condition(),
            self.after.map(|entry| fields.id.gt(entry)),
            (!self.has_links).then(|| fields.action.not_in(LinkAction::NAMES)),
            self.start.map(|start| fields.timestamp.gte(start)),
            self.end.map(|end| match end {
                UpperBound::Inclusive(end) => fields.timestamp.lte(end),
                UpperBound::Exclusive(end) => fields.timestamp.lt(end),
            }),
        ];
        let query = conditions.into_iter().flatten().fold(Select::all(), Select::filter);
        // Entries with equal timestamps are in the order of their keys, in both directions.
        let (by_time, by_key) = if self.is_descending {
            (fields.timestamp.desc(), fields.id.desc())
        } else {
            (fields.timestamp.asc(), fields.id.asc())
        };
        let query = if self.has_timestamps { query.order_by(by_time) } else { query };
        query.order_by(by_key).offset(self.skip).limit(self.limit).into_list_query()
    }
}

/// A time, or the start of a day.
struct TimeOrDay {
    time: DateTime<Utc>,
    is_day: bool,
}

fn time_or_day(value: &str) -> Result<TimeOrDay, Refused> {
    if let Some(day) = value.parse::<NaiveDate>().ok().filter(|_| value.len() == 10) {
        return Ok(TimeOrDay { time: day.and_time(NaiveTime::MIN).and_utc(), is_day: true });
    }
    let time = text::parse_date_time(value);
    time.map(|time| TimeOrDay { time, is_day: false })
        .map_err(|_| "must be a date such as 2026-01-31 or a time such as 2026-01-31T12:00:00Z".into())
}
