// The types of what the page uses of events.js.

interface Asked {
  resource: string;
  where: object;
  mark: string | null;
}

interface Source {
  url: string;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  timing: object;
}

export const TIMING: object;
export function createEvents(
  source: Source,
  share: () => string | null,
): { follow(asked: Asked, signal?: AbortSignal): AsyncIterable<object[]>; end(isSameUser: boolean): void };
