/** What other clients of a service are made of: JSON without rounded integers, and answers as values or errors. */

export { integer, isSame, parse, stringify } from "./json.js";
export { parseAnswer } from "./problem.js";
export { list } from "./query.js";
