import { parse } from "./json.js";

/** One entry of a problem's `errors`: where the request is wrong, and how. */
export interface ProblemPlace {
  /** JSON Pointer (RFC 6901) to the value in the body, such as `/price`. */
  pointer?: string;
  /** The parameter of the query or the path. */
  parameter?: string;
  /** The item of a batch, counted from 0. */
  index?: number;
  status?: number;
  code: string;
  detail: string;
  /** The bounds of the rule, such as `{ max: 200 }`. */
  params?: Record<string, unknown>;
}

/** The service's answer to a failed request: RFC 9457, with a `code` for programs. */
export interface Problem {
  status: number;
  code: string;
  title: string;
  detail: string;
  errors?: ProblemPlace[];
  request_id?: string;
}

/** A request that the service refused, or whose answer is none of the service. */
export class CrudError extends Error {
  override readonly name = "CrudError";

  constructor(
    readonly problem: Problem,
    /** The answer's headers: `Retry-After`, for example. */
    readonly headers: Headers = new Headers(),
  ) {
    super(problem.detail);
  }

  get status(): number {
    return this.problem.status;
  }

  get code(): string {
    return this.problem.code;
  }
}

/** A problem that the client finds. */
export function problem(status: number, code: string, title: string, detail = title): CrudError {
  return new CrudError({ status, code, title, detail });
}

/** What a request came to: its value, or the problem. */
export type Attempt<T> = { data: T; problem?: never } | { data?: never; problem: Problem };

/**
 * The outcome of a request as a value:
 *
 * ```ts
 * const { data, problem } = await attempt(crud.products.create({ name: "" }));
 * if (problem) show(problem.errors);
 * ```
 *
 * Only problems are values: a network that fails is thrown still.
 */
export async function attempt<T>(request: Promise<T>): Promise<Attempt<T>> {
  try {
    return { data: await request };
  } catch (error) {
    if (error instanceof CrudError) return { problem: error.problem };
    throw error;
  }
}

/**
 * The parsed body of an answer; `null` of an empty one.
 *
 * @throws CrudError of a failed request. An answer that no service wrote, such as a proxy's page, has the code `unreadable`.
 */
export async function parseAnswer(answer: Response): Promise<unknown> {
  const text = await answer.text();
  let value: unknown = null;
  let isJson = true;
  try {
    value = text === "" ? null : parse(text);
  } catch {
    isJson = false;
  }
  if (answer.ok && isJson) return value;
  throw new CrudError(isProblem(value) ? value : unreadable(answer), answer.headers);
}

function unreadable({ ok, status, statusText }: Response): Problem {
  const title = statusText || `Status ${status}`;
  return { status, code: "unreadable", title, detail: ok ? "The answer is not JSON" : title };
}

function isProblem(value: unknown): value is Problem {
  return typeof value === "object" && value !== null && "detail" in value && "code" in value;
}
