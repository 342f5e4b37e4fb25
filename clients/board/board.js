// The board of examples/tracker: each window shows what the others change.

import { CrudError, createCrud } from "@crud-runtime/client";

const crud = createCrud("/api", { storage: "session" });
const form = document.querySelector("form");
const board = document.querySelector("main");
const status = document.querySelector("[role=status]");

/** The columns, and the transition that moves an issue to each. */
const COLUMNS = { open: "reopen", doing: "start", done: "finish" };

const show = (error) => {
  status.textContent = error instanceof CrudError ? error.problem.detail : "The service cannot be reached.";
};

function card({ id, title }) {
  const article = Object.assign(document.createElement("article"), { id, textContent: title, draggable: true });
  article.ondragstart = ({ dataTransfer }) => dataTransfer.setData("text", id);
  return article;
}

function column([name, transition], issues) {
  const section = document.createElement("section");
  const heading = Object.assign(document.createElement("h2"), { textContent: name });
  section.dataset.status = name;
  section.append(heading, ...issues.filter((issue) => issue.status === name).map(card));
  section.ondragover = (event) => event.preventDefault();
  // The stream brings the change, to this window too.
  section.ondrop = ({ dataTransfer }) => crud.issues.act(dataTransfer.getData("text"), transition).catch(show);
  return section;
}

/** Shows the issues, again after each change, until the session ends. */
async function follow() {
  form.hidden = true;
  status.textContent = "";
  try {
    for await (const issues of crud.issues.live({ sort: ["created_at"] }))
      board.replaceChildren(...Object.entries(COLUMNS).map((entry) => column(entry, issues)));
  } catch (error) {
    show(error);
    board.replaceChildren();
    form.hidden = false;
  }
}

form.onsubmit = async (event) => {
  event.preventDefault();
  const { user, password } = Object.fromEntries(new FormData(form));
  await crud.$session.login(user, password).then(follow, show);
};

if (crud.$session.username()) void follow();
