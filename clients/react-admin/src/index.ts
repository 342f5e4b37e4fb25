export { crudAuthProvider } from "./authProvider.js";
export { crudDataProvider } from "./dataProvider.js";
export type { CrudDataProvider, DataProviderOptions } from "./dataProvider.js";
export type { ResourceSettings } from "./endpoint.js";
export { createSession } from "@crud-runtime/client";
export type { Problem, ProblemPlace, Session, SessionOptions } from "@crud-runtime/client";
export { realtimeMethods } from "./realtime.js";
export type { RealtimeEvent, RealtimeMethods } from "./realtime.js";
