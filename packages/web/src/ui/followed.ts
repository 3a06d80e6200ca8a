import { useSyncExternalStore } from 'react';

/**
 * A value outside of all components, and a hook that renders again when it changes.
 *
 * @param start Called when the first component follows it. The returned function is called after the last one.
 */
export function createFollowed<T>(first: T, start?: (set: (next: T) => void) => () => void) {
  let value = first;
  let stop: (() => void) | undefined;
  const listeners = new Set<() => void>();
  const set = (next: T) => {
    value = next;
    for (const listener of listeners) listener();
  };
  const subscribe = (listener: () => void) => {
    if (listeners.size === 0) stop = start?.(set);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) stop?.();
    };
  };
  return {
    get: () => value,
    set,
    useValue: (): T => useSyncExternalStore(subscribe, () => value),
  };
}
