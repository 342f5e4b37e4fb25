/** The members of every event of a record. */
interface RecordEvent {
  /** Its place in the service's log: larger than those of the events before it. */
  id: string;
  /** Such as `product.created`, `product.updated`, `product.removed`, or a name of the program's. */
  type: `${string}.${string}`;
  timestamp: string;
  /** The resource's path, such as `products`. */
  resource: string;
  record_id: string | number;
}

/** A record has changed: `data` is the record as it is now, or `null` if it has left what the reader asked for. */
export interface Change<Record> extends RecordEvent {
  changed?: string[];
  data: Record | null;
  record?: undefined;
}

/** An event that the program publishes, with the record that it is about. */
export interface ProgramEvent<Record> extends RecordEvent {
  data: unknown;
  record: Record;
}

/** The service no longer has the events since the last one: list the records again. */
export interface Reset {
  id: string;
  type: "reset";
  data?: undefined;
  record?: undefined;
}

/** An event of a resource: `if (event.type === "reset") …`, then `if (event.record) …` for those of the program. */
export type ResourceEvent<Record> = Change<Record> | ProgramEvent<Record> | Reset;

/** An event as it arrives, with the name of the view that it is for. */
export type Arrived = ResourceEvent<{ readonly [field: string]: unknown }> & { subscription?: string };

/** The order of two marks. Marks are whole numbers as text, of any size. */
export const compareMarks = (left: string, right: string): number =>
  left.length - right.length || (left < right ? -1 : Number(left > right));

/** Whether a mark is after another one. */
export const isAfter = (mark: string, other: string | null): boolean => other === null || compareMarks(mark, other) > 0;
