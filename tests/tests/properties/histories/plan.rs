//! [`Plan`]: what each client asks for.

use fastrand::Rng;

/// The resource that the requests of a plan are for.
#[allow(clippy::struct_excessive_bools, reason = "they are independent of each other")]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) prefix: &'static str,
    /// The name in the audit log.
    pub(crate) entity: &'static str,
    pub(crate) soft_delete: bool,
    /// Whether a batch is whole, instead of partial.
    pub(crate) atomic: bool,
    /// Whether storage has transactions.
    pub(crate) transactions: bool,
    pub(crate) idempotency: bool,
}

/// A record of a plan, and a unique value: a plan has few of them, so that its requests meet.
pub(crate) type Key = u8;
pub(crate) type Code = u8;

/// The values of a record that a request sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fields {
    pub(crate) code: Option<Code>,
    pub(crate) amount: Option<i32>,
}

/// Request of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ask {
    Get(Key),
    List,
    Create(Key, Fields),
    Change(Key, Fields),
    CreateOrChange(Key, Fields),
    Delete(Key),
    Restore(Key),
    Purge(Key),
    CreateBatch(Vec<(Key, Fields)>),
    ChangeBatch(Vec<(Key, Fields)>),
    DeleteBatch(Vec<Key>),
}

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) ask: Ask,
    /// Whether it has the entity tag that the client knows of the record, if it knows one.
    pub(crate) conditional: bool,
    /// Whether it has an idempotency key, and is sent again when it succeeded.
    pub(crate) repeated: bool,
}

/// The requests of each client, one after the other.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) shape: Shape,
    pub(crate) clients: Vec<Vec<Step>>,
}

/// Number of records of a plan.
pub(crate) const KEYS: u8 = 3;
const CODES: u8 = 4;

impl Plan {
    /// The plan of a seed.
    pub(crate) fn random(seed: u64, shape: Shape, clients: usize, requests: usize) -> Self {
        let mut random = Rng::with_seed(seed);
        let clients = (0..clients).map(|_| (0..requests).map(|_| step(&mut random, shape)).collect()).collect();
        Self { shape, clients }
    }

    /// Number of requests.
    pub(crate) fn len(&self) -> usize {
        self.clients.iter().map(Vec::len).sum()
    }
}

fn step(random: &mut Rng, shape: Shape) -> Step {
    let ask = ask(random, shape);
    let keyed = matches!(ask, Ask::Create(..) | Ask::Change(..) | Ask::CreateOrChange(..));
    let conditional = matches!(ask, Ask::Change(..) | Ask::Delete(_)) && random.u8(..3) == 0;
    Step { ask, conditional, repeated: shape.idempotency && keyed && random.u8(..4) == 0 }
}

fn ask(random: &mut Rng, shape: Shape) -> Ask {
    let key = random.u8(..KEYS);
    let batches = shape.transactions || !shape.atomic;
    match random.u8(..20) {
        // The rest are reads of a record: 0 to 2, 19, and what the resource has not.
        3 if shape.transactions => Ask::List,
        4..=6 => Ask::Create(key, all_fields(random)),
        7..=10 => Ask::Change(key, some_fields(random)),
        11 | 12 => Ask::Delete(key),
        13 | 14 if shape.soft_delete => Ask::Restore(key),
        15 if shape.soft_delete => Ask::Purge(key),
        13..=15 => Ask::CreateOrChange(key, all_fields(random)),
        16 if batches => Ask::CreateBatch(keys(random).into_iter().map(|key| (key, all_fields(random))).collect()),
        17 if batches => Ask::ChangeBatch(
            keys(random).into_iter().map(|key| (key, Fields { code: None, amount: Some(random.i32(0..4)) })).collect(),
        ),
        18 if batches => Ask::DeleteBatch(keys(random)),
        _ => Ask::Get(key),
    }
}

/// Different keys in any order.
fn keys(random: &mut Rng) -> Vec<Key> {
    let mut keys: Vec<Key> = (0..KEYS).collect();
    random.shuffle(&mut keys);
    keys.truncate(random.usize(1..=keys.len()));
    keys
}

fn all_fields(random: &mut Rng) -> Fields {
    Fields { code: Some(random.u8(..CODES)), amount: Some(random.i32(0..4)) }
}

/// Fields, of which one may be refused.
fn some_fields(random: &mut Rng) -> Fields {
    let code = (random.u8(..3) == 0).then(|| random.u8(..CODES));
    let amount = (random.u8(..3) > 0).then(|| if random.u8(..15) == 0 { -1 } else { random.i32(0..4) });
    Fields { code, amount }
}
