import type { ResourceEvent } from "./events/event.js";
import type { CallOptions, EventOptions, Key } from "./resource.js";

/** The JSON of the answers of an operation that succeed. */
type Answer<Operation> = Operation extends { responses: infer Responses }
  ? { [Status in keyof Responses]: Status extends 200 | 201 ? Json<Responses[Status]> : never }[keyof Responses]
  : never;

type Json<Response> = Response extends { content: { "application/json": infer Body } } ? Body : never;

type Body<Operation> = Operation extends { requestBody?: infer Request } ? Json<NonNullable<Request>> : never;

/** The query parameters of an operation. `undefined` is not sent. */
type QueryOf<Operation> = Operation extends { parameters: { query?: infer Query } } ? Optional<NonNullable<Query>> : never;

type Optional<Query> = { [Name in keyof Query]: Query[Name] | undefined };

type Item<Page> = Page extends { data: (infer Record)[] } ? Record : Page extends (infer Record)[] ? Record : never;

/** The operation of a method of a path, or `never`. */
type At<Paths, Path extends string, Method extends string> = Path extends keyof Paths
  ? Paths[Path] extends { [M in Method]: infer Operation }
    ? Operation
    : never
  : never;

/** `Methods`, where the operation is there. */
type Where<Operation, Methods> = [Operation] extends [never] ? unknown : Methods;

/** A record by its key, or one that was read: then the request requires that it is the same still. */
type Target<Record> = Key | (Record & object);

/** The parameters of a list that are no filters. */
type NoFilter = "sort" | "limit" | "skip" | "cursor" | "fields" | "expand" | "q" | "include_deleted" | "only_deleted";

/** The names of the `POST` routes below a record, transitions among them. */
type Action<Paths, Path extends string> = {
  [P in keyof Paths]: P extends `${Path}/{id}/${infer Name}` ? ([At<Paths, P, "post">] extends [never] ? never : Name) : never;
}[keyof Paths];

/** Of a resource at a path, the methods that the service has. */
export type ResourceOf<Paths, Path extends string> = Methods<
  Paths,
  Path,
  Answer<At<Paths, `${Path}/{id}`, "get">>,
  At<Paths, Path, "get">
>;

type Methods<Paths, Path extends string, Record, List> = Where<
  List,
  {
    /** A page of records. */
    list(query?: QueryOf<List>, options?: CallOptions): Promise<Answer<List>>;
    /** Each record of a list, one page after the other. */
    each(query?: QueryOf<List>, options?: CallOptions): AsyncIterable<Item<Answer<List>>>;
  }
> &
  Where<
    At<Paths, `${Path}/search`, "post">,
    {
      /** A page of the records that satisfy a condition in JSON. */
      search(
        body?: Body<At<Paths, `${Path}/search`, "post">>,
        options?: CallOptions,
      ): Promise<Answer<At<Paths, `${Path}/search`, "post">>>;
    }
  > &
  Where<
    At<Paths, `${Path}/{id}`, "get">,
    {
      /** A record by its key; of a record that was read before, its newest version. */
      get(
        target: Target<Record>,
        query?: QueryOf<At<Paths, `${Path}/{id}`, "get">>,
        options?: CallOptions,
      ): Promise<Record>;
    }
  > &
  Where<
    At<Paths, Path, "post">,
    { create(body: Body<At<Paths, Path, "post">>, options?: CallOptions): Promise<Answer<At<Paths, Path, "post">>> }
  > &
  Where<
    At<Paths, `${Path}/{id}`, "patch">,
    {
      /**
       * Changes the fields that the body has. A record that was read is changed only if it is the same still: another one is
       * the problem `precondition_failed`. A key changes whatever is there.
       */
      update(
        target: Target<Record>,
        body: Body<At<Paths, `${Path}/{id}`, "patch">>,
        options?: CallOptions,
      ): Promise<Record>;
    }
  > &
  Where<
    At<Paths, `${Path}/{id}`, "delete">,
    {
      /** Deletes a record: one that was read, only if it is the same still. */
      delete(target: Target<Record>, options?: CallOptions): Promise<Answer<At<Paths, `${Path}/{id}`, "delete">>>;
    }
  > &
  Where<
    At<Paths, `${Path}/{id}/restore`, "post">,
    { restore(target: Target<Record>, options?: CallOptions): Promise<Record> }
  > &
  Where<
    At<Paths, `${Path}/{id}/history`, "get">,
    {
      /** The record's entries in the audit log, oldest first. */
      history(
        target: Target<Record>,
        query?: QueryOf<At<Paths, `${Path}/{id}/history`, "get">>,
        options?: CallOptions,
      ): Promise<Answer<At<Paths, `${Path}/{id}/history`, "get">>>;
    }
  > &
  Where<
    At<Paths, `${Path}/events`, "get">,
    {
      /**
       * The changes of the records that satisfy the filters, as they come. After a `reset`, list the records again.
       *
       * @throws CrudError if the service refuses the filters or the session. A network that fails is waited for.
       */
      events(
        query?: Omit<QueryOf<List>, NoFilter>,
        options?: EventOptions,
      ): AsyncIterable<ResourceEvent<Record>>;
      /** The records of a list, and again after each change, until the signal is aborted. */
      live(query?: QueryOf<List>, options?: { signal?: AbortSignal }): AsyncIterable<readonly Item<Answer<List>>[]>;
    }
  > &
  Where<
    Action<Paths, Path>,
    {
      /** A transition, such as `act(order, "ship")`, or another `POST` below the record. */
      act<Name extends Action<Paths, Path> & string>(
        target: Target<Record>,
        name: Name,
        body?: Body<At<Paths, `${Path}/{id}/${Name}`, "post">>,
        options?: CallOptions,
      ): Promise<Answer<At<Paths, `${Path}/{id}/${Name}`, "post">>>;
    }
  >;

/** The resources of a document by their paths without the first slash: those with a route of one record. */
export type ResourcesOf<Paths> = {
  [P in keyof Paths as P extends `/${infer Name}/{id}` ? (Name extends `${string}{${string}` ? never : Name) : never]: P extends `${infer Path}/{id}`
    ? ResourceOf<Paths, Path>
    : never;
};
