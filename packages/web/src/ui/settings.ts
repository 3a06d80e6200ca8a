/** Small texts that survive a reload. `page` is this tab alone, `browser` all of them. A browser may keep none. */
type Scope = 'page' | 'browser';

const storage = (scope: Scope): Storage => (scope === 'page' ? sessionStorage : localStorage);
const fullName = (name: string): string => `switchyard-${name}`;

export function readSetting(scope: Scope, name: string): string | undefined {
  try {
    return storage(scope).getItem(fullName(name)) ?? undefined;
  } catch {
    return undefined;
  }
}

export function writeSetting(scope: Scope, name: string, value: string): void {
  try {
    storage(scope).setItem(fullName(name), value);
  } catch {
    // Full, or not permitted: the page works without.
  }
}

/** A setting in a form of its own; undefined if there is none, or another version of the page wrote it. */
export function readStored<T>(scope: Scope, name: string, read: (text: string) => T): T | undefined {
  const text = readSetting(scope, name);
  try {
    return text === undefined ? undefined : read(text);
  } catch {
    return undefined;
  }
}
