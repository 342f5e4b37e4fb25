// Source of assets/vendor/preact.js: the names that the page's modules import.

import htm from "htm";
import { h } from "preact";

export { Fragment, createContext, h, render } from "preact";
export {
  useCallback, useContext, useEffect, useErrorBoundary, useId, useLayoutEffect, useMemo, useReducer, useRef, useState,
} from "preact/hooks";

export const html = htm.bind(h);
