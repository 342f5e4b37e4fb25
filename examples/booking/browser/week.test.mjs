// The week of rooms in Chromium: two windows, a lost race, a guest, a phone, and a network that is gone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import {
  PASSWORD, client, launch, open, start, violations,
} from "../../../plugins/crud-admin/browser/test/support.mjs";

/** A Monday that the seed leaves free, and its week. */
const MONDAY = "2031-03-03";

let booking, browser, emre, room;
const mistakes = [];

before(async () => {
  booking = await start(process.env.BOOKING);
  browser = await launch();
  emre = await client(booking.url, "emre@nordlicht.example", PASSWORD);
  const berlin = (await emre("GET", "/locations?name=Berlin")).value.data[0];
  const { value } = await emre("GET", `/rooms?location_id=${berlin.id}&kind=room&sort=name`);
  room = value.data.find(({ needs_approval }) => !needs_approval);
});

after(async () => {
  await browser?.close();
  await booking?.stop();
  assert.deepEqual(mistakes, [], "errors, refused loads and requests elsewhere");
});

/** A window of a person, at the week of the tests. */
async function windowOf(name, options = {}) {
  const opened = await open(browser, booking.url, options, `/app#${room.location_id}/${MONDAY}`);
  const { page } = opened;
  await page.getByLabel("Mail address").fill(name);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("button", { name: "Log out" }).waitFor();
  const close = async () => {
    mistakes.push(...opened.mistakes.filter((mistake) => !mistake.includes("ERR_INTERNET_DISCONNECTED")));
    await opened.context.close();
  };
  return { ...opened, close };
}

const mia = (options) => windowOf("mia@nordlicht.example", options);

/** A file of the picture, where `SCREENSHOTS` names a folder. */
const picture = (page, name) =>
  process.env.SCREENSHOTS && page.screenshot({ path: `${process.env.SCREENSHOTS}/booking-${name}.png` });

const at = (day, time) => `2031-03-0${3 + day}T${time}:00+01:00`;

async function make(title, day, from, to) {
  const body = { room_id: room.id, title, starts_at: at(day, from), ends_at: at(day, to) };
  const made = await emre("POST", "/bookings", body);
  assert.equal(made.status, 201, JSON.stringify(made.value));
  return made.value;
}

const block = (page, title) => page.locator(".booking").filter({ hasText: title });

/** The place of a time in the lane of the room. */
async function place(page, day, hour) {
  const lane = `.lane[data-room="${room.id}"][data-date="2031-03-0${3 + day}"]`;
  await page.locator(lane).waitFor();
  // At once: the next change makes another element.
  const box = (lane) => document.querySelector(lane).getBoundingClientRect().toJSON();
  const { x, y, width, height } = await page.evaluate(box, lane);
  return [x + width / 2, y + ((hour - 7) / 13) * height];
}

async function drag(page, from, to) {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(from[0], from[1] + 10);
  await page.mouse.move(...to, { steps: 4 });
  await page.mouse.up();
}

const words = (page, title) => block(page, title).getAttribute("aria-label");

test("time that one drags over is booked, and another window shows it", async () => {
  const [one, other] = [await mia(), await windowOf("lea@nordlicht.example")];
  await drag(one.page, await place(one.page, 0, 9), await place(one.page, 0, 10.5));
  const dialog = one.page.getByRole("dialog");
  assert.equal(await dialog.getByLabel("From").inputValue(), "09:00");
  assert.equal(await dialog.getByLabel("To").inputValue(), "10:30");
  assert.deepEqual(await violations(one.page), []);
  await dialog.getByLabel("Title").fill("Planning");
  await picture(one.page, "form");
  await dialog.getByRole("button", { name: "Book", exact: true }).click();
  await block(one.page, "Planning").waitFor();
  await block(other.page, "Planning").waitFor();
  assert.match(await words(other.page, "Planning"), /^Planning 09:00–10:30 Mia Petersen, .+, approved/);
  await drag(one.page, await place(one.page, 0, 9.5), await place(one.page, 2, 13.5));
  await other.page.locator(`[data-date="2031-03-05"] .booking`, { hasText: "Planning" }).waitFor();
  assert.match(await words(other.page, "Planning"), /13:00–14:30/);
  await one.close();
  await other.close();
});

test("a booking is moved, changed and cancelled by the keyboard", async () => {
  const { page, close } = await mia();
  await page.getByRole("button", { name: "Book", exact: true }).press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Title").fill("Interview");
  await dialog.getByLabel("Room").selectOption(String(room.id));
  await dialog.getByLabel("From").fill("15:00");
  await dialog.getByLabel("To").fill("16:00");
  await page.keyboard.press("Enter");
  await block(page, "Interview").focus();
  await page.keyboard.press("Alt+ArrowDown");
  await page.waitForFunction(() => document.activeElement.ariaLabel?.includes("15:15–16:15"));
  await page.keyboard.press("Alt+ArrowRight");
  await page.waitForFunction(() => document.activeElement.ariaLabel?.includes("Tuesday"));
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Cancel the booking" }).press("Enter");
  await page.getByText("The booking is cancelled.").waitFor();
  await block(page, "Interview").waitFor({ state: "detached" });
  await close();
});

test("a lost race is a sentence that names the winner, and the loser may wait", async () => {
  const { page, close } = await mia();
  await page.mouse.click(...(await place(page, 1, 9.25)));
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Title").fill("Workshop");
  const winner = await make("Retro", 1, "09:30", "10:30");
  await dialog.getByRole("button", { name: "Book", exact: true }).click();
  await page.getByText(/^This time was just taken by Emre .+ \(Retro, 09:30–10:30\)\.$/).waitFor();
  await picture(page, "lost-race");
  assert.deepEqual(await violations(page), []);
  await page.getByRole("button", { name: "Wait for it" }).click();
  await page.getByText("You are on the waiting list.").waitFor();
  await page.locator(`.booking[data-queue="+1"]`, { hasText: "Retro" }).waitFor();
  assert.equal((await emre("POST", `/bookings/${winner.id}/cancel`)).status, 200);
  await block(page, "Workshop").waitFor();
  assert.match(await words(page, "Workshop"), /approved/);
  await close();
});

test("a guest sees the bookings that it is invited to, and changes none", async () => {
  await make("Board", 3, "09:00", "10:00");
  const host = await mia();
  await host.page.mouse.click(...(await place(host.page, 3, 11.25)));
  const form = host.page.getByRole("dialog");
  await form.getByLabel("Title").fill("With Gus");
  await form.getByText("Invite").click();
  await form.getByLabel("Gus Keller").check();
  await form.getByRole("button", { name: "Book", exact: true }).click();
  await block(host.page, "With Gus").waitFor();
  await host.close();
  const { page, close } = await windowOf("gus@partner.example");
  await block(page, "With Gus").waitFor();
  assert.equal(await page.locator(".booking").count(), 1);
  assert.equal(await page.getByRole("button", { name: "Book", exact: true }).count(), 0);
  await block(page, "With Gus").click();
  assert.equal(await page.getByRole("dialog").getByRole("button", { name: "Save" }).count(), 0);
  await close();
});

test("a person of two companies changes from one to the other", async () => {
  const { page, close } = await mia();
  await page.getByLabel("Company").selectOption({ label: "Kaktus Studio" });
  await page.locator(".room").filter({ hasText: room.name }).waitFor({ state: "detached" });
  assert.equal(await page.getByRole("button", { name: "Book", exact: true }).count(), 0);
  await close();
});

test("a phone shows a day, in its width", async () => {
  await make("Lunch talk", 0, "12:00", "13:00");
  const { page, close } = await mia({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await block(page, "Lunch talk").waitFor();
  assert.equal(await page.locator("section.day").count(), 1);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  assert.deepEqual(await violations(page), []);
  await picture(page, "phone");
  await page.touchscreen.tap(...(await place(page, 0, 16.25)));
  assert.equal(await page.getByRole("dialog").getByLabel("From").inputValue(), "16:00");
  await close();
});

test("a page without a network says so, saves nothing, and then shows what it has missed", async () => {
  const { page, context, close } = await mia();
  await context.setOffline(true);
  await page.getByText("Not connected.").waitFor();
  await picture(page, "offline");
  await page.mouse.click(...(await place(page, 4, 10.25)));
  await page.getByRole("dialog").getByLabel("Title").fill("Lost");
  await page.getByRole("dialog").getByRole("button", { name: "Book", exact: true }).click();
  await page.getByText("The service cannot be reached. Nothing was saved.").waitFor();
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await make("Made meanwhile", 4, "14:00", "15:00");
  await context.setOffline(false);
  await block(page, "Made meanwhile").waitFor();
  await page.getByText("Not connected.").waitFor({ state: "detached" });
  assert.equal(await block(page, "Lost").count(), 0);
  await close();
});

test("the screen at the door says whether the room is free, and names no person", async () => {
  const nora = await client(booking.url, "nora@nordlicht.example", PASSWORD);
  // A room of the test: the seed books the others today.
  const { value: quiet } = await nora("POST", "/rooms", { location_id: room.location_id, name: "Quiet", kind: "room", capacity: 2 });
  const { value: { url } } = await nora("POST", `/rooms/${quiet.id}/display`);
  const opened = await open(browser, booking.url, {}, url);
  await opened.page.getByText("Free", { exact: true }).waitFor();
  assert.deepEqual(await violations(opened.page), []);
  const now = Date.now();
  const [starts_at, ends_at] = [new Date(now - 60_000), new Date(now + 3_600_000)];
  const taken = await emre("POST", "/bookings", { room_id: quiet.id, title: "Secret", starts_at, ends_at });
  assert.equal(taken.status, 201, JSON.stringify(taken.value));
  await opened.page.reload();
  await opened.page.getByText("Taken", { exact: true }).waitFor();
  await picture(opened.page, "display");
  assert.doesNotMatch(await opened.page.locator("body").textContent(), /Secret|Emre/);
  mistakes.push(...opened.mistakes);
  await opened.context.close();
});
