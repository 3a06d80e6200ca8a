import { createFollowed } from './followed.ts';
import { formatAge } from './format.ts';
import { useChoice } from './preferences.ts';

const TICK_MS = 1_000;

function now(): number {
  return Math.floor((performance.timeOrigin + performance.now()) / TICK_MS) * TICK_MS;
}

/** One timer for all times of the page. */
const second = createFollowed(now(), (set) => {
  const timer = window.setInterval(() => set(now()), TICK_MS);
  return () => window.clearInterval(timer);
});

const absolute = (text: string): string =>
  new Date(text).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** A time as the reader wants it, with the other form at hand. @param both For pages about one thing. */
export function When({ at, both = false }: { readonly at: string | null | undefined; readonly both?: boolean }) {
  const text = at ?? '';
  const choice = useChoice('times');
  const current = second.useValue();
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
