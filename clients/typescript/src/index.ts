export { createCrud } from "./crud.js";
export type { Crud, CrudOptions, CrudService } from "./crud.js";
export { CrudError, attempt } from "./problem.js";
export type { Attempt, Problem, ProblemPlace } from "./problem.js";
export type { CallOptions, Key } from "./resource.js";
export { createSession } from "./session.js";
export type { Fetch, Session, SessionOptions } from "./session.js";
export type { ResourceOf, ResourcesOf } from "./types.js";
