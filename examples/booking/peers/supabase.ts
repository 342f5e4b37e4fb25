// Edge functions of the sketch in `supabase.sql`: what the database does not do.

// part: companies, members, roles
import { createClient } from "jsr:@supabase/supabase-js@2";

const url = Deno.env.get("SUPABASE_URL")!;
const service = createClient(url, Deno.env.get("SUPABASE_SERVICE_ROLE_KEY")!);
const as = (request: Request) =>
  createClient(url, Deno.env.get("SUPABASE_ANON_KEY")!, {
    global: { headers: { Authorization: request.headers.get("Authorization") ?? "" } },
  });

async function memberOf(request: Request, company: number) {
  const { data: { user } } = await as(request).auth.getUser();
  const { data } = await service.from("members").select().match({ company_id: company, user_id: user?.id }).maybeSingle();
  return data;
}

// part: bookings: states, no overlap, rights
async function booked(request: Request, booking: Booking, result: { data: unknown; error: PostgrestError | null }) {
  if (result.error?.code !== "23P01") return result.error ? refused(result.error) : Response.json(result.data);
  const times = { room: booking.room_id, start: booking.starts_at, finish: booking.ends_at };
  const { data } = await as(request).rpc("conflicting", times).limit(1);
  return Response.json({ code: "overlaps", field: "starts_at", id: data?.[0]?.id }, { status: 409 });
}

const refused = ({ code, message }: PostgrestError) =>
  Response.json({ code, message }, { status: code === "42501" ? 403 : 422 });

async function book(request: Request) {
  const { invited, ...booking } = await request.json();
  return booked(request, booking, await as(request).rpc("book", { booking, invited }));
}

// part: recurring bookings
import { rrulestr } from "npm:rrule";
import { toZonedTime, fromZonedTime } from "npm:date-fns-tz";

async function series(request: Request) {
  const body = await request.json();
  const me = await memberOf(request, body.company_id);
  if (!me || me.role === "guest") return new Response(null, { status: 403 });
  const { data: room } = await as(request).from("rooms").select("*, locations(time_zone)").eq("id", body.room_id).single();
  const zone = room.locations.time_zone;
  let times;
  try {
    times = rrulestr(body.rule, { dtstart: toZonedTime(body.starts_at, zone) }).all((_, index) => index <= 100);
  } catch (error) {
    return Response.json({ field: "rule", message: String(error) }, { status: 422 });
  }
  if (times.length > 100) return Response.json({ field: "rule", message: "more than 100 times" }, { status: 422 });
  const new_series = { ...body, member_id: me.id };
  const starts = times.map((time) => fromZonedTime(time, zone).toISOString());
  return booked(request, body, await service.schema("private").rpc("book_series", { new_series, times: starts }));
}

// part: calendar and display
import ical from "npm:ical-generator";

async function calendar(request: Request) {
  const { data, error } = await service.rpc("calendar_of", { link: new URL(request.url).searchParams.get("key") });
  if (error) return new Response(null, { status: 404 });
  const feed = ical({ name: "Bookings" });
  for (const { id, title, room, starts_at, ends_at, status, updated_at } of data) {
    feed.createEvent({
      id: `booking-${id}@booking`,
      summary: title,
      location: room,
      start: starts_at,
      end: ends_at,
      stamp: updated_at,
      status: status === "approved" ? "CONFIRMED" : "TENTATIVE",
    });
  }
  return new Response(feed.toString(), { headers: { "Content-Type": "text/calendar; charset=utf-8" } });
}

// part: accounts, invitations
async function invite(request: Request) {
  const { company, email, role } = await request.json();
  const me = await memberOf(request, company);
  if (me?.role !== "manager") return new Response(null, { status: 403 });
  await service.schema("private").rpc("invite", { company, email, role });
  const { error } = await service.auth.admin.inviteUserByEmail(email);
  return error && error.code !== "email_exists" ? refused(error) : new Response(null, { status: 201 });
}

// part: agents
import { McpServer } from "npm:@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "npm:@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "npm:zod";

function tools(request: Request) {
  const server = new McpServer({ name: "booking", version: "1" });
  const text = (value: unknown) => ({ content: [{ type: "text" as const, text: JSON.stringify(value) }] });
  server.tool("find_rooms", "Rooms with at least this capacity", { capacity: z.number() }, async ({ capacity }) =>
    text((await as(request).from("rooms").select("*, room_equipment(equipment(name))").gte("capacity", capacity)).data));
  server.tool("find_bookings", "Bookings of a room on a day", { room: z.number(), day: z.string() }, async (asked) =>
    text((await as(request).rpc("bookings_on", asked)).data));
  const times = { room_id: z.number(), company_id: z.number(), title: z.string(), starts_at: z.string(), ends_at: z.string() };
  server.tool("book", "Books a room, or says which booking has the time", times, async (booking) =>
    text(await (await booked(request, booking, await as(request).rpc("book", { booking }))).json()));
  server.tool("cancel", "Cancels a booking of the user", { id: z.number() }, async ({ id }) =>
    text(await as(request).from("bookings").update({ status: "cancelled" }).eq("id", id).select()));
  return server;
}

async function mcp(request: Request) {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await tools(request).connect(transport);
  return transport.handleRequest(request);
}

// part: routes, seed, start
const routes: Record<string, (request: Request) => Promise<Response>> = { book, series, calendar, invite, mcp };
Deno.serve((request) => {
  const name = new URL(request.url).pathname.split("/").pop() ?? "";
  return routes[name]?.(request) ?? new Response(null, { status: 404 });
});
