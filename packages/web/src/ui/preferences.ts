import { useSyncExternalStore } from 'react';
import { readSetting, writeSetting } from './settings.ts';

/* Choices of a reader, kept in the browser if it keeps anything. */

interface Choices {
  readonly theme: 'system' | 'light' | 'dark';
  readonly times: 'relative' | 'absolute';
}

export const CHOICES: { readonly [K in keyof Choices]: readonly Choices[K][] } = {
  theme: ['system', 'light', 'dark'],
  times: ['relative', 'absolute'],
};

const listeners = new Set<() => void>();
const chosen: { [K in keyof Choices]: Choices[K] } = { theme: read('theme'), times: read('times') };

function read<K extends keyof Choices>(name: K): Choices[K] {
  const [standard] = CHOICES[name];
  const kept = readSetting('browser', name);
  return CHOICES[name].find((each) => each === kept) ?? (standard as Choices[K]);
}

function apply(): void {
  document.documentElement.dataset.theme = chosen.theme;
}

export function choose<K extends keyof Choices>(name: K, choice: Choices[K]): void {
  chosen[name] = choice;
  writeSetting('browser', name, choice);
  apply();
  for (const listener of listeners) listener();
}

export function useChoice<K extends keyof Choices>(name: K): Choices[K] {
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return useSyncExternalStore(subscribe, () => chosen[name]);
}

apply();
