// The types of the vendored file, which the page's modules import.

type Node = unknown;
type Cleanup = void | undefined | (() => void);

export function html(strings: TemplateStringsArray, ...values: unknown[]): Node;
export function h(component: unknown, properties: object | null, ...children: unknown[]): Node;
export function render(node: Node, parent: Element): void;
export const Fragment: unknown;
export function createContext<T>(value: T): { Provider: unknown };

export function useState<T = any>(initial?: T | (() => T)): [T, (next: T | ((before: T) => T)) => void];
export function useEffect(effect: () => Cleanup, keys?: unknown[]): void;
export function useLayoutEffect(effect: () => Cleanup, keys?: unknown[]): void;
export function useRef<T = any>(value?: T): { current: T };
export function useMemo<T>(make: () => T, keys: unknown[]): T;
export function useCallback<T>(call: T, keys: unknown[]): T;
export function useContext<T>(context: T): any;
export function useReducer<T, A>(reduce: (before: T, action: A) => T, initial: T): [T, (action: A) => void];
export function useErrorBoundary(): [unknown, () => void];
export function useId(): string;
