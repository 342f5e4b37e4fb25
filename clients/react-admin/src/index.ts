export { crudAuthProvider } from "./authProvider.js";
export { crudDataProvider } from "./dataProvider.js";
export type { CrudDataProvider, DataProviderOptions } from "./dataProvider.js";
export type { ResourceSettings } from "./endpoint.js";
export { createSession } from "./session.js";
export type { Session, SessionOptions } from "./session.js";
export type { Problem, ProblemEntry } from "./problem.js";
