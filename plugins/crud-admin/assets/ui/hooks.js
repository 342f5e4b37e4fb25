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

/** Listens to events of the window by functions of their names, which may be others each time. */
export function useListeners(listeners) {
  const latest = useRef();
  latest.current = listeners;
  useEffect(() => {
    const names = Object.keys(listeners);
    const heard = (event) => latest.current[event.type](event);
    for (const name of names) addEventListener(name, heard);
    return () => {
      for (const name of names) removeEventListener(name, heard);
    };
  }, []);
}

/** Calls a function on a key, wherever the focus is. */
export const useKey = (matches, act) => useListeners({
  keydown: (event) => !event.defaultPrevented && !event.isComposing && matches(event) && act(event),
});

/** Whether a key is typed into a field. */
export const isTyping = ({ target }) => target.closest?.("input, textarea, select, [contenteditable]") !== null;

/** Calls a function on a click outside of an element, and on Escape. */
export const useOutside = (ref, isOpen, close) => useListeners({
  pointerdown: (event) => isOpen && !ref.current?.contains(event.target) && close(),
  keydown: (event) => {
    if (!isOpen || event.key !== "Escape") return;
    event.preventDefault();
    close();
  },
});
