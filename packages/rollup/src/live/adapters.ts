import type { Live } from './store.ts';

/*
 * Live values as the values of frameworks. Each takes the functions that it needs from the framework, so that a page loads no other one.
 * Svelte takes live values unchanged.
 */

type UseStore = <T>(subscribe: (run: () => void) => () => void, get: () => T, getOnServer: () => T) => T;
type ToSignal = <T>(value: T, options: { watched(): void; unwatched(): void }) => { value: T };

interface Vue {
  shallowRef<T>(value: T): { value: T };
  onScopeDispose(end: () => void): void;
}

/**
 * A hook for live values, by `useSyncExternalStore` of React or `preact/compat`. Create them outside of components, or by `useMemo`.
 * @example
 * ```ts
 * import { useSyncExternalStore } from 'preact/compat';
 *
 * const useLive = liveHook(useSyncExternalStore);
 * const total = liveClient(counter, { url: location.origin }).live((ask) => ask.total());
 * const Total = () => `${useLive(total).value?.total ?? '…'}`;
 * ```
 */
export function liveHook(useStore: UseStore): <T>(live: Live<T>) => T {
  return ({ subscribe, get }) => useStore(subscribe, get, get);
}

/**
 * Signals of Preact for live values, which follow them while something subscribes to the signal.
 * @example
 * ```ts
 * import { effect, signal } from '@preact/signals-core';
 *
 * const toSignal = liveSignal(signal);
 * const total = toSignal(liveClient(counter, { url: location.origin }).live((ask) => ask.total()));
 * effect(() => console.log(total.value.value?.total));
 * ```
 */
export function liveSignal(signal: ToSignal): <T>(live: Live<T>) => { readonly value: T } {
  return (live) => {
    let stop = (): void => undefined;
    const made = signal(live.get(), {
      watched() {
        stop = live.subscribe((value) => {
          made.value = value;
        });
      },
      unwatched: () => stop(),
    });
    return made;
  };
}

/**
 * Refs of Vue for live values, which follow them as long as the scope in which they are made, such as the setup of a component.
 * @example
 * ```ts
 * import { onScopeDispose, shallowRef } from '@vue/reactivity';
 *
 * const toRef = liveRef({ shallowRef, onScopeDispose });
 * const total = toRef(liveClient(counter, { url: location.origin }).live((ask) => ask.total()));
 * ```
 */
export function liveRef({ shallowRef, onScopeDispose }: Vue): <T>(live: Live<T>) => { readonly value: T } {
  return (live) => {
    const made = shallowRef(live.get());
    const stop = live.subscribe((value) => {
      made.value = value;
    });
    onScopeDispose(stop);
    return made;
  };
}
