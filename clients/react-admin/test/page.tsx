import { render } from "@testing-library/react";
import { CoreAdminContext, TestMemoryRouter, memoryStore, useSaveContext } from "ra-core";
import type { ReactNode } from "react";

import type { CrudDataProvider } from "../src/index.js";

/** Renders a part of an admin page. */
export function show(dataProvider: CrudDataProvider, children: ReactNode) {
  render(
    <TestMemoryRouter>
      <CoreAdminContext dataProvider={dataProvider} store={memoryStore()}>{children}</CoreAdminContext>
    </TestMemoryRouter>,
  );
}

export const Save = () => {
  const context = useSaveContext();
  return <button type="submit" disabled={context.saving ?? false}>Save</button>;
};
