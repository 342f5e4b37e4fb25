// The page begins here: the session, then the service as the caller may see it.

import { html, render, useEffect, useState } from "./vendor/preact.js";
import { hasSession, isLoggedIn, logOut, onSessionEnd, resume } from "./api.js";
import { Login } from "./login.js";
import { loadModules } from "./modules.js";
import { loadSchema } from "./schema.js";
import { Shell } from "./shell.js";
import { Button, Failure } from "./ui/parts.js";

function App() {
  /** @type {[any, (state: { at: string, error?: Error, reason?: string }) => void]} */
  const [state, setState] = useState({ at: "start" });

  async function open() {
    try {
      await loadSchema();
      await loadModules();
      setState({ at: "open" });
    } catch (error) {
      if (error.status === 401 && hasSession()) setState({ at: "login" });
      else setState({ at: "failed", error });
    }
  }

  async function start() {
    try {
      await resume();
    } catch (error) {
      return setState({ at: "failed", error });
    }
    return hasSession() && !isLoggedIn() ? setState({ at: "login" }) : open();
  }

  useEffect(() => {
    onSessionEnd(() => setState({ at: "login", reason: "The session has ended. Log in again to go on." }));
    start();
  }, []);
  const [title] = useState(document.title);
  if (state.at === "start") return null;
  if (state.at === "login") return html`<${Login} title=${title} reason=${state.reason} done=${open} />`;
  if (state.at === "failed") {
    const leave = () => logOut().finally(() => setState({ at: "login" }));
    return html`<main class="login">
      <div class="card"><h1>${title}</h1><${Failure} error=${state.error} retry=${start} />
      ${isLoggedIn() && html`<p class="center"><${Button} onClick=${leave}>Log in as another user<//></p>`}</div>
      </main>`;
  }
  return html`<${Shell} ended=${() => setState({ at: "login" })} />`;
}

render(html`<${App} />`, document.getElementById("app"));
