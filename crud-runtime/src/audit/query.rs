//! The parameters of a request for the log.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use crud_shared::spelling;

use crate::model::descriptor::Descriptor;
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::model::scalar;
use crate::model::text;
use crate::model::value::{Kind, Value};
use crate::query::parse::pairs;
use crate::query::{ListQuery, Query};
use crate::store::audit_record::{AuditRecord, EntityId};

/// How many entries a page has when the request does not say.
pub(crate) const DEFAULT_LIMIT: u64 = 20;

/// How many entries a page has at most.
pub(crate) const MAX_LIMIT: u64 = 100;

/// The parameters that every request for the log takes.
pub(crate) const PARAMETERS: [&str; 6] = ["action", "user_id", "start_date", "end_date", "skip", "limit"];

/// Those of the log of all resources besides.
pub(crate) const ENTITY_PARAMETERS: [&str; 2] = ["entity_type", "entity_id"];

/// A page of the log.
#[derive(Debug)]
pub(crate) struct LogQuery {
    entity_type: Option<String>,
    entity_id: Option<Entity>,
    action: Option<String>,
    user_id: Option<i64>,
    start: Option<DateTime<Utc>>,
    end: Option<End>,
    skip: u64,
    limit: u64,
    /// Whether entries have times to be ordered by.
    timed: bool,
    parameters: Vec<&'static str>,
}

/// Whose entries are asked for.
#[derive(Debug)]
enum Entity {
    Id(EntityId),
    /// A number, which may be the key of a record whose keys are texts.
    Number(i64),
}

/// The last moment that is asked for.
#[derive(Debug, Clone, Copy)]
enum End {
    At(DateTime<Utc>),
    Before(DateTime<Utc>),
}

impl LogQuery {
    fn new(timed: bool) -> Self {
        Self {
            entity_type: None,
            entity_id: None,
            action: None,
            user_id: None,
            start: None,
            end: None,
            skip: 0,
            limit: DEFAULT_LIMIT,
            timed,
            parameters: Vec::new(),
        }
    }

    /// Reads the parameters of the log of all these resources.
    ///
    /// # Errors
    /// A validation problem that names every parameter that is wrong.
    pub(crate) fn parse(query: &str, resources: &[&'static Descriptor]) -> Result<Self, Problem> {
        let asked = pairs(query).find_map(|(name, value)| (name.ok()? == "entity_type").then_some(value.ok()?));
        let of_type = resources.iter().find(|resource| asked.as_deref() == Some(resource.name));
        let timed = |resource: &&'static Descriptor| resource.audit.is_some_and(|audit| audit.track_timestamp);
        // Entries of the program's own have times.
        let mut parsed = Self::new(of_type.is_none_or(timed) && resources.iter().any(timed));
        let names: Vec<&'static str> = ENTITY_PARAMETERS.into_iter().chain(PARAMETERS).collect();
        parsed.read(query, &names)?;
        let text = |id: &i64| Entity::Id(EntityId::Text(id.to_string()));
        if let (Some(Entity::Number(id)), Some(resource)) = (&parsed.entity_id, of_type) {
            let integer = resource.id_column().kind.integer_range().is_some();
            parsed.entity_id = Some(if integer { Entity::Id(EntityId::Integer(*id)) } else { text(id) });
        }
        Ok(parsed)
    }

    /// Reads the parameters of the log of one record.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub(crate) fn parse_of_record(query: &str, resource: &'static Descriptor, id: &Value) -> Result<Self, Problem> {
        let mut parsed = Self::new(resource.audit.is_some_and(|audit| audit.track_timestamp));
        parsed.read(query, &PARAMETERS)?;
        parsed.entity_type = Some(resource.name.to_owned());
        parsed.entity_id = Some(Entity::Id(EntityId::from_key(id.clone())));
        Ok(parsed)
    }

    /// Whether every entry of what it is about is asked for, from the first.
    pub(crate) fn is_unfiltered(&self) -> bool {
        self.action.is_none() && self.user_id.is_none() && self.start.is_none() && self.end.is_none() && self.skip == 0
    }

    fn read(&mut self, query: &str, names: &[&'static str]) -> Result<(), Problem> {
        let mut errors = FieldErrors::default();
        for (name, value) in pairs(query) {
            let (Ok(name), Ok(value)) = (name, value) else {
                errors.push(FieldError::parameter("query", "encoding", "must be percent-encoded UTF-8"));
                continue;
            };
            let Some(known) = names.iter().copied().find(|known| *known == name) else {
                let hint = scalar::did_you_mean(spelling::nearest(&name, names.iter().copied()));
                let detail =
                    format!("is not a parameter; parameters are {}{hint}", scalar::listed(names.iter().copied()));
                errors.push(FieldError::parameter(&*name, "unknown_parameter", detail));
                continue;
            };
            if self.parameters.contains(&known) {
                errors.push(FieldError::parameter(known, "duplicate", "must be given only once"));
                continue;
            }
            self.parameters.push(known);
            if let Err(detail) = self.take(known, &value) {
                errors.push(FieldError::parameter(known, "value", detail));
            }
        }
        errors.into_result(())
    }

    fn take(&mut self, name: &str, value: &str) -> Result<(), String> {
        let integer = |value: &str| scalar::integer(Kind::I64, value).map_err(|error| error.message().to_owned());
        match name {
            "entity_type" => self.entity_type = Some(plain(value)?),
            "entity_id" => {
                let text = plain(value)?;
                let number = integer(value).ok();
                self.entity_id = Some(number.map_or(Entity::Id(EntityId::Text(text)), Entity::Number));
            }
            "action" => self.action = Some(plain(value)?),
            "user_id" => self.user_id = Some(integer(value)?),
            "start_date" | "end_date" if !self.timed => return Err("there are no times to compare with".to_owned()),
            "start_date" => self.start = Some(moment(value)?.0),
            "end_date" => {
                let (start, day) = moment(value)?;
                let next = start.checked_add_days(Days::new(1)).filter(|_| day);
                self.end = Some(next.map_or(End::At(start), End::Before));
            }
            "skip" => self.skip = u64::try_from(integer(value)?).map_err(|_| "must not be negative")?,
            _ => {
                let limit = u64::try_from(integer(value)?).ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
                self.limit = limit.ok_or_else(|| format!("must be between 1 and {MAX_LIMIT}"))?;
            }
        }
        Ok(())
    }

    /// The query of the log's own resource.
    pub(crate) fn into_list_query(self) -> ListQuery {
        let fields = AuditRecord::FIELDS;
        let conditions = [
            self.entity_type.map(|name| fields.entity_type.eq(name)),
            self.entity_id.map(|entity| match entity {
                Entity::Id(EntityId::Integer(id)) => fields.entity_id.eq(id),
                Entity::Id(EntityId::Text(key)) => fields.entity_key.eq(key),
                Entity::Number(id) => fields.entity_id.eq(id).or(fields.entity_key.eq(id.to_string())),
            }),
            self.action.map(|action| fields.action.eq(action)),
            self.user_id.map(|id| fields.user_id.eq(id)),
            self.start.map(|start| fields.timestamp.gte(start)),
            self.end.map(|end| match end {
                End::At(end) => fields.timestamp.lte(end),
                End::Before(end) => fields.timestamp.lt(end),
            }),
        ];
        let query = conditions.into_iter().flatten().fold(Query::all(), Query::filter);
        let query = if self.timed { query.sort(fields.timestamp.asc()) } else { query };
        query.sort(fields.id.asc()).skip(self.skip).limit(self.limit).into_list_query()
    }
}

fn plain(value: &str) -> Result<String, String> {
    scalar::plain_text(value).map_err(|error| error.message().to_owned())?;
    Ok(value.to_owned())
}

/// A moment: that of a time, or the start of a day; and whether it was a day.
fn moment(value: &str) -> Result<(DateTime<Utc>, bool), String> {
    if let Ok(day) =
        value.parse::<NaiveDate>().map_err(drop).and_then(|day| (value.len() == 10).then_some(day).ok_or(()))
    {
        return Ok((day.and_time(NaiveTime::MIN).and_utc(), true));
    }
    let time = text::parse_date_time(value);
    time.map(|time| (time, false))
        .map_err(|_| "must be a date such as 2026-01-31, or with a time and an offset".to_owned())
}
