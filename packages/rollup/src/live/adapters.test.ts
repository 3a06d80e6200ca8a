import { effect, signal } from '@preact/signals-core';
import { effectScope, onScopeDispose, shallowRef, effect as vueEffect } from '@vue/reactivity';
import { h, render } from 'preact';
import { useSyncExternalStore } from 'preact/compat';
import { expect, test, vi } from 'vitest';
import { liveHook, liveRef, liveSignal } from './adapters.ts';
import { Value } from './store.ts';

/** Preact subscribes, and ends subscriptions, behind a frame. */
const DEADLINE = { timeout: 10_000 };

const counted = () => {
  const count = { of: 0 };
  return { count, live: new Value('a', (subscribers) => Object.assign(count, { of: subscribers })) };
};

/** The part of a document that Preact needs for a text. */
class Host {
  readonly childNodes: { data: string }[] = [];
  readonly ownerDocument = this;
  get firstChild() {
    return this.childNodes[0] ?? null;
  }
  createTextNode = (data: string) => ({ data, parentNode: this, remove: () => void this.childNodes.pop() });
  insertBefore = (child: { data: string }) => void this.childNodes.push(child);
}

test('a component renders each value, and ends its subscription', async () => {
  const { live, count } = counted();
  const useLive = liveHook(useSyncExternalStore);
  const host = new Host();
  Object.assign(globalThis, { document: host });
  const parent = host as unknown as Parameters<typeof render>[1];
  render(
    h(() => useLive(live), {}),
    parent,
  );
  await vi.waitFor(() => expect(count.of).toBe(1), DEADLINE);
  expect(host.firstChild?.data).toBe('a');
  live.set('b');
  await vi.waitFor(() => expect(host.firstChild?.data).toBe('b'), DEADLINE);
  render(null, parent);
  await vi.waitFor(() => expect(count.of).toBe(0), DEADLINE);
});

test('a signal has each value while something subscribes to it', () => {
  const { live, count } = counted();
  const shown = liveSignal(signal)(live);
  expect([shown.value, count.of]).toEqual(['a', 0]);
  live.set('b');
  const seen: string[] = [];
  const stop = effect(() => void seen.push(shown.value));
  live.set('c');
  expect([seen.at(-1), count.of]).toEqual(['c', 1]);
  expect(seen).toContain('b');
  stop();
  expect(count.of).toBe(0);
});

test('a ref has each value until its scope ends', () => {
  const { live, count } = counted();
  const seen: string[] = [];
  const scope = effectScope();
  scope.run(() => {
    const shown = liveRef({ shallowRef, onScopeDispose })(live);
    vueEffect(() => void seen.push(shown.value));
  });
  live.set('b');
  expect([seen, count.of]).toEqual([['a', 'b'], 1]);
  scope.stop();
  live.set('c');
  expect([seen, count.of]).toEqual([['a', 'b'], 0]);
});
