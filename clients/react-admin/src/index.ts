export { crudAuthProvider } from "./authProvider.js";
export { crudDataProvider } from "./dataProvider.js";
export type { CrudDataProvider, DataProviderOptions } from "./dataProvider.js";
export type { ResourceSettings } from "./endpoint.js";
export { createSession } from "@crud-runtime/client";
export type { Problem, ProblemPlace, Session, SessionOptions } from "@crud-runtime/client";
