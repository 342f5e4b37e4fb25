//! Webhooks: events that are sent to other services.
