import { createFollowed } from './followed.ts';
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

const chosen = createFollowed<Choices>({ theme: read('theme'), times: read('times') });

function read<K extends keyof Choices>(name: K): Choices[K] {
  const [standard] = CHOICES[name];
  const kept = readSetting('browser', name);
  return CHOICES[name].find((each) => each === kept) ?? (standard as Choices[K]);
}

function apply(): void {
  document.documentElement.dataset.theme = chosen.get().theme;
}

export function choose<K extends keyof Choices>(name: K, choice: Choices[K]): void {
  chosen.set({ ...chosen.get(), [name]: choice });
  writeSetting('browser', name, choice);
  apply();
}

export const useChoice = <K extends keyof Choices>(name: K): Choices[K] => chosen.useValue()[name];

apply();
