/** A user's tokens. */
export interface Tokens {
  access: string;
  refresh: string;
  /** When the access token expires, in milliseconds since 1970. */
  expires: number;
  username: string;
}

/** Where a session has its tokens. */
export interface TokenStore {
  get(): Tokens | null;
  set(tokens: Tokens | null): void;
  /** The tabs that may have a copy of the tokens. */
  tabs?: BroadcastChannel | undefined;
}

/** Tokens until the page is left. */
export function memoryTokens(): TokenStore {
  let tokens: Tokens | null = null;
  return {
    get: () => tokens,
    set(next) {
      tokens = next;
    },
  };
}

/** Tokens until the tab is closed, under a key of `sessionStorage`. */
export function sessionTokens(key: string): TokenStore {
  return {
    get: () => JSON.parse(sessionStorage[key] ?? null) as Tokens | null,
    set(tokens) {
      if (tokens) sessionStorage[key] = JSON.stringify(tokens);
      else delete sessionStorage[key];
    },
    tabs: globalThis.BroadcastChannel && new BroadcastChannel(key),
  };
}

/** Claims of a token (RFC 7519) that differ from one login of a user to the next. */
const PASSING = ["exp", "iat", "nbf", "jti", "sid"];

/** The claims of an access token that say who the user is, with which rights. `null` if the token is not a JWT. */
export function identityOf(tokens: Tokens | null): string | null {
  if (!tokens) return "";
  try {
    const payload = tokens.access.split(".")[1]!.replace(/-/g, "+").replace(/_/g, "/");
    return JSON.stringify(JSON.parse(atob(payload)), (name, value: unknown) => (PASSING.includes(name) ? undefined : value));
  } catch {
    return null;
  }
}
