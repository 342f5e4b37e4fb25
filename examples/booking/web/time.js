// What the clocks of a place show. Dates are texts such as `2026-11-28`, times of a day are minutes since midnight.

const formats = new Map();
const DAY = 86_400_000;

/** The date and the time that clocks of a zone show at an instant. */
export function shown(instant, zone) {
  const make = () => new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" });
  if (!formats.has(zone)) formats.set(zone, make());
  const [date, time] = formats.get(zone).format(new Date(instant)).split(" ");
  return { date, minutes: minutesOf(time) };
}

/** The instant at which clocks of a zone show a date and a time; a time that they skip is as much later. */
export function instant(date, minutes, zone) {
  const wanted = Date.parse(date) + minutes * 60_000;
  let guess = wanted;
  for (let turn = 0; turn < 2; turn++) {
    const seen = shown(guess, zone);
    guess += wanted - (Date.parse(seen.date) + seen.minutes * 60_000);
  }
  return new Date(guess).toISOString();
}

export const plus = (date, days) => new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10);
/** The Monday of a date's week. */
export const monday = (date) => plus(date, -((new Date(date).getUTCDay() + 6) % 7));

export const minutesOf = (time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
const two = (number) => String(number).padStart(2, "0");
export const clock = (minutes) => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
export const span = ({ from, to }) => `${clock(from)}–${clock(to)}`;

const words = (options) => {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", ...options });
  return (date) => format.format(new Date(date));
};
export const weekday = words({ weekday: "short" });
export const dayOfMonth = words({ day: "numeric" });
export const longDay = words({ weekday: "long", day: "numeric", month: "long" });

/** The seven days from a date on, as a title. */
export function weekOf(date, isShort) {
  const options = isShort ? { month: "short" } : { month: "long", year: "numeric" };
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", ...options });
  return format.formatRange(new Date(date), new Date(plus(date, 6)));
}
