// The theme: that of the system, or the one that the reader has chosen, which `early.js` sets before anything is shown.

const THEME = "crud-admin.theme";

/** The chosen theme, `light` or `dark`; an empty text for that of the system. */
export const chosen = () => localStorage.getItem(THEME) ?? "";

export function choose(theme) {
  if (theme) localStorage.setItem(THEME, theme);
  else localStorage.removeItem(THEME);
  document.documentElement.dataset.theme = theme;
}
