import type { Session } from "@crud-runtime/client";
import type { AuthProvider } from "ra-core";

import { parseAnswer, withHttpErrors } from "./problem.js";

interface Profile {
  user_id: string;
  roles: string[];
}

/** The auth provider of a session. Permissions are the user's roles, as a list of strings. */
export function crudAuthProvider(session: Session): AuthProvider {
  const profile = async () => (await parseAnswer(await session.fetch(`${session.url}/profile`))) as Profile;

  return {
    login: ({ username, password }: { username: string; password: string }) =>
      withHttpErrors(session.login(username, password)),

    logout: () => session.logout(),

    async checkAuth() {
      if (session.username() === null) throw new Error("ra.auth.auth_check_error");
    },

    // The session has refreshed its token by then, where that was possible. 403 is for users that are logged in.
    async checkError(error: { status?: number }) {
      if (error.status === 401) throw new Error("ra.auth.auth_check_error");
    },

    async getIdentity() {
      const fullName = session.username();
      // The identity that react-admin has without an auth provider.
      if (fullName === null) return { id: "" };
      return { id: (await profile()).user_id, fullName };
    },

    async getPermissions() {
      return session.username() === null ? [] : (await profile()).roles;
    },
  };
}
