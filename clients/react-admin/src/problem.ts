import { CrudError } from "@crud-runtime/client";
import type { Problem, ProblemPlace } from "@crud-runtime/client";
import { parseAnswer as parse } from "@crud-runtime/client/wire";
import { HttpError } from "ra-core";

/** How many errors a message has in full: react-admin shows it as one notification. */
const MAX_ERRORS = 5;

/** The record is not the one that the user sees: the service's 412, or the same found before the request. */
export function outdated(): HttpError {
  const message =
    "This record has changed since it was opened, so your changes are not saved. Reload the page to see the newer version.";
  return new HttpError(message, 412, { code: "precondition_failed", detail: message });
}

/** The parsed body of an answer. Failures become an {@link HttpError}. */
export function parseAnswer(answer: Response): Promise<unknown> {
  return withHttpErrors(parse(answer));
}

/** A request whose problem becomes an {@link HttpError}. */
export async function withHttpErrors<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw error instanceof CrudError ? failure(error.problem) : error;
  }
}

/**
 * The error that react-admin shows. Its `body` has `code`, `detail`, and `errors` in the form of react-admin: messages by
 * the names of form fields.
 */
function failure(problem: Problem): HttpError {
  const { status, code, errors: entries = [] } = problem;
  if (code === "unreadable") return new HttpError(problem.detail, status);
  if (code === "precondition_failed") return outdated();
  const detail = wholeDetail(problem);
  const errors = byField(entries, detail);
  return new HttpError(detail, status, { code, detail, entries, ...(errors && { errors }) });
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
function nameOf({ pointer, parameter }: ProblemPlace): string {
  return parameter ?? (pointer ? fieldName(pointer) : "the record");
}

/** Whether an error is the service's refusal of a parameter. */
export function refusesParameter(error: unknown, name: string): boolean {
  const entries = error instanceof HttpError && error.status === 422 ? (error.body?.entries as ProblemPlace[] | undefined) : [];
  return entries?.some(({ parameter }) => parameter === name) ?? false;
}

/** Whether an error says that the service has no such path. */
export function isAbsent(error: unknown): boolean {
  return error instanceof HttpError && (error.status === 404 || error.status === 405);
}

/** Messages by form field; `root.serverError` is what react-admin shows for the form as a whole. */
function byField(entries: ProblemPlace[], whole: string): Record<string, unknown> | undefined {
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
