// The product of this example on PocketBase 0.3x: a sketch to count lines, which was written out and not run. Collections and their
// rules, which are usually clicked together on its admin page, stand as a migration in JavaScript; the rest are hooks. A company is a
// field of each record, and rules compare it.

// part: companies, members, roles
const role = (least) => ({
  guest: "@collection.members.user ?= @request.auth.id && @collection.members.company ?= company",
  member: "@collection.members:own.user ?= @request.auth.id && @collection.members:own.company ?= company" +
    " && @collection.members:own.role ?!= 'guest'",
  manager: "@collection.members:own.user ?= @request.auth.id && @collection.members:own.company ?= company" +
    " && @collection.members:own.role ?= 'manager'",
})[least];
const text = (name, max, required = true) => ({ type: "text", name, max, required });
const to = (name, collectionId, more = {}) => ({ type: "relation", name, collectionId, required: true, maxSelect: 1, ...more });
const collection = (name, fields, rules, indexes = []) => ({ type: "base", name, fields, indexes, ...rules });
const rules = (reads, writes) => ({
  listRule: role(reads), viewRule: role(reads), createRule: role(writes), updateRule: role(writes), deleteRule: role(writes),
});

migrate((app) => {
  app.importCollections([
    collection("companies", [text("name", 100)], {
      listRule: "@collection.members.company ?= id && @collection.members.user ?= @request.auth.id",
      viewRule: "@collection.members.company ?= id && @collection.members.user ?= @request.auth.id",
    }, ["CREATE UNIQUE INDEX company_name ON companies (name)"]),
    collection("members", [
      to("company", "companies"), to("user", "users"), text("name", 100, false),
      { type: "select", name: "role", values: ["manager", "member", "guest"], required: true },
      { type: "text", name: "calendar_key", hidden: true },
    ], {
      ...rules("member", "manager"),
      listRule: `(${role("member")}) || user = @request.auth.id`,
      viewRule: `(${role("member")}) || user = @request.auth.id`,
    }, [
      "CREATE UNIQUE INDEX member_of_company ON members (company, user)",
      "CREATE INDEX member_user ON members (user)",
      "CREATE UNIQUE INDEX calendar_key ON members (calendar_key) WHERE calendar_key <> ''",
    ]),
  ]);
});

function keepManager(e) {
  const { app, record } = e;
  const before = app.findRecordById("members", record.id);
  const isLeft = e.type === "delete" || record.get("role") !== "manager";
  if (before.get("role") === "manager" && isLeft) {
    const others = app.countRecords("members", $dbx.exp("company = {:company} AND role = 'manager' AND id <> {:id}", {
      company: record.get("company"), id: record.id,
    }));
    if (others === 0) throw new BadRequestError("a company keeps its last manager");
  }
  e.next();
}
onRecordUpdate(keepManager, "members");
onRecordDelete((e) => keepManager({ ...e, type: "delete" }), "members");

/** Relations lead to records of the same company: rules do not say that. */
onRecordValidate((e) => {
  const { app, record } = e;
  const company = record.get("company");
  for (const name of ["location", "room", "member", "booking", "series", "equipment", "participants"]) {
    for (const id of [record.get(name) ?? []].flat().filter(Boolean)) {
      const field = record.collection().fields.getByName(name);
      const other = app.findRecordById(field.collectionId, id);
      if (other.get("company") !== company) throw new BadRequestError(`${name}: there is no such record`);
    }
  }
  if (!record.isNew() && record.original().get("company") !== company) throw new BadRequestError("company: stays as it is");
  e.next();
}, "locations", "rooms", "equipment", "bookings", "series", "comments", "readings");

function memberOf(app, auth, company) {
  if (!auth) return null;
  const found = app.findRecordsByFilter("members", "user = {:user} && company = {:company}", "", 1, 0, {
    user: auth.id, company,
  });
  return found[0] ?? null;
}

// part: places, equipment, floor plans
migrate((app) => {
  app.importCollections([
    collection("locations", [
      to("company", "companies"), text("name", 100), text("address", 200), text("time_zone", 64),
      { type: "file", name: "floor_plan", maxSize: 10_000_000, mimeTypes: ["image/png", "image/jpeg", "application/pdf"], protected: true },
    ], rules("guest", "manager"), ["CREATE UNIQUE INDEX location_name ON locations (company, name)"]),
    collection("equipment", [to("company", "companies"), text("name", 60)], rules("guest", "manager"),
      ["CREATE UNIQUE INDEX equipment_name ON equipment (company, name)"]),
    collection("rooms", [
      to("company", "companies"), to("location", "locations"), text("name", 100),
      { type: "select", name: "kind", values: ["room", "desk"], required: true },
      { type: "number", name: "capacity", min: 1, max: 1000, onlyInt: true, required: true },
      { type: "bool", name: "needs_approval" },
      { type: "text", name: "display_key", hidden: true },
      to("equipment", "equipment", { required: false, maxSelect: 50 }),
    ], rules("guest", "manager"), [
      "CREATE UNIQUE INDEX room_name ON rooms (company, name)",
      "CREATE UNIQUE INDEX display_key ON rooms (display_key) WHERE display_key <> ''",
    ]),
  ]);
});

onRecordValidate((e) => {
  try {
    new DateTime("2026-01-01 00:00:00", e.record.get("time_zone"));
  } catch {
    throw new BadRequestError("time_zone: there is no such time zone");
  }
  e.next();
}, "locations");

// part: bookings: states, no overlap, rights
const OWN = "(member.user = @request.auth.id || (" + role("manager") + "))";
migrate((app) => {
  app.importCollections([
    collection("bookings", [
      to("company", "companies"), to("room", "rooms"), to("member", "members", { required: false }),
      to("series", "series", { required: false }), text("title", 200),
      { type: "date", name: "starts_at", required: true }, { type: "date", name: "ends_at", required: true },
      { type: "number", name: "minutes", onlyInt: true },
      { type: "select", name: "status", values: ["requested", "approved", "waiting", "declined", "cancelled"] },
      { type: "bool", name: "or_wait" },
      to("participants", "members", { required: false, maxSelect: 100 }),
      { type: "autodate", name: "created", onCreate: true },
      { type: "autodate", name: "updated", onCreate: true, onUpdate: true },
    ], {
      listRule: `(${role("member")}) || participants.user ?= @request.auth.id`,
      viewRule: `(${role("member")}) || participants.user ?= @request.auth.id`,
      createRule: role("member"),
      updateRule: `(${role("member")}) && ${OWN}`,
    }, [
      "CREATE INDEX booking_room ON bookings (room, starts_at)",
      "CREATE INDEX booking_member ON bookings (member)",
    ]),
    collection("history", [
      to("company", "companies"), text("collection", 40), text("record", 15), to("user", "users", { required: false }),
      { type: "json", name: "before" }, { type: "json", name: "after" },
      { type: "autodate", name: "created", onCreate: true },
    ], { listRule: role("manager"), viewRule: role("manager") }, ["CREATE INDEX history_record ON history (record)"]),
  ]);
});

const HOLDING = ["requested", "approved"];
const TRANSITIONS = {
  requested: { approved: "manager", declined: "manager", cancelled: "member" },
  approved: { cancelled: "member" },
  waiting: { requested: "manager", approved: "manager", declined: "manager", cancelled: "member" },
};

/** SQLite has one writer, so that a look before the write is safe in its transaction. */
function conflicting(app, record) {
  if (!HOLDING.includes(record.get("status"))) return null;
  const filter = "room = {:room} && id != {:id} && starts_at < {:end} && ends_at > {:start} && " +
    "(status = 'requested' || status = 'approved')";
  return app.findRecordsByFilter("bookings", filter, "", 1, 0, {
    room: record.get("room"), id: record.id, start: record.get("starts_at"), end: record.get("ends_at"),
  })[0] ?? null;
}

function save(e) {
  const { record } = e;
  const [start, end] = [record.getDateTime("starts_at"), record.getDateTime("ends_at")];
  if (!start.before(end)) throw new BadRequestError("ends_at: must be after starts_at");
  record.set("minutes", end.sub(start).minutes());
  e.app.runInTransaction((tx) => {
    const other = conflicting(tx, record);
    if (other) throw new ApiError(409, "the time is taken", { code: "overlaps", id: other.id });
    e.app = tx;
    e.next();
    moveUp(tx, record.isNew() ? record : record.original());
  });
}
onRecordCreate(save, "bookings");
onRecordUpdate(save, "bookings");

onRecordCreateRequest((e) => {
  const me = memberOf(e.app, e.auth, e.record.get("company"));
  if (me?.get("role") !== "manager" || !e.record.get("member")) e.record.set("member", me?.id);
  e.record.set("status", e.record.get("or_wait") ? "waiting" : firstState(e.app, e.record.get("room")));
  e.record.set("series", "");
  e.next();
}, "bookings");

onRecordUpdateRequest((e) => {
  const before = e.record.original();
  const [from, to] = [before.get("status"), e.record.get("status")];
  const least = from === to ? "member" : TRANSITIONS[from]?.[to];
  const me = memberOf(e.app, e.auth, before.get("company"));
  if (!least) throw new ApiError(409, `the booking is ${from}`);
  if (least === "manager" && me?.get("role") !== "manager") throw new ForbiddenError();
  for (const name of ["member", "series"]) {
    if (before.get(name) !== e.record.get(name)) throw new BadRequestError(`${name}: stays as it is`);
  }
  e.next();
}, "bookings");

onRecordEnrich((e) => {
  const me = memberOf(e.app, e.requestInfo.auth, e.record.get("company"));
  if (me?.get("role") === "guest") e.record.hide("participants");
  e.next();
}, "bookings");

function log(e) {
  e.next();
  const entry = new Record(e.app.findCollectionByNameOrId("history"));
  const { record } = e;
  entry.set("company", record.get("company"));
  entry.set("collection", record.collection().name);
  entry.set("record", record.id);
  entry.set("user", e.auth?.id);
  entry.set("before", record.isNew() ? null : record.original().publicExport());
  entry.set("after", record.publicExport());
  e.app.save(entry);
}
onRecordCreateRequest(log, "bookings", "rooms", "members", "locations", "comments");
onRecordUpdateRequest(log, "bookings", "rooms", "members", "locations", "comments");

// part: waiting list
const firstState = (app, room) =>
  app.findRecordById("rooms", room).getBool("needs_approval") ? "requested" : "approved";

function moveUp(app, { get }) {
  const filter = "room = {:room} && status = 'waiting' && starts_at < {:end} && ends_at > {:start} && ends_at > @now";
  const waiting = app.findRecordsByFilter("bookings", filter, "created", 500, 0, {
    room: get("room"), start: get("starts_at"), end: get("ends_at"),
  });
  for (const booking of waiting) {
    booking.set("status", firstState(app, booking.get("room")));
    if (!conflicting(app, booking)) app.save(booking);
  }
}

// part: recurring bookings
const { rrulestr } = require(`${__hooks}/vendor/rrule.js`);
const { zonedTime, instant } = require(`${__hooks}/vendor/zones.js`);
migrate((app) => {
  app.importCollections([
    collection("series", [
      to("company", "companies"), to("room", "rooms"), to("member", "members", { required: false }), text("title", 200),
      { type: "date", name: "starts_at", required: true }, { type: "date", name: "ends_at", required: true },
      text("rule", 200), { type: "date", name: "deleted" },
    ], {
      listRule: `deleted = '' && (${role("member")})`, viewRule: `deleted = '' && (${role("member")})`, createRule: role("member"),
    }),
  ]);
});

function times(app, series) {
  const location = app.findRecordById("rooms", series.get("room")).get("location");
  const zone = app.findRecordById("locations", location).get("time_zone");
  const rule = rrulestr(series.get("rule"), { dtstart: zonedTime(series.get("starts_at"), zone) });
  const found = rule.all((_, index) => index <= 100);
  if (found.length > 100) throw new BadRequestError("rule: has more than 100 times");
  return found.map((time) => instant(time, zone));
}

onRecordCreateRequest((e) => {
  const { record } = e;
  record.set("member", memberOf(e.app, e.auth, record.get("company"))?.id);
  e.app.runInTransaction((tx) => {
    e.app = tx;
    e.next();
    const length = record.getDateTime("ends_at").sub(record.getDateTime("starts_at"));
    for (const start of times(tx, record)) {
      const booking = new Record(tx.findCollectionByNameOrId("bookings"));
      for (const name of ["company", "room", "member", "title"]) booking.set(name, record.get(name));
      booking.set("series", record.id);
      booking.set("starts_at", start);
      booking.set("ends_at", start.add(length));
      booking.set("status", firstState(tx, record.get("room")));
      tx.save(booking);
    }
  });
}, "series");

routerAdd("POST", "/api/series/{id}/end", (e) => {
  e.app.runInTransaction((tx) => {
    const series = tx.findRecordById("series", e.request.pathValue("id"));
    const me = memberOf(tx, e.auth, series.get("company"));
    if (me?.get("role") !== "manager" && me?.id !== series.get("member")) throw new ForbiddenError();
    series.set("deleted", new DateTime());
    tx.save(series);
    const filter = "series = {:id} && starts_at > @now && (status = 'requested' || status = 'approved' || status = 'waiting')";
    for (const booking of tx.findRecordsByFilter("bookings", filter, "", 500, 0, { id: series.id })) {
      booking.set("status", "cancelled");
      tx.save(booking);
    }
  });
  return e.noContent(204);
}, $apis.requireAuth());

// part: comments
migrate((app) => {
  const own = "author = @request.auth.id && created > @yesterday";
  app.importCollections([
    collection("comments", [
      to("company", "companies"), to("booking", "bookings"), to("author", "users"), text("text", 2000),
      { type: "autodate", name: "created", onCreate: true },
    ], {
      listRule: role("member"), viewRule: role("member"),
      createRule: `(${role("member")}) && author = @request.auth.id`, updateRule: own, deleteRule: own,
    }),
  ]);
});

/** Rules have `@now` and days, and no quarter of an hour. */
function inTime(e) {
  if (e.record.getDateTime("created").add("15m").before(new DateTime())) throw new ForbiddenError();
  e.next();
}
onRecordUpdateRequest(inTime, "comments");
onRecordDeleteRequest(inTime, "comments");

// part: sensors with keys
migrate((app) => {
  app.importCollections([
    { ...collection("sensors", [to("company", "companies"), text("name", 100)], rules("manager", "manager")), type: "auth" },
    collection("readings", [
      to("company", "companies"), to("room", "rooms"),
      { type: "number", name: "people", min: 0, max: 10_000, onlyInt: true }, { type: "number", name: "celsius" },
      { type: "autodate", name: "created", onCreate: true },
    ], {
      listRule: role("member"), viewRule: role("member"),
      createRule: "@request.auth.collectionName = 'sensors' && @request.auth.company = company",
    }, ["CREATE INDEX reading_room ON readings (room, created)"]),
  ]);
});

/** A token of 10 years is the key; a new `tokenKey` of the sensor revokes it. */
routerAdd("POST", "/api/sensors/{id}/key", (e) => {
  const sensor = e.app.findRecordById("sensors", e.request.pathValue("id"));
  if (memberOf(e.app, e.auth, sensor.get("company"))?.get("role") !== "manager") throw new ForbiddenError();
  sensor.refreshTokenKey();
  e.app.save(sensor);
  return e.json(200, { key: sensor.newStaticAuthToken(10 * 365 * 86_400) });
}, $apis.requireAuth());

// part: calendar and display
const ical = require(`${__hooks}/vendor/ical.js`);

function renewed(e, record, field) {
  record.set(field, $security.randomString(32));
  e.app.save(record);
  return record.get(field);
}

routerAdd("POST", "/api/calendar/{company}", (e) => {
  const me = memberOf(e.app, e.auth, e.request.pathValue("company"));
  if (!me) throw new ForbiddenError();
  return e.json(200, { url: `/calendar/${renewed(e, me, "calendar_key")}/bookings.ics` });
}, $apis.requireAuth());

routerAdd("GET", "/calendar/{key}/bookings.ics", (e) => {
  const member = e.app.findFirstRecordByData("members", "calendar_key", e.request.pathValue("key"));
  const filter = "(member = {:id} || participants ?= {:id}) && (status = 'requested' || status = 'approved') && ends_at > {:since}";
  const since = new DateTime().addDate(0, 0, -30);
  const bookings = e.app.findRecordsByFilter("bookings", filter, "starts_at", 1000, 0, { id: member.id, since });
  e.app.expandRecords(bookings, ["room"], null);
  const events = bookings.map((one) => ({
    uid: `booking-${one.id}@booking`, summary: one.get("title"), location: one.expandedOne("room").get("name"),
    start: one.get("starts_at"), end: one.get("ends_at"), stamp: one.get("updated"),
    status: one.get("status") === "approved" ? "CONFIRMED" : "TENTATIVE",
  }));
  e.response.header().set("Content-Type", "text/calendar; charset=utf-8");
  return e.string(200, ical.calendar("Bookings", events));
});

routerAdd("POST", "/api/rooms/{id}/display", (e) => {
  const room = e.app.findRecordById("rooms", e.request.pathValue("id"));
  if (memberOf(e.app, e.auth, room.get("company"))?.get("role") !== "manager") throw new ForbiddenError();
  return e.json(200, { url: `/display/${renewed(e, room, "display_key")}` });
}, $apis.requireAuth());

routerAdd("GET", "/display/{key}/day", (e) => {
  const room = e.app.findFirstRecordByData("rooms", "display_key", e.request.pathValue("key"));
  const location = e.app.findRecordById("locations", room.get("location"));
  const zone = location.get("time_zone");
  const day = e.request.url.query().get("on") || zonedTime(new DateTime(), zone).toISOString().slice(0, 10);
  const [start, end] = [0, 1].map((days) => instant(new Date(Date.parse(day) + days * 86_400_000), zone));
  const filter = "room = {:room} && (status = 'requested' || status = 'approved') && starts_at < {:end} && ends_at > {:start}";
  const bookings = e.app.findRecordsByFilter("bookings", filter, "starts_at", 200, 0, { room: room.id, start, end });
  const times = bookings.map((one) => ({ starts_at: one.get("starts_at"), ends_at: one.get("ends_at") }));
  return e.json(200, { room: room.get("name"), location: location.get("name"), time_zone: zone, day, bookings: times });
});

// part: utilisation
migrate((app) => {
  app.importCollections([{
    type: "view", name: "utilisation", listRule: role("member"),
    viewQuery: "SELECT (room || strftime('%G-W%V', starts_at)) AS id, company, room, strftime('%G-W%V', starts_at) AS week, " +
      "SUM(minutes) AS minutes FROM bookings WHERE status = 'approved' GROUP BY company, room, week",
  }]);
});

// part: accounts, invitations
migrate((app) => {
  app.importCollections([
    collection("invitations", [
      to("company", "companies"), { type: "email", name: "email", required: true },
      { type: "select", name: "role", values: ["manager", "member", "guest"], required: true },
      { type: "text", name: "key", hidden: true, autogeneratePattern: "[A-Za-z0-9]{32}" },
    ], { ...rules("manager", "manager"), updateRule: null }),
  ]);
});

onRecordAfterCreateSuccess((e) => {
  const { record } = e;
  const url = `${e.app.settings().meta.appURL}/app/#invited/${record.get("key")}`;
  e.app.newMailClient().send(new MailerMessage({
    from: { address: e.app.settings().meta.senderAddress },
    to: [{ address: record.get("email") }], subject: "You are invited", html: `<a href="${url}">Accept the invitation</a>`,
  }));
  e.next();
}, "invitations");

routerAdd("POST", "/api/invited/{key}", (e) => {
  e.app.runInTransaction((tx) => {
    const invitation = tx.findFirstRecordByData("invitations", "key", e.request.pathValue("key"));
    const { password } = e.requestInfo().body;
    let user = e.auth;
    if (!user) {
      user = new Record(tx.findCollectionByNameOrId("users"));
      user.setEmail(invitation.get("email"));
      user.setPassword(password);
      user.setVerified(true);
      tx.save(user);
    }
    const member = new Record(tx.findCollectionByNameOrId("members"));
    for (const name of ["company", "role"]) member.set(name, invitation.get(name));
    member.set("user", user.id);
    tx.save(member);
    tx.delete(invitation);
  });
  return e.noContent(204);
});

// part: agents
const tools = {
  find_rooms: { description: "Rooms with at least this capacity", run: (as, { company, capacity }) =>
    as("GET", `/api/collections/rooms/records?filter=(company='${company}'%26%26capacity>=${Number(capacity)})`) },
  find_bookings: { description: "Bookings of a room from one time to another", run: (as, { room, from, to }) =>
    as("GET", `/api/collections/bookings/records?filter=(room='${room}'%26%26starts_at>='${from}'%26%26starts_at<'${to}')`) },
  book: { description: "Books a room, or says which booking has the time", run: (as, body) =>
    as("POST", "/api/collections/bookings/records", body) },
  cancel: { description: "Cancels a booking", run: (as, { id }) =>
    as("PATCH", `/api/collections/bookings/records/${id}`, { status: "cancelled" }) },
};

routerAdd("POST", "/mcp", (e) => {
  const { id, method, params } = e.requestInfo().body;
  const answer = (result) => e.json(200, { jsonrpc: "2.0", id, result });
  const as = (verb, path, body) => $http.send({
    method: verb, url: e.app.settings().meta.appURL + path, body: body && JSON.stringify(body),
    headers: { Authorization: e.request.header.get("Authorization"), "Content-Type": "application/json" },
  });
  if (method === "initialize") {
    return answer({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "booking", version: "1" } });
  }
  if (method === "tools/list") {
    const listed = Object.entries(tools).map(([name, { description }]) => ({ name, description, inputSchema: { type: "object" } }));
    return answer({ tools: listed });
  }
  if (method !== "tools/call" || !tools[params.name]) return e.json(200, { jsonrpc: "2.0", id, error: { code: -32601, message: method } });
  const { statusCode, raw } = tools[params.name].run(as, params.arguments);
  return answer({ isError: statusCode >= 400, content: [{ type: "text", text: raw }] });
}, $apis.requireAuth());

// part: routes, seed, start
onBootstrap((e) => {
  e.next();
  if (e.app.countRecords("companies") > 0) return;
  const seed = JSON.parse(toString($os.readFile(`${__hooks}/seed.json`)));
  const weeks = Math.floor((Date.now() - Date.parse("2026-01-05")) / (7 * 86_400_000));
  e.app.runInTransaction((tx) => {
    for (const [name, records] of Object.entries(seed)) {
      for (const values of records) {
        const record = new Record(tx.findCollectionByNameOrId(name));
        for (const [field, value] of Object.entries(values)) {
          const isTime = ["starts_at", "ends_at"].includes(field);
          record.set(field, isTime ? new DateTime(value).addDate(0, 0, weeks * 7) : value);
        }
        tx.save(record);
      }
    }
  });
});
