// Hooks that several parts share.

import { useCallback, useEffect, useRef, useState } from "../vendor/preact.js";

/**
 * What a function loads, again whenever `keys` change. What was there stays until the next is there, so that nothing
 * jumps; `isLate` is true after 300 ms without anything to show.
 */
export function useLoad(load, keys) {
  const [state, setState] = useState({ data: null, error: null, isLoading: true });
  const [round, setRound] = useState(0);
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const abort = new AbortController();
    const late = setTimeout(() => setLate(true), 300);
    setState((before) => ({ ...before, isLoading: true }));
    Promise.resolve(load(abort.signal)).then(
      (data) => !abort.signal.aborted && setState({ data, error: null, isLoading: false }),
      (error) => !abort.signal.aborted && setState((before) => ({ ...before, error, isLoading: false })),
    ).finally(() => {
      clearTimeout(late);
      if (!abort.signal.aborted) setLate(false);
    });
    return () => {
      clearTimeout(late);
      abort.abort();
    };
  }, [...keys, round]);
  const reload = useCallback(() => setRound((round) => round + 1), []);
  const set = useCallback((data) => setState({ data, error: null, isLoading: false }), []);
  return { ...state, isLate: isLate && state.isLoading && state.data === null, reload, set };
}

/** A value that follows another one once that has not changed for a while. */
export function useSettled(value, delay = 250) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delay);
    return () => clearTimeout(timer);
  }, [value, delay]);
  return settled;
}

/** Calls a function on a key, wherever the focus is. */
export function useKey(matches, act) {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const pressed = (event) => {
      if (!event.defaultPrevented && !event.isComposing && matches(event)) latest.current(event);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

/** Whether a key is typed into a field. */
export const isTyping = ({ target }) => target.closest?.("input, textarea, select, [contenteditable]") !== null;

/** Calls a function on a click outside of an element, and on Escape. */
export function useOutside(ref, isOpen, close) {
  useEffect(() => {
    if (!isOpen) return undefined;
    const clicked = (event) => !ref.current?.contains(event.target) && close();
    const pressed = (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      close();
    };
    addEventListener("pointerdown", clicked);
    addEventListener("keydown", pressed);
    return () => {
      removeEventListener("pointerdown", clicked);
      removeEventListener("keydown", pressed);
    };
  }, [isOpen]);
}
