// The pages of accounts: each form sends one request, and shows the next step or what is wrong.

const { page, auth, home } = document.body.dataset;

/** The page that has asked for a login by `?to=`, of this service alone. It is kept while an issuer has the browser. */
const wanted = new URLSearchParams(location.search).get("to");
if (wanted) sessionStorage.setItem("to", wanted);

function goOn() {
  const to = new URL(sessionStorage.getItem("to") ?? home, location.origin);
  sessionStorage.removeItem("to");
  location.assign(to.origin === location.origin ? to : home);
}

/** The token of the link, which leaves the address bar and the history at once. */
const token = location.hash.slice(1);
if (token || wanted) history.replaceState(null, "", location.pathname);

// Another link of the same page changes the fragment alone: it is a new beginning.
addEventListener("hashchange", () => location.reload());

/** The challenge of a login that waits for its second factor. */
let challenge = "";

const step = (name) => document.querySelector(`[data-step="${name}"]`);

/** Shows one step, and says so: its heading gets the focus. */
function show(name) {
  for (const section of document.querySelectorAll("[data-step]")) section.hidden = section.dataset.step !== name;
  step(name).querySelector("h1").focus();
}

async function send(path, body) {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  const value = await answer.json().catch(() => null);
  return { isDone: answer.ok, status: answer.status, value };
}

/** What is wrong, for people. */
function wording({ status, value }) {
  const error = value?.errors?.[0];
  if (value?.code === "invalid_credentials") return "The email or the password is not right.";
  if (value?.code === "too_many_requests") return "There were too many attempts. Try again later.";
  if (error) return `${(error.pointer ?? "").slice(1) || "This"} ${error.detail}.`;
  return status >= 500 ? "The service is busy. Try again in a moment." : value?.detail ?? "That did not work.";
}

/** Goes on from a login: into the service, or to the second factor. */
async function signedIn(answer, form) {
  const error = answer.value?.errors?.[0];
  if (error?.code === "second_factor_required") {
    challenge = error.params.challenge;
    return error.params.enrolled ? show("code") : enrol(form);
  }
  if (!answer.isDone) return refuse(form, answer);
  const { refresh_token, recovery_codes } = answer.value;
  if (refresh_token) {
    const adopted = await send("session/adopt", { refresh_token });
    if (!adopted.isDone) return refuse(form, adopted);
  }
  if (!recovery_codes) return goOn();
  const codes = recovery_codes.map((code) => Object.assign(document.createElement("li"), { textContent: code }));
  document.querySelector("[data-codes]").replaceChildren(...codes);
  show("recovery");
}

/** Gets a secret for the app. */
async function enrol(form) {
  const answer = await send(`${auth}/factor/enrol`, { challenge });
  if (!answer.isDone) return refuse(form, answer);
  document.querySelector("[data-secret]").textContent = answer.value.secret.replace(/(.{4})(?=.)/g, "$1 ");
  document.querySelector("[data-uri]").href = answer.value.uri;
  show("enrol");
}

/** Shows what is wrong at the form, or that its link is over. */
function refuse(form, answer) {
  if (answer.value?.errors?.[0]?.code === "used") return show("over");
  const place = form.querySelector(".error");
  place.textContent = wording(answer);
  place.hidden = false;
  form.querySelector("input")?.focus();
}

/** Sends an address, for which a mail is there or not. */
const mail = (path) => async ({ email }, form) => {
  const answer = await send(`${auth}/${path}`, { email });
  if (!answer.isDone) return refuse(form, answer);
  document.querySelector("[data-address]").textContent = email;
  show("sent");
};

/** Uses the token of the link up. */
const use = (path) => async (fields, form) => {
  const answer = await send(`${auth}/${path}`, { token, ...fields });
  if (answer.isDone) show("done");
  else refuse(form, answer);
};

const withCode = async ({ code }, form) =>
  signedIn(await send(`${auth}/factor/login`, { challenge, code: code.trim() }), form);

const STEPS = {
  "sign-in": async (fields, form) => {
    const answer = await send("session/login", fields);
    const username = fields.username.trim().toLowerCase();
    // Accounts have their addresses in lower case; the name of another user may have capitals.
    const isRefused = answer.value?.code === "invalid_credentials" && username !== fields.username;
    return signedIn(isRefused ? await send("session/login", { ...fields, username }) : answer, form);
  },
  "sign-up": mail("register"),
  forgot: mail("forgot"),
  verify: async (fields, form) => signedIn(await send(`${auth}/verify`, { token, ...fields }), form),
  reset: use("reset"),
  address: use("email/confirm"),
  enrol: withCode,
  code: withCode,
  recovery: async () => goOn(),
};

for (const form of document.forms) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const [button, error] = [form.querySelector("button"), form.querySelector(".error")];
    if (error) error.hidden = true;
    button.disabled = true;
    try {
      await STEPS[form.closest("[data-step]").dataset.step](Object.fromEntries(new FormData(form)), form);
    } catch {
      refuse(form, { status: 503, value: null });
    } finally {
      button.disabled = false;
    }
  });
}

/** Goes on from an issuer, which has led back with a code, or without one. */
async function fromIssuer() {
  const form = step("sign-in")?.querySelector("form");
  if (!form || !token) return;
  if (token.startsWith("code=")) return signedIn(await send(`${auth}/oidc/token`, { code: token.slice(5) }), form);
  const detail = "The login there did not work. Try again, or sign in with your password.";
  refuse(form, { status: 401, value: { detail } });
}

fromIssuer();
if (step("over") && !token) show("over");
document.body.dataset.ready = page;
