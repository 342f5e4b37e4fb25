// The login, and the change of a password.

import { html, useState } from "./vendor/preact.js";
import { call, logIn, own, root } from "./api.js";
import { service } from "./schema.js";
import { Button, Dialog, note } from "./ui/parts.js";

/** The path of another page at which people sign in, which leads back; empty for none. */
const signInPath = document.getElementById("app").dataset.signIn;

export function Login({ title, done, reason }) {
  const [error, setError] = useState(reason);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event) => {
    event.preventDefault();
    const { username, password } = event.target.elements;
    setBusy(true);
    setError(null);
    try {
      await logIn(username.value, password.value);
      await done();
    } catch (problem) {
      setError(problem.message);
      setBusy(false);
      password.select();
    }
  };
  return html`
    <main class="login">
      <form class="card" onSubmit=${submit}>
        <h1>${title}</h1>
        ${error && html`<div class="alert" role="alert"><p>${error}</p></div>`}
        <label class="field"><span>Name</span>
          <input name="username" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus />
          </label>
        <label class="field"><span>Password</span>
          <input name="password" type="password" autocomplete="current-password" required /></label>
        <button class="button primary block" disabled=${isBusy} aria-busy=${isBusy}><span>Log in</span></button>
        ${signInPath && html`<p class="center">
          <a href=${`${root}${signInPath}?to=${encodeURIComponent(root + own)}`}>Sign in another way</a></p>`}
      </form>
    </main>`;
}

export function ChangePassword({ close }) {
  const [error, setError] = useState(null);
  const submit = async (event) => {
    event.preventDefault();
    const { old, fresh } = event.target.elements;
    try {
      await call("POST", service.paths.password, { body: { old_password: old.value, new_password: fresh.value } });
      note("The password is changed: log in with it the next time");
      close();
    } catch (problem) {
      setError(problem.errors[0]?.detail ?? problem.message);
    }
  };
  const footer = html`<${Button} onClick=${close}>Cancel<//>
    <button class="button primary" form="password"><span>Change</span></button>`;
  return html`
    <${Dialog} title="Change the password" kind="small" onClose=${close} footer=${footer}>
      <form id="password" class="stack" onSubmit=${submit}>
        ${error && html`<div class="alert" role="alert"><p>${error}</p></div>`}
        <label class="field"><span>Password until now</span>
          <input name="old" type="password" autocomplete="current-password" required autofocus /></label>
        <label class="field"><span>New password</span>
          <input name="fresh" type="password" autocomplete="new-password" minlength="8" required /></label>
      </form>
    <//>`;
}
