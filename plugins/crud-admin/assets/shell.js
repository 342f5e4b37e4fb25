// The frame of the page: where one can go, and who one is.

import { html, useEffect, useRef, useState } from "./vendor/preact.js";
import { changeTenant, get, hasSession, isLoggedIn, logOut, root } from "./api.js";
import { Home } from "./home.js";
import { List } from "./list/list.js";
import { ChangePassword } from "./login.js";
import { ownPages } from "./modules.js";
import { Palette } from "./palette.js";
import { NewRecord, Record } from "./record/record.js";
import { go, href, useRoute } from "./router.js";
import { menuResources, resourceAt, service } from "./schema.js";
import { Jobs } from "./service/jobs.js";
import { Keys } from "./service/keys.js";
import { Log } from "./service/log.js";
import { NewUser, User } from "./service/user.js";
import { Users } from "./service/users.js";
import { choose, chosen } from "./theme.js";
import { isTyping, useKey, useOutside } from "./ui/hooks.js";
import { Icon } from "./ui/icon.js";
import { Button, Empty, Menu, Notes, Questions, noteError } from "./ui/parts.js";

/** The pages of the service itself that the caller may see. */
const servicePages = () => [
  service.paths.users && { path: "/~users", label: "Users", icon: "user" },
  service.paths.keys && { path: "/~keys", label: "API keys", icon: "link" },
  service.paths.jobs && { path: "/~jobs", label: "Jobs", icon: "jobs" },
  service.paths.log && { path: "/~log", label: "Log", icon: "log" },
].filter(Boolean);

const pagePath = ({ name }) => `/~x/${name}`;

/**
 * The resources by their groups; those without one come first.
 *
 * @returns {[string, import("./schema.js").Resource[]][]}
 */
function groups() {
  const names = [...new Set(menuResources().map(({ group }) => group ?? ""))].sort((a, b) =>
    (a === "" ? -1 : b === "" ? 1 : 0));
  return names.map((name) => [name, menuResources().filter(({ group }) => (group ?? "") === name)]);
}

function Place({ route }) {
  const { path, query } = route;
  if (path === "/") return html`<${Home} />`;
  if (path === "/~users") return html`<${Users} query=${query} />`;
  if (path === "/~users/new") return html`<${NewUser} />`;
  if (path.startsWith("/~users/")) return html`<${User} key=${path} id=${decodeURIComponent(path.slice(8))} />`;
  if (path === "/~keys") return html`<${Keys} />`;
  if (path === "/~jobs") return html`<${Jobs} query=${query} />`;
  if (path === "/~log") return html`<${Log} query=${query} />`;
  const own = ownPages().find((page) => pagePath(page) === path);
  if (own) return html`<${own.component} query=${query} />`;
  const found = resourceAt(path);
  if (!found) return html`<h1 class="sr">Nothing is here</h1>
    <div class="card">
      <${Empty} icon="search" title="Nothing is here">Choose a place on the left, or <a href="#/">begin anew</a>.<//>
      </div>`;
  const { resource, rest } = found;
  if (rest === "") return html`<${List} key=${resource.path} resource=${resource} query=${query} />`;
  if (rest === "new") return html`<${NewRecord} key=${route.whole} resource=${resource} query=${query} />`;
  return html`<${Record} key=${path} resource=${resource} recordKey=${rest} />`;
}

const Item = ({ path, label, icon, current }) => html`
  <li><a href=${href(path)} aria-current=${current === path || current.startsWith(`${path}/`) ? "page" : undefined}>
    ${icon && html`<${Icon} name=${icon} />`}<span>${label}</span></a></li>`;

const THEMES = [["", "As the system", "system"], ["light", "Light", "sun"], ["dark", "Dark", "moon"]];

function Caller({ leave, changePassword }) {
  const [name, setName] = useState(service.user?.subject ?? "");
  const [theme, setTheme] = useState(chosen());
  const [tenants, setTenants] = useState([]);
  useEffect(() => {
    if (!hasSession() || !service.paths.tenant || !service.paths.profile) return;
    get(service.paths.profile).then(({ value }) => setTenants(value.memberships ?? []), () => {});
  }, []);
  useEffect(() => {
    if (service.user && service.paths.users && /^\d+$/.test(service.user.subject)) {
      get(`${service.paths.users}/${service.user.subject}`).then(({ value }) => setName(value.username), () => {});
    }
  }, []);
  const set = (theme) => {
    choose(theme);
    setTheme(theme);
  };
  return html`
    <${Menu} icon=${service.user ? "user" : "system"} text=${service.user ? name : "Settings"} kind="quiet caller"
      align="up">${(close) => html`
      ${service.user
        && html`<p class="hint">
          ${service.user.roles.join(", ") || "no role"}${service.user.tenant != null
            ? ` · tenant ${service.user.tenant}` : ""}</p>`}
      <div class="segments icons" role="group" aria-label="Theme">${THEMES.map(([value, label, icon]) => html`
        <button type="button" key=${value} aria-pressed=${theme === value} aria-label=${label} title=${label}
          onClick=${() => set(value)}><${Icon} name=${icon} /></button>`)}</div>
      ${tenants.length > 1 && html`<ul class="items">${tenants.map(({ tenant, roles }) => html`
        <li key=${tenant}><button type="button" disabled=${String(tenant) === String(service.user?.tenant)}
          onClick=${() => changeTenant(tenant).then(() => location.reload(), noteError)}>Tenant ${tenant} <span
            class="muted">${roles.join(", ")}</span></button></li>`)}</ul>`}
      <ul class="items">
        ${service.paths.docs
          && html`<li><a href=${`${root}${service.paths.docs}`} target="_blank" rel="noopener">API documentation</a>
          </li>`}
        ${isLoggedIn() && service.paths.password
          && html`<li><button type="button" onClick=${() => { close(); changePassword(); }}>Change the password</button>
          </li>`}
        ${hasSession() && isLoggedIn() && html`<li><button type="button" onClick=${leave}>Log out</button></li>`}
      </ul>`}
    <//>`;
}

/** The places and actions of the palette. */
function commands(leave) {
  const listed = menuResources()
    .map((it) => ({ id: it.path, icon: "table", text: it.label, hint: "Go to", run: () => go(it.path) }));
  const pages = servicePages()
    .map((it) => ({ id: it.path, icon: it.icon, text: it.label, hint: "Go to", run: () => go(it.path) }));
  const own = ownPages()
    .map((it) => ({ id: pagePath(it), icon: "table", text: it.label, hint: "Go to", run: () => go(pagePath(it)) }));
  const creates = menuResources().filter(({ may }) => may.has("create"))
    .map((it) => ({ id: `${it.path} new`, icon: "add", text: `New ${it.one.toLowerCase()}`, hint: "Create",
      run: () => go(`${it.path}/new`) }));
  const others = [
    ...THEMES.map(([value, label, icon]) =>
      ({ id: `theme ${value}`, icon, text: `Theme: ${label.toLowerCase()}`, hint: "Setting",
        run: () => choose(value) })),
    ...(isLoggedIn() ? [{ id: "log out", icon: "out", text: "Log out", hint: "Session", run: leave }] : []),
  ];
  return [...listed, ...pages, ...own, ...creates, ...others];
}

const isMac = /Mac|iP(hone|ad)/.test(navigator.platform);

export function Shell({ ended }) {
  const route = useRoute();
  const [isPalette, setPalette] = useState(false);
  const [isNav, setNav] = useState(false);
  const [isPassword, setPassword] = useState(false);
  const main = useRef();
  const nav = useRef();
  useEffect(() => {
    setNav(false);
    main.current?.scrollTo?.(0, 0);
    if (!document.activeElement?.closest("main")) main.current?.focus({ preventScroll: true });
  }, [route.path]);
  useOutside(nav, isNav, () => setNav(false));
  useKey((event) => (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k", (event) => {
    event.preventDefault();
    setPalette(true);
  });
  useKey((event) => event.key === "?" && !isTyping(event), () => setPalette(true));
  const leave = () => logOut().finally(ended);
  const current = route.path;
  return html`
    <a class="skip" href="#main"
      onClick=${(event) => { event.preventDefault(); main.current.focus(); }}>Skip to the content</a>
    <header class="topbar">
      <${Button} icon="menu" label="Menu" kind="quiet" aria-expanded=${isNav} onClick=${() => setNav(!isNav)} />
      <a class="brand" href="#/">${service.title}</a>
      <${Button} icon="search" label="Go to" kind="quiet" onClick=${() => setPalette(true)} /></header>
    <nav class=${`sidebar ${isNav ? "open" : ""}`} ref=${nav} aria-label="Pages of the service">
      <a class="brand" href="#/">${service.title}</a>
      <button type="button" class="goto" onClick=${() => setPalette(true)}><${Icon} name="search" /><span>Go to …</span>
        <kbd>${isMac ? "⌘" : "Ctrl"} K</kbd></button>
      <div class="places">
        ${groups().map(([name, resources]) => html`
          ${name && html`<h2>${name}</h2>`}
          <ul>${resources.map((resource) =>
            html`<${Item} key=${resource.path} path=${resource.path} label=${resource.label}
              current=${current} />`)}</ul>`)}
        ${ownPages().length > 0
          && html`<h2>Pages</h2>
            <ul>${ownPages()
              .map((page) =>
                html`<${Item} key=${page.name} path=${pagePath(page)} label=${page.label}
                  current=${current} />`)}</ul>`}
        ${servicePages().length > 0
          && html`<h2>Service</h2>
            <ul>${servicePages().map((page) => html`<${Item} key=${page.path} ...${page} current=${current} />`)}</ul>`}
        ${service.links.length > 0 && html`<h2>Links</h2><ul>${service.links.map(({ label, url }) => html`
          <li key=${url}>
            <a href=${url.startsWith("/") ? root + url : url} target="_blank" rel="noopener noreferrer">
              <${Icon} name="external" /><span>${label}</span></a></li>`)}</ul>`}
      </div>
      <${Caller} leave=${leave} changePassword=${() => setPassword(true)} />
    </nav>
    <main id="main" tabindex="-1" ref=${main}><div class="content"><${Place} route=${route} /></div></main>
    ${isPalette && html`<${Palette} commands=${commands(leave)} close=${() => setPalette(false)} />`}
    ${isPassword && html`<${ChangePassword} close=${() => setPassword(false)} />`}
    <${Questions} /><${Notes} />`;
}
