// A module of the admin page: the texts of mistakes in the reader's language, by the code of a mistake and its parameters.

const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;

const kinds = {
  de: {
    boolean: "ja oder nein", integer: "eine ganze Zahl", number: "eine Zahl", string: "ein Text",
    "date-time": "ein Zeitpunkt", date: "ein Datum", time: "eine Uhrzeit", "local-date-time": "Datum und Uhrzeit", uuid: "eine UUID",
    decimal: "eine Dezimalzahl", base64: "Base64", array: "eine Liste", enum: "einer der Werte", json: "JSON",
  },
  fr: {
    boolean: "oui ou non", integer: "un nombre entier", number: "un nombre", string: "un texte", "date-time": "un instant",
    date: "une date", time: "une heure", "local-date-time": "une date et une heure", uuid: "un UUID",
    decimal: "un nombre décimal", base64: "du Base64", array: "une liste", enum: "une des valeurs", json: "du JSON",
  },
};

const units = {
  de: { character: ["Zeichen", "Zeichen"], byte: ["Byte", "Byte"], item: ["Eintrag", "Einträge"] },
  fr: { character: ["caractère", "caractères"], byte: ["octet", "octets"], item: ["élément", "éléments"] },
};

const form = (texts, { expected, values }) =>
  `${texts[expected] ?? expected}${values ? `: ${values.join(", ")}` : ""}`;

const catalogues = {
  de: {
    required: () => "fehlt",
    type: (params) => `muss ${form(kinds.de, params)} sein`,
    format: (params) => `muss ${form(kinds.de, params)} sein`,
    range: ({ min, max }) => min !== undefined && `muss zwischen ${min} und ${max} liegen`,
    min: ({ min }) => `muss mindestens ${min} sein`,
    max: ({ max }) => max !== undefined && `darf höchstens ${max} sein`,
    min_length: ({ min, unit }) => `braucht mindestens ${count(min, ...units.de[unit])}`,
    max_length: ({ max, unit }) => `darf höchstens ${count(max, ...units.de[unit])} haben`,
    pattern: ({ pattern }) => `muss dem Muster ${pattern} entsprechen`,
    one_of: ({ values }) => `muss einer dieser Werte sein: ${values.join(", ")}`,
    email: () => "muss eine E-Mail-Adresse sein",
    url: () => "muss eine vollständige URL sein",
    immutable: () => "kann nicht geändert werden",
    reference: () => "verweist auf nichts, was es gibt",
    reserved: () => "ist reserviert",
    unique: () => "ist schon vergeben",
    duplicate: () => "kommt doppelt vor",
    too_many: ({ max }) => `darf höchstens ${count(max, ...units.de.item)} haben`,
  },
  fr: {
    required: () => "est obligatoire",
    type: (params) => `doit être ${form(kinds.fr, params)}`,
    format: (params) => `doit être ${form(kinds.fr, params)}`,
    range: ({ min, max }) => min !== undefined && `doit être entre ${min} et ${max}`,
    min: ({ min }) => `doit être au moins ${min}`,
    max: ({ max }) => max !== undefined && `doit être au plus ${max}`,
    min_length: ({ min, unit }) => `doit avoir au moins ${count(min, ...units.fr[unit])}`,
    max_length: ({ max, unit }) => `doit avoir au plus ${count(max, ...units.fr[unit])}`,
    pattern: ({ pattern }) => `doit correspondre à ${pattern}`,
    one_of: ({ values }) => `doit être une de ces valeurs : ${values.join(", ")}`,
    email: () => "doit être une adresse électronique",
    url: () => "doit être une URL absolue",
    immutable: () => "ne peut pas être modifié",
    reference: () => "renvoie à un enregistrement qui n'existe pas",
    reserved: () => "est réservé",
    unique: () => "est déjà pris",
    duplicate: () => "est présent deux fois",
    too_many: ({ max }) => `doit avoir au plus ${count(max, ...units.fr.item)}`,
  },
};

/** The text of a mistake in the first language of the reader that has texts; none, for the service's own, in English. */
function text({ code, params }) {
  const languages = navigator.languages.map((language) => language.slice(0, 2));
  const language = languages.find((it) => it === "en" || it in catalogues);
  return catalogues[language]?.[code]?.(params ?? {});
}

export default ({ errorTexts }) => errorTexts(text);
