// The bytes of files: read with the caller's token, or by a link that needs none.

import { Problem, call, download, follow, root, send } from "../api.js";

/** Requests at a time: a browser has six connections to a service, and other requests need some. */
const AT_ONCE = 4;
const waiting = [];
let running = 0;

async function inTurn(work) {
  if (running >= AT_ONCE) await new Promise((next) => waiting.push(next));
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

/** The path of a value's file below the service. */
const filePath = ({ url }) => (root && url.startsWith(`${root}/`) ? url.slice(root.length) : url);

/** Reads a picture. Its type is the one of the record, which the page has found to be one of pictures. */
export const readPicture = (value, signal) => inTurn(async () => {
  signal.throwIfAborted();
  const answer = await send("GET", filePath(value), { signal });
  if (!answer.ok) throw new Problem(answer.status);
  return new Blob([await answer.blob()], { type: value.type });
});

/** A URL by which the browser itself reads the file for some minutes. */
async function linkTo(value) {
  const { value: { url } } = await call("POST", `${filePath(value)}/link`);
  return url.startsWith("/") && !url.startsWith(`${root}/`) ? root + url : url;
}

/** Saves a file. By a link, the browser writes it to the disk as it comes. */
export async function saveFile(field, value) {
  if (field.file.link) follow(await linkTo(value), value.name);
  else await download(filePath(value), {}, value.name);
}

/** Saves the file that a record had at a time. */
export const saveOldFile = (path, time, name) => download(path, { as_of: time }, name);
