// Files of records: picked, dropped and pasted, sent with progress, replaced and removed; what is in them does not run.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { deflateSync, crc32 } from "node:zlib";

import { PASSWORD, go, launch, logIn, open, start, violations } from "./support.mjs";

/** A picture of one colour. */
function png(red, green, blue, side = 48) {
  const chunk = (name, data) => {
    const named = Buffer.concat([Buffer.from(name), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, sum]);
  };
  const head = Buffer.from([0, 0, 0, side, 0, 0, 0, side, 8, 2, 0, 0, 0]);
  const line = Buffer.from([0, ...Array.from({ length: side }, () => [red, green, blue]).flat()]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: side }, () => line)));
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", head), chunk("IDAT", pixels),
    chunk("IEND", Buffer.alloc(0))]);
}

const RED = png(200, 60, 60);
const GREEN = png(20, 160, 60);
/** A picture that takes some seconds on a slow line: bytes after its end. */
const LARGE = Buffer.concat([png(60, 60, 200), Buffer.alloc(250_000, 7)]);

let service, directory, browser, page, mistakes, api;

before(async () => {
  directory = mkdtempSync(join(tmpdir(), "papers-"));
  const env = { ADMIN_PASSWORD: PASSWORD, FILES_STORE: join(directory, "files") };
  service = await start(process.env.PAPERS, { env });
  api = await service.client();
  for (const title of ["First", "Second", "Third"]) {
    assert.equal((await api("POST", "/papers", { title })).status, 201);
  }
  browser = await launch();
  ({ page, mistakes } = await open(browser, service.url, { acceptDownloads: true }));
  await logIn(page);
});

after(async () => {
  await browser?.close();
  await service?.stop();
  rmSync(directory, { recursive: true, force: true });
  assert.deepEqual(mistakes, [], "errors, refused loads and requests elsewhere");
});

const note = (text) => page.getByRole("status").getByText(text, { exact: true }).last();
const field = (label, where = page) => where.getByRole("group", { name: label });
const pick = (label, name, mimeType, buffer, where = page) =>
  field(label, where).locator("input[type=file]").setInputFiles({ name, mimeType, buffer });
/** Waits until nothing is sent. */
const settled = () => page.waitForFunction(() => !document.querySelector("progress"));
/** Waits until the field has a file of this name. */
async function stored(label, name) {
  await field(label).getByText(name, { exact: true }).waitFor();
  await settled();
}
const error = (text) => page.getByRole("alert").getByText(text);
const paper = async (id) => (await api("GET", `/papers/${id}`)).value;

async function show(place, heading) {
  await go(page, place);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
}

/** Puts files into a `DataTransfer` of the page, and dispatches an event with it. */
const transfer = (label, type, files) => field(label).evaluate((element, { type, files }) => {
  const data = new DataTransfer();
  for (const { name, mimeType, bytes } of files) {
    data.items.add(new File([Uint8Array.from(bytes)], name, { type: mimeType }));
  }
  const options = { bubbles: true, cancelable: true };
  element.dispatchEvent(type === "paste" ? new ClipboardEvent(type, { ...options, clipboardData: data })
    : new DragEvent(type, { ...options, dataTransfer: data }));
}, { type, files });
const asFile = (name, buffer, mimeType = "image/png") => ({ name, mimeType, bytes: [...buffer] });

test("a picked picture is saved at once, and what is typed stays", async () => {
  await show("/papers/1", "First");
  await field("Cover").getByText("No file").waitFor();
  await page.getByText("PNG, JPEG, or GIF, at most 300 kB.").waitFor();
  await page.getByLabel("Title").fill("First, revised");
  await pick("Cover", "red.png", "image/png", RED);
  await note("Cover saved").waitFor();
  await field("Cover").locator("img").waitFor();
  assert.equal(await page.getByLabel("Title").inputValue(), "First, revised");
  await page.getByRole("button", { name: "Save" }).click();
  await note("Saved").waitFor();
  const { title, cover } = await paper(1);
  assert.deepEqual([title, cover.name, cover.type, cover.size], ["First, revised", "red.png", "image/png", RED.length]);
  assert.deepEqual(await violations(page), []);
});

test("a dropped file replaces the one that is there, and a stray one does nothing", async () => {
  await transfer("Cover", "drop", [asFile("green.png", GREEN)]);
  await stored("Cover", "green.png");
  assert.equal((await paper(1)).cover.size, GREEN.length);
  await transfer("Cover", "drop", [asFile("a.png", RED), asFile("b.png", RED)]);
  await error("One file fits here, and not 2.").waitFor();
  const isStopped = await page.locator("h1").evaluate((element) => {
    const data = new DataTransfer();
    data.items.add(new File(["x"], "x.png"));
    return !element.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
  });
  assert.ok(isStopped, "the browser does not open it");
  assert.equal((await paper(1)).cover.name, "green.png");
});

test("a pasted picture is saved", async () => {
  await show("/papers/2", "Second");
  await transfer("Cover", "paste", [asFile("image.png", RED)]);
  await stored("Cover", "image.png");
  assert.equal((await paper(2)).cover.name, "image.png");
});

test("a file of another type or size is refused by the page, and a lie by the service", async () => {
  await show("/papers/3", "Third");
  await pick("Cover", "notes.txt", "text/plain", Buffer.from("words"));
  await error("“notes.txt” is not of a type that fits here: expected PNG, JPEG, or GIF.").waitFor();
  await pick("Cover", "huge.png", "image/png", Buffer.alloc(400_000));
  await error("“huge.png” has 400 kB: at most 300 kB fit here.").waitFor();
  assert.deepEqual(await violations(page), []);
  await pick("Cover", "lie.png", "image/png", Buffer.from("<html><script>window.ran=1</script>"));
  await page.getByRole("alert").getByText(/cover/).waitFor();
  assert.equal((await paper(3)).cover, null);
  await field("Cover").getByText("No file").waitFor();
});

test("the progress of a file is shown, and it is cancelled", async () => {
  const line = await page.context().newCDPSession(page);
  const limit = (uploadThroughput) => line.send("Network.emulateNetworkConditions",
    { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput });
  await limit(15_000);
  await show("/papers/3", "Third");
  await pick("Cover", "large.png", "image/png", LARGE);
  const bar = field("Cover").getByRole("progressbar", { name: "Sending large.png" });
  await bar.waitFor();
  await page.waitForFunction(() => document.querySelector("progress")?.value > 0.05);
  assert.deepEqual(await violations(page), []);
  await field("Cover").getByRole("button", { name: "Cancel" }).click();
  await bar.waitFor({ state: "detached" });
  await limit(-1);
  await line.detach();
  assert.equal((await paper(3)).cover, null);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Choose a file", "the focus stays there");
});

test("the page asks before it leaves a file that is sent", async () => {
  const line = await page.context().newCDPSession(page);
  await line.send("Network.emulateNetworkConditions",
    { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 15_000 });
  // A request that begins at once may not be slowed down yet.
  await show("/papers/3", "Third");
  await pick("Cover", "large.png", "image/png", LARGE);
  await field("Cover").getByRole("progressbar").waitFor();
  await go(page, "/papers");
  const dialog = page.getByRole("dialog", { name: "Leave while a file is sent?" });
  await dialog.getByRole("button", { name: "Leave" }).click();
  await page.getByRole("heading", { level: 1, name: /^Papers/ }).waitFor();
  await line.detach();
  assert.equal((await paper(3)).cover, null);
});

test("a record that has changed meanwhile is shown, before its file is", async () => {
  await show("/papers/3", "Third");
  assert.equal((await api("PATCH", "/papers/3", { title: "Third, by another" })).status, 200);
  await pick("Cover", "red.png", "image/png", RED);
  await error("This record has changed meanwhile. It is here as it is now").waitFor();
  await page.getByRole("heading", { level: 1, name: "Third, by another" }).waitFor();
  await pick("Cover", "red.png", "image/png", RED);
  await stored("Cover", "red.png");
  assert.equal(await page.getByRole("alert").count(), 0);
});

test("a file is downloaded by its own name", async () => {
  const saved = page.waitForEvent("download");
  await field("Cover").getByRole("button", { name: "Download" }).click();
  const download = await saved;
  assert.equal(download.suggestedFilename(), "red.png");
  assert.deepEqual(readFileSync(await download.path()), RED);
});

test("the history names the files, and gives back an old one", async () => {
  await pick("Cover", "green.png", "image/png", GREEN);
  await stored("Cover", "green.png");
  const entries = page.locator(".timeline > li");
  await entries.first().getByText("green.png").waitFor();
  await entries.first().locator("del").getByText("red.png").waitFor();
  const saved = page.waitForEvent("download");
  await entries.nth(1).getByRole("button", { name: /red\.png/ }).click();
  assert.deepEqual(readFileSync(await (await saved).path()), RED);
  await entries.nth(1).getByRole("button", { name: "View this version" }).click();
  const dialog = page.getByRole("dialog", { name: "The record at that time" });
  await dialog.getByText("A file does not come back with the version").waitFor();
  assert.deepEqual(await violations(page), []);
  await dialog.getByRole("button", { name: "Close" }).last().click();
});

test("a file is removed once that is sure", async () => {
  await field("Cover").getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog", { name: "Remove cover?" }).getByRole("button", { name: "Cancel" }).click();
  assert.equal((await paper(3)).cover.name, "green.png");
  await field("Cover").getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await note("Cover removed").waitFor();
  assert.equal((await paper(3)).cover, null);
});

const NAMES = ["\"quoted\".png", "a'b;c=d.png", "../../etc/passwd.png", "<img src=x onerror=window.ran=1>.png",
  "مرحبا\u202egnp.exe", "x".repeat(240) + ".png", "naïve – 日本.png", "line\r\nX-Evil: 1.png"];

test("hostile names are names, and nothing else", async () => {
  await show("/papers/2", "Second");
  for (const name of NAMES) {
    await transfer("Cover", "drop", [asFile(name, RED)]);
    await page.waitForFunction(() => document.querySelector("progress"));
    await settled();
    const { cover } = await paper(2);
    assert.ok(cover.name && !/[\r\n\0/\\]/.test(cover.name), `${JSON.stringify([name, cover.name])}`);
    await field("Cover").getByText(cover.name, { exact: true }).waitFor();
    assert.equal(await page.evaluate(() => window.ran), undefined);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it fits the screen");
  }
});

test("a file that is a page or an SVG runs nothing, in a tab and in a frame", async () => {
  const script = "<script>document.title='ran'; fetch('/papers')</script>";
  const files = [["page.html", "text/html", `<!doctype html><html>${script}</html>`],
    ["drawing.svg", "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`]];
  for (const [name, mimeType, text] of files) {
    await show("/papers/1", /^First/);
    await pick("Scan", name, mimeType, Buffer.from(text));
    await stored("Scan", name);
    assert.equal(await field("Scan").locator("img").count(), 0, `${name} is no picture`);
    const link = await api("POST", "/papers/1/scan/link");
    assert.equal(link.status, 200);
    const tab = await page.context().newPage();
    const requests = [];
    tab.on("request", (request) => requests.push(request.url()));
    const saved = tab.waitForEvent("download");
    await tab.goto(service.url + link.value.url).catch(() => {});
    assert.equal((await saved).suggestedFilename(), name, "it is saved, and not opened");
    assert.notEqual(await tab.title(), "ran");
    // The way of an attacker who frames it, or strips the header that saves it.
    await tab.route("**/scan**", async (route) => {
      const response = await route.fetch();
      const headers = { ...response.headers() };
      delete headers["content-disposition"];
      await route.fulfill({ response, headers });
    });
    await tab.goto(service.url + link.value.url);
    assert.notEqual(await tab.title(), "ran", "its policy is a sandbox");
    assert.ok(requests.every((url) => url.includes("/scan")), `${requests}`);
    await tab.close();
  }
});

test("a new record has its file, and stays where the file is refused", async () => {
  await show("/papers/new", "New paper");
  await page.getByLabel("Title").fill("Fourth");
  await pick("Cover", "red.png", "image/png", RED);
  await field("Cover").locator("img").waitFor();
  assert.deepEqual(await violations(page), []);
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: "Fourth" }).waitFor();
  await field("Cover").getByText("red.png").waitFor();
  await show("/papers/new", "New paper");
  await page.getByLabel("Title").fill("Fifth");
  await pick("Cover", "lie.png", "image/png", Buffer.from("no picture at all"));
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: "Fifth" }).waitFor();
  await page.getByText(/^“lie\.png” is not saved:/).waitFor();
  await field("Cover").getByText("No file").waitFor();
});

test("a list has small pictures, and the names of other files", async () => {
  await go(page, "/papers?sort=title");
  await page.locator("tbody img").first().waitFor();
  assert.equal(await page.locator("tbody img").first().evaluate((image) => image.naturalWidth), 48);
  await page.getByRole("cell", { name: /drawing\.svg/ }).waitFor();
  assert.deepEqual(await violations(page), []);
});

test("a reader has the file, and no way to change it", async () => {
  const { page: other, context, mistakes } = await open(browser, service.url);
  await other.route("**/admin/schema", async (route) => {
    const response = await route.fetch();
    const schema = await response.json();
    for (const resource of schema.resources) {
      resource.can = resource.can.filter((name) => ["list", "get", "history"].includes(name));
    }
    await route.fulfill({ response, json: schema });
  });
  await logIn(other);
  await go(other, "/papers/1");
  await other.locator(".file-fact img").waitFor();
  assert.equal(await other.locator("input[type=file]").count(), 0);
  assert.equal(await other.getByRole("button", { name: /Replace|Remove|Choose/ }).count(), 0);
  assert.deepEqual(await violations(other), []);
  await context.close();
  assert.deepEqual(mistakes, []);
});

for (const [width, height] of [[1440, 900], [1024, 768], [390, 844]]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`files are accessible at ${width} pixels, ${colorScheme}`, async () => {
      const other = await open(browser, service.url, { viewport: { width, height }, colorScheme });
      await other.page.getByLabel("Name").fill("admin");
      await other.page.getByLabel("Password").fill(PASSWORD);
      await other.page.getByRole("button", { name: "Log in" }).click();
      await other.page.locator("main").waitFor();
      for (const place of ["/papers?sort=title", "/papers/1", "/papers/new"]) {
        await go(other.page, place);
        await other.page.waitForLoadState("networkidle");
        await other.page.waitForFunction(() => document.querySelector("h1") && !document.querySelector(".skeleton"));
        assert.deepEqual(await violations(other.page), [], place);
        assert.ok(await other.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), place);
        if (process.env.PICTURES) {
          const name = `${place.replace(/\W+/g, "-")}-${width}-${colorScheme}.png`;
          await other.page.screenshot({ path: join(process.env.PICTURES, name), fullPage: true });
        }
      }
      await other.context.close();
      assert.deepEqual(other.mistakes, []);
    });
  }
}
