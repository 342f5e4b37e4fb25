import { HttpError } from "ra-core";

import { parse } from "./json.js";

/** One entry of a problem document's `errors`. */
export interface ProblemEntry {
  /** JSON Pointer to the value in the body, such as `/price`. */
  pointer?: string;
  /** The parameter of the query or the path. */
  parameter?: string;
  /** The item of a batch, counted from 0. */
  index?: number;
  status?: number;
  code: string;
  detail: string;
}

/** The service's answer to a failed request: RFC 9457, with a `code` for programs. */
export interface Problem {
  status: number;
  code: string;
  detail: string;
  errors?: ProblemEntry[];
}

/** How many errors a message has in full: react-admin shows it as one notification. */
const MAX_ERRORS = 5;

/** The record is not the one that the user sees: the service's 412, or the same found before the request. */
export function outdated(): HttpError {
  const message =
    "This record has changed since it was opened, so your changes are not saved. Reload the page to see the newer version.";
  return new HttpError(message, 412, { code: "precondition_failed", detail: message });
}

/** The parsed body of an answer. Failures become an {@link HttpError}. */
export async function parseAnswer(answer: Response): Promise<unknown> {
  const text = await answer.text();
  let value: unknown = null;
  try {
    value = text === "" ? null : parse(text);
  } catch {
    // A proxy's page of HTML, for example.
    if (answer.ok) throw new HttpError("The answer is not JSON", answer.status);
  }
  if (answer.ok) return value;
  throw failure(answer, isProblem(value) ? value : undefined);
}

/**
 * The error that react-admin shows. Its `body` has `code`, `detail`, and `errors` in the form of react-admin: messages by
 * the names of form fields.
 */
function failure(answer: Response, problem: Problem | undefined): HttpError {
  if (!problem) return new HttpError(answer.statusText || `Status ${answer.status}`, answer.status);
  const { code, errors: entries = [] } = problem;
  if (code === "precondition_failed") return outdated();
  const detail = wholeDetail(problem);
  const errors = byField(entries, detail);
  return new HttpError(detail, answer.status, { code, detail, entries, ...(errors && { errors }) });
}

/** The first errors in full, where the service's own sentence has one and the number of the others. */
function wholeDetail({ detail, errors = [] }: Problem): string {
  // An answer about several records names each with its errors.
  if (errors.length < 2 || errors.some(({ index }) => index !== undefined)) return detail;
  const lines = errors.slice(0, MAX_ERRORS).map((entry) => `${nameOf(entry)}: ${entry.detail}`);
  const others = errors.length - lines.length;
  return lines.join("; ") + (others > 0 ? `; and ${others} more errors` : "");
}

/** The field or parameter that an error is at. */
function nameOf({ pointer, parameter }: ProblemEntry): string {
  return parameter ?? (pointer ? fieldName(pointer) : "the record");
}

/** Whether an error is the service's refusal of a parameter. */
export function refusesParameter(error: unknown, name: string): boolean {
  const entries = error instanceof HttpError && error.status === 422 ? (error.body?.entries as ProblemEntry[] | undefined) : [];
  return entries?.some(({ parameter }) => parameter === name) ?? false;
}

/** Whether an error says that the service has no such path. */
export function isAbsent(error: unknown): boolean {
  return error instanceof HttpError && (error.status === 404 || error.status === 405);
}

/** Messages by form field; `root.serverError` is what react-admin shows for the form as a whole. */
function byField(entries: ProblemEntry[], whole: string): Record<string, unknown> | undefined {
  const fields: Record<string, string> = {};
  for (const { pointer, index, detail } of entries) {
    // An item of a batch has no form.
    if (!pointer || index !== undefined) continue;
    const name = fieldName(pointer);
    fields[name] = fields[name] ? `${fields[name]}; ${detail}` : detail;
  }
  if (Object.keys(fields).length === 0) return undefined;
  return { ...fields, root: { serverError: whole } };
}

/** `/lines/0/price` is `lines.0.price`. */
function fieldName(pointer: string): string {
  const parts = pointer.split("/").slice(1);
  return parts.map((part) => part.replace(/~1/g, "/").replace(/~0/g, "~")).join(".");
}

function isProblem(value: unknown): value is Problem {
  return typeof value === "object" && value !== null && "detail" in value && "code" in value;
}
