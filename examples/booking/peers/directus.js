// The product of this example on Directus 11: a sketch to count lines, which was written out and not run. The data model and the
// permissions are clicked together in its Studio, and are counted as settings: `setting` stands for one collection, one field with
// its options, or one permission of a policy. Lines of code are those of the extensions.

// part: companies, members, roles
// setting: collection companies: name
// setting: collection members: company, user, name, role, calendar_key
// setting: policy guest, policy member, policy manager, policy operator
// setting: permissions companies: read of guest with a filter by members, everything of operator
// setting: permissions members: read of guest with a filter, read of member, create, update, delete of manager with filters
/** A role of Directus holds for the whole service, and not in one company: a hook checks what filters do not say. */
async function roleIn(database, user, company) {
  return (await database("members").where({ user, company }).first("role"))?.role;
}

export const companies = defineHook(({ filter }, { exceptions }) => {
  const RELATIONS = { location: "locations", room: "rooms", member: "members", booking: "bookings", series: "series" };
  const same = async (payload, meta, { database, accountability }) => {
    if (!accountability || accountability.admin) return payload;
    const [key] = meta.keys ?? [];
    const before = key && (await database(meta.collection).where({ id: key }).first());
    const company = before?.company ?? payload.company;
    if (payload.company && payload.company !== company) throw new InvalidPayloadError({ reason: "company: stays as it is" });
    if (!(await roleIn(database, accountability.user, company))) throw new ForbiddenError();
    for (const [field, collection] of Object.entries(RELATIONS)) {
      if (!payload[field]) continue;
      const other = await database(collection).where({ id: payload[field], company }).first("id");
      if (!other) throw new InvalidPayloadError({ reason: `${field}: there is no such record` });
    }
    return payload;
  };
  filter("items.create", same);
  filter("items.update", same);
  const keep = async (keys, meta, { database }) => {
    for (const member of await database("members").whereIn("id", keys).where({ role: "manager" })) {
      const others = database("members").where({ company: member.company, role: "manager" }).whereNotIn("id", keys);
      if (!(await others.first().forUpdate())) throw new InvalidPayloadError({ reason: "a company keeps its last manager" });
    }
  };
  filter("members.items.delete", keep);
  filter("members.items.update", async (payload, meta, context) => {
    if (payload.role && payload.role !== "manager") await keep(meta.keys, meta, context);
    return payload;
  });
});

// part: places, equipment, floor plans
// setting: collection locations: company, name, address, time_zone, floor_plan
// setting: collection rooms: company, location, name, kind, capacity, needs_approval, display_key
// setting: collection equipment: company, name
// setting: collection rooms_equipment: rooms_id, equipment_id
// setting: permissions locations: read of guest, create, update, delete of manager with filters
// setting: permissions rooms: read of guest, create, update, delete of manager with filters
// setting: permissions equipment: read of guest, create, update, delete of manager with filters
// setting: permissions rooms_equipment: read of guest, create, update, delete of manager with filters
// setting: permissions directus_files: read of guest, create, update, delete of manager with filters
export const zones = defineHook(({ filter }) => {
  const known = new Set(Intl.supportedValuesOf("timeZone"));
  const check = (payload) => {
    if (payload.time_zone && !known.has(payload.time_zone)) throw new InvalidPayloadError({ reason: "time_zone: there is no such zone" });
    return payload;
  };
  filter("locations.items.create", check);
  filter("locations.items.update", check);
});

/** Names are unique in a company: Studio makes unique fields, and no unique pairs. */
export async function up(knex) {
  await knex.schema.alterTable("members", (table) => table.unique(["company", "user"]));
  for (const name of ["locations", "rooms", "equipment"]) {
    await knex.schema.alterTable(name, (table) => table.unique(["company", "name"]));
  }
}

// part: bookings: states, no overlap, rights
// setting: collection bookings: company, room, member, series, title, starts_at, ends_at, minutes, status, or_wait
// setting: collection participants: booking, member
// setting: permissions bookings: read of guest with a filter by participants, read of member, create of member, update of member with a filter, update of manager
// setting: permissions participants: read of guest, create, update, delete of member with filters by the booking, create, update, delete of manager
export async function upOverlap(knex) {
  await knex.raw("CREATE EXTENSION IF NOT EXISTS btree_gist");
  await knex.raw("ALTER TABLE bookings ADD CHECK (starts_at < ends_at)");
  await knex.raw(`ALTER TABLE bookings ADD CONSTRAINT no_overlap EXCLUDE USING gist
    (room WITH =, tstzrange(starts_at, ends_at) WITH &&) WHERE (status IN ('requested', 'approved'))`);
  await knex.raw("CREATE UNIQUE INDEX ON participants (booking, member)");
}

const HOLDING = ["requested", "approved"];
const TRANSITIONS = {
  requested: { approved: "manager", declined: "manager", cancelled: "member" },
  approved: { cancelled: "member" },
  waiting: { requested: "manager", approved: "manager", declined: "manager", cancelled: "member" },
};

export const bookings = defineHook(({ filter }) => {
  filter("bookings.items.create", async (payload, meta, { database, accountability }) => {
    if (!accountability?.user) return payload;
    const me = await database("members").where({ user: accountability.user, company: payload.company }).first();
    const member = (me.role === "manager" && payload.member) || me.id;
    const status = payload.or_wait ? "waiting" : await firstState(database, payload.room);
    return { ...payload, member, status, series: null, minutes: minutes(payload) };
  });
  filter("bookings.items.update", async (payload, meta, { database, accountability }) => {
    for (const before of await database("bookings").whereIn("id", meta.keys).forUpdate()) {
      const { status = before.status } = payload;
      const least = status === before.status ? "member" : TRANSITIONS[before.status]?.[status];
      if (!least) throw new (createError("STATE", `the booking is ${before.status}`, 409))();
      const role = accountability?.user && (await roleIn(database, accountability.user, before.company));
      if (least === "manager" && accountability?.user && role !== "manager") throw new ForbiddenError();
      if ("member" in payload || "series" in payload) throw new InvalidPayloadError({ reason: "member, series: stay as they are" });
      if (payload.starts_at || payload.ends_at) payload.minutes = minutes({ ...before, ...payload });
    }
    return payload;
  });
  /** Directus answers a violated exclusion constraint with 500. */
  filter("database.error", async (error, meta, { database, accountability }) => {
    if (error.code !== "23P01") return error;
    const [, room, start, end] = error.detail.match(/\((\d+), \["(.+?)","(.+?)"\)\)\.$/) ?? [];
    const service = new ItemsService("bookings", { knex: database, schema: await getSchema(), accountability });
    const found = await service.readByQuery({
      filter: { room: { _eq: room }, starts_at: { _lt: end }, ends_at: { _gt: start }, status: { _in: HOLDING } }, limit: 1,
    });
    return new (createError("OVERLAPS", found[0] ? `the time is taken by ${found[0].id}` : "the time is taken", 409))();
  });
});

const minutes = ({ starts_at, ends_at }) => Math.round((new Date(ends_at) - new Date(starts_at)) / 60_000);

// part: waiting list
async function firstState(database, room) {
  return (await database("rooms").where({ id: room }).first("needs_approval")).needs_approval ? "requested" : "approved";
}

async function moveUp(database, schema, { room, starts_at, ends_at }) {
  const waiting = await database("bookings").where({ room, status: "waiting" }).where("starts_at", "<", ends_at)
    .where("ends_at", ">", new Date(Math.max(Date.now(), new Date(starts_at)))).orderBy("date_created");
  for (const { id } of waiting) {
    const status = await firstState(database, room);
    await database.transaction(async (knex) => {
      await new ItemsService("bookings", { knex, schema }).updateOne(id, { status });
    }).catch((error) => {
      if (error.code !== "OVERLAPS" && error.code !== "23P01") throw error;
    });
  }
}

/** An action runs after the transaction: a process that ends in between leaves those who wait where they are. */
export const waiting = defineHook(({ action, filter }) => {
  const freed = new Map();
  filter("bookings.items.update", async (payload, { keys }, { database }) => {
    for (const before of await database("bookings").whereIn("id", keys)) freed.set(before.id, before);
    return payload;
  });
  action("bookings.items.update", async ({ keys }, { database, schema }) => {
    for (const key of keys) {
      const before = freed.get(Number(key));
      freed.delete(Number(key));
      if (before) await moveUp(database, schema, before);
    }
  });
  action("bookings.items.create", async ({ key }, { database, schema }) => {
    await moveUp(database, schema, await database("bookings").where({ id: key }).first());
  });
});

// part: recurring bookings
// setting: collection series: company, room, member, title, starts_at, ends_at, rule, deleted
// setting: permissions series: read of member
import rrule from "rrule";
import { fromZonedTime, toZonedTime } from "date-fns-tz";

async function times(database, { room, rule, starts_at }) {
  const { time_zone: zone } = await database("rooms").join("locations", "locations.id", "rooms.location")
    .where("rooms.id", room).first("time_zone");
  const found = rrule.rrulestr(rule, { dtstart: toZonedTime(starts_at, zone) }).all((_, index) => index <= 100);
  if (found.length > 100) throw new InvalidPayloadError({ reason: "rule: has more than 100 times" });
  return found.map((time) => fromZonedTime(time, zone));
}

export const series = defineEndpoint((router, { database, getSchema, services: { ItemsService } }) => {
  router.post("/", async ({ body, accountability }, response, next) => {
    try {
      const schema = await getSchema();
      const id = await database.transaction(async (knex) => {
        const me = await knex("members").where({ user: accountability.user, company: body.company }).first();
        if (!me || me.role === "guest") throw new ForbiddenError();
        const { company, room, title, starts_at, ends_at, rule } = body;
        const made = { company, room, title, starts_at, ends_at, rule, member: me.id };
        const key = await new ItemsService("series", { knex, schema }).createOne(made);
        const length = new Date(ends_at) - new Date(starts_at);
        const status = await firstState(knex, room);
        for (const start of await times(knex, made)) {
          const end = new Date(start.getTime() + length);
          await new ItemsService("bookings", { knex, schema }).createOne({
            company, room, title, member: me.id, series: key, starts_at: start, ends_at: end, status, minutes: length / 60_000,
          });
        }
        return key;
      });
      response.status(201).json({ id });
    } catch (error) {
      next(error);
    }
  });
  router.delete("/:id", async ({ params, accountability }, response, next) => {
    try {
      const schema = await getSchema();
      const found = await database("series").where({ id: params.id, deleted: null }).first();
      const me = found && (await database("members").where({ user: accountability.user, company: found.company }).first());
      if (!me || (me.role !== "manager" && me.id !== found.member)) throw new ForbiddenError();
      await database.transaction(async (knex) => {
        await knex("series").where({ id: found.id }).update({ deleted: new Date() });
        const ahead = await knex("bookings").where({ series: found.id }).where("starts_at", ">", new Date())
          .whereIn("status", [...HOLDING, "waiting"]).pluck("id");
        await new ItemsService("bookings", { knex, schema }).updateMany(ahead, { status: "cancelled" });
      });
      response.status(204).end();
    } catch (error) {
      next(error);
    }
  });
});

// part: comments
// setting: collection comments: company, booking, author, text
// setting: permissions comments: read, create of member, update, delete of member with a filter by author and `$NOW(-15 minutes)`

// part: sensors with keys
// setting: collection readings: company, room, people, celsius
// setting: policy sensor
// setting: permissions readings: read of member, create of sensor
/** A key is the static token of a user: managers make it by a route, as only administrators make users. */
export const keys = defineEndpoint((router, { database, getSchema, services: { UsersService } }) => {
  router.post("/", async ({ body, accountability }, response, next) => {
    try {
      if ((await roleIn(database, accountability.user, body.company)) !== "manager") throw new ForbiddenError();
      const token = randomBytes(32).toString("hex");
      const role = (await database("directus_roles").where({ name: "sensor" }).first("id")).id;
      const users = new UsersService({ knex: database, schema: await getSchema() });
      const user = await users.createOne({ first_name: body.name, role, token });
      await database("members").insert({ company: body.company, user, name: body.name, role: "sensor" });
      response.status(201).json({ key: token });
    } catch (error) {
      next(error);
    }
  });
});

// part: calendar and display
import ical from "ical-generator";

export const links = defineEndpoint((router, { database }) => {
  const held = (query) => query.whereIn("bookings.status", HOLDING);
  router.post("/calendar/:company", async ({ params, accountability }, response) => {
    const key = randomUUID();
    await database("members").where({ user: accountability.user, company: params.company }).update({ calendar_key: key });
    response.json({ url: `/links/calendar/${key}/bookings.ics` });
  });
  router.get("/calendar/:key/bookings.ics", async ({ params }, response) => {
    const member = await database("members").where({ calendar_key: params.key }).first();
    if (!member) return response.status(404).end();
    const invited = database("participants").where({ member: member.id }).select("booking");
    const found = await held(database("bookings").join("rooms", "rooms.id", "bookings.room"))
      .where((query) => query.where({ member: member.id }).orWhereIn("bookings.id", invited))
      .where("ends_at", ">", new Date(Date.now() - 30 * 86_400_000)).select("bookings.*", "rooms.name as place");
    const feed = ical({ name: "Bookings" });
    for (const { id, title, place, starts_at, ends_at, status, date_updated } of found) {
      feed.createEvent({
        id: `booking-${id}@booking`, summary: title, location: place, start: starts_at, end: ends_at, stamp: date_updated,
        status: status === "approved" ? "CONFIRMED" : "TENTATIVE",
      });
    }
    response.type("text/calendar").send(feed.toString());
  });
  router.post("/display/:room", async ({ params, accountability }, response, next) => {
    const room = await database("rooms").where({ id: params.room }).first();
    if (!room || (await roleIn(database, accountability.user, room.company)) !== "manager") return next(new ForbiddenError());
    const key = randomUUID();
    await database("rooms").where({ id: room.id }).update({ display_key: key });
    response.json({ url: `/links/display/${key}` });
  });
  router.get("/display/:key/day", async ({ params, query }, response) => {
    const room = await database("rooms").join("locations", "locations.id", "rooms.location")
      .where({ display_key: params.key }).first("rooms.id", "rooms.name", "time_zone");
    if (!room) return response.status(404).end();
    const day = query.on ?? toZonedTime(new Date(), room.time_zone).toISOString().slice(0, 10);
    const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
    const [start, end] = [day, next].map((date) => fromZonedTime(`${date}T00:00`, room.time_zone));
    const times = await held(database("bookings").where({ room: room.id })).where("starts_at", "<", end)
      .where("ends_at", ">", start).orderBy("starts_at").select("starts_at", "ends_at");
    response.json({ room: room.name, time_zone: room.time_zone, day, bookings: times });
  });
});

// part: utilisation
// setting: panel utilisation: bookings by room and week, sum of minutes
// setting: permission bookings: aggregate is a part of read

// part: accounts, invitations
// setting: settings: public registration off, URL of invitations
/** Directus invites to a role of the whole service; the membership follows by a hook. */
// setting: collection invitations: company, email, role
// setting: permissions invitations: read, create, delete of manager
export const invitations = defineHook(({ action }, { database, getSchema, services: { UsersService } }) => {
  action("invitations.items.create", async ({ payload }) => {
    const role = (await database("directus_roles").where({ name: "person" }).first("id")).id;
    const users = new UsersService({ knex: database, schema: await getSchema() });
    const known = await database("directus_users").where({ email: payload.email }).first("id");
    if (!known) await users.inviteUser(payload.email, role, null);
    const user = known ?? (await database("directus_users").where({ email: payload.email }).first("id"));
    await database("members").insert({ company: payload.company, user: user.id, name: payload.email, role: payload.role });
  });
});

// part: live
// setting: settings: WEBSOCKETS_ENABLED

// part: admin page
// setting: preset bookings: columns, filters, sort
// setting: flow approve, flow decline, flow cancel: a button, an update of the item

// part: agents
// setting: settings: MCP server on, with create and update

// part: routes, seed, start
export const seed = defineHook(({ init }, { database, getSchema, services: { ItemsService } }) => {
  init("app.after", async () => {
    if (await database("companies").first()) return;
    const schema = await getSchema();
    const records = JSON.parse(await readFile("seed.json", "utf8"));
    const weeks = Math.floor((Date.now() - Date.parse("2026-01-05")) / (7 * 86_400_000));
    const moved = (time) => new Date(Date.parse(time) + weeks * 7 * 86_400_000);
    for (const [name, all] of Object.entries(records)) {
      const timed = ({ starts_at, ends_at, ...one }) =>
        starts_at ? { ...one, starts_at: moved(starts_at), ends_at: moved(ends_at) } : one;
      await new ItemsService(name, { knex: database, schema }).createMany(all.map(timed));
    }
  });
});
