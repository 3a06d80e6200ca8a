import type { Field } from '@switchyard/service/settings';

/** A place in a file, for people. */
export interface Source {
  readonly file: string;
  readonly key: string;
}

/** A value that another process or the stack decides, with the place that states it. */
export interface Followed {
  readonly value: string;
  readonly from: Source;
  /** It also takes precedence over settings that all services share. */
  readonly overrides?: true;
  /** How bad it is if a file states another value for the process; it may, if absent. */
  readonly differs?: 'error' | 'warning';
  /** A new file states it for its process, since the settings that all services share are meant for another network. */
  readonly written?: true;
}

/** An address, a path or a name: given plainly, or stated elsewhere. */
export type Text = string | Followed;

export type Value = Text | number | bigint | boolean | undefined;

/** A setting of a process, and its value; an undefined value leaves the setting to its default. */
export type Entry = readonly [field: Field<unknown>, value: Value];

export const toText = (value: Exclude<Value, undefined>): string =>
  typeof value === 'object' ? value.value : String(value);

/** Changes the value and keeps the place that states it. */
export function mapText<T extends Text>(text: T, change: (value: string) => string): T;
export function mapText(text: Text, change: (value: string) => string): Text {
  return typeof text === 'string' ? change(text) : { ...text, value: change(text.value) };
}

/** One value from several, separated by commas; `undefined` for none. */
export function joined(texts: readonly Text[]): Text | undefined {
  const [first] = texts;
  return first === undefined ? undefined : mapText(first, () => texts.map(toText).join(','));
}

/** The URL of a listener; one on all interfaces is called on loopback. */
export function getUrl(listener: Text): Text {
  return mapText(listener, (address) => {
    if (/^(unix:|https?:\/\/)/i.test(address)) return address;
    return `http://${address.replace(/^(0\.0\.0\.0|\[::\])?(?=:\d+$)/, '127.0.0.1')}`;
  });
}

/** The listener of a URL of this machine; `undefined` for one with a name, which may be that of a proxy. */
export function findListener(url: Followed): Followed | undefined {
  const value = /^http:\/\/(\d+\.\d+\.\d+\.\d+:\d+|\[[0-9a-f:]+\]:\d+)\/?$/i.exec(url.value)?.[1];
  return value === undefined ? undefined : { ...url, value };
}

/** Origins of a page on this machine. A browser tells the names of one machine apart. */
export function getOrigins(url: string): string {
  const { origin } = new URL(url);
  return [...new Set([origin, origin.replace('//127.0.0.1:', '//localhost:')])].join(',');
}

/** Environment variables of a process, without the settings that have no value. */
export function settingsIn(entries: readonly Entry[]): Record<string, string> {
  return Object.fromEntries(
    entries.flatMap(([{ names }, value]) => (value === undefined ? [] : [[names[0], toText(value)]])),
  );
}
