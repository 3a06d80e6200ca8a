import { useSyncExternalStore } from 'react';
import { formatAge } from './format.ts';
import { useChoice } from './preferences.ts';

const TICK_MS = 1_000;
const listeners = new Set<() => void>();
let second = now();
let timer: number | undefined;

function now(): number {
  return Math.floor((performance.timeOrigin + performance.now()) / TICK_MS) * TICK_MS;
}

/** One timer for all times of the page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= window.setInterval(() => {
    second = now();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
}

const useSecond = (): number => useSyncExternalStore(subscribe, () => second);

const absolute = (text: string): string =>
  new Date(text).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** A time as the reader wants it, with the other form at hand. @param both For pages about one thing. */
export function When({ at, both = false }: { readonly at: string | null | undefined; readonly both?: boolean }) {
  const text = at ?? '';
  const choice = useChoice('times');
  const current = useSecond();
  // Entries of a genesis file have the time 0.
  if (!(Date.parse(text) > 0)) return <>–</>;
  const age = formatAge(current + TICK_MS - Date.parse(text));
  const label = both ? `${absolute(text)} (${age})` : choice === 'absolute' ? absolute(text) : age;
  return (
    <time dateTime={text} title={choice === 'absolute' && !both ? age : absolute(text)}>
      {label}
    </time>
  );
}
