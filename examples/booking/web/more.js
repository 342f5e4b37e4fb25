// What a location and a person have beside bookings: a floor plan, and a feed for calendars.

import { fill, h, say } from "./dom.js";
import { crud, sentence } from "./service.js";

const dialog = document.getElementById("dialog");

function show(title, ...content) {
  const close = h("button", { class: "plain", onclick: () => dialog.close() }, "Close");
  fill(dialog, h("h2", { id: "asked" }, title), ...content, close);
  dialog.showModal();
}

const tried = (action) => (...given) => action(...given).catch((error) => say(sentence(error)));

/** Shows the floor plan of a location, by a link that works for some minutes. */
export const floorPlan = tried(async ({ id, name }) => {
  const { url } = await crud.$request("POST", `/locations/${id}/floor_plan/link`);
  show(name, h("img", { src: url, alt: `The floor plan of ${name}` }));
});

/** Makes the address of the user's bookings for calendar programs. The address before it ends. */
export const calendar = tried(async () => {
  const { url } = await crud.$request("POST", "/calendar");
  const input = h("input", { readonly: true, value: new URL(url, location.href).href });
  show("Your calendar feed", h("label", null, "Subscribe to this address, and keep it to yourself", input));
  input.select();
});
