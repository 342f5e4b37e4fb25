// Words about files: sizes, types, and the reasons for which one does not fit.

const sizes = ["byte", "kilobyte", "megabyte", "gigabyte"].map((unit) =>
  new Intl.NumberFormat(navigator.languages, { style: "unit", unit, maximumFractionDigits: 1,
    unitDisplay: unit === "byte" ? "long" : "short" }));

/** A number of bytes for people. */
export function bytesText(bytes) {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), sizes.length - 1);
  return sizes[power].format(bytes / 1000 ** power);
}

/** `image/png` is `PNG`, `image/*` is `images`, and any type is none. */
function typeText(type) {
  const [kind, form] = type.split("/");
  if (form === "*") return kind === "*" ? null : `${kind}s`;
  const short = form.replace(/^x-|\+.*$/g, "");
  return short.length > 5 ? type : short.toUpperCase();
}

const either = new Intl.ListFormat("en", { type: "disjunction" });

/** The types that a field takes, such as `PNG or JPEG`; empty where it takes any. */
const typesText = (types) => either.format(types.map(typeText).filter(Boolean));

/** The limits of a field in a sentence: `PNG or JPEG, at most 10 MB. `. */
export function limitsText({ max, types = [] }) {
  const text = [typesText(types), max && `at most ${bytesText(max)}`].filter(Boolean).join(", ");
  return text && `${text[0].toUpperCase()}${text.slice(1)}. `;
}

/** The reason for which a field does not take a file, so that it need not be sent; null for none. */
export function refusal({ max, types = [] }, { name, type, size }) {
  // A file without a type is one whose type the service finds out.
  const isWithin = !type || types.length === 0
    || types.some((it) => it === "*/*" || it === type || it === type.replace(/[^/]*$/, "*"));
  if (!isWithin) return `“${name}” is not of a type that fits here: expected ${typesText(types)}.`;
  return max && size > max ? `“${name}” has ${bytesText(size)}: at most ${bytesText(max)} fit here.` : null;
}
