// What the page's modules import: the source of assets/vendor/preact.js.

import htm from "htm";
import { h } from "preact";

export { Fragment, createContext, h, render } from "preact";
export {
  useCallback, useContext, useEffect, useErrorBoundary, useId, useLayoutEffect, useMemo, useReducer, useRef, useState,
} from "preact/hooks";

export const html = htm.bind(h);
