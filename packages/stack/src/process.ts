import type { Field, standardFields } from '@switchyard/service/settings';

/** Programs of ours, in the order in which a local network starts them; they stop in the reverse. */
export const PROGRAM_NAMES = [
  ...([
    'sequencer',
    'composer',
    'messenger',
    'evm',
    'da',
    'relayer',
    'conductor',
    'withdrawer',
    'faucet',
    'explorer',
  ] as const),
] as const;

export type ProgramName = (typeof PROGRAM_NAMES)[number];

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
  /** How bad it is where a file states another value for the process; it may, if absent. */
  readonly differs?: 'error' | 'warning';
  /** A new file states it for its process, since the settings that all services share are meant for another network. */
  readonly written?: true;
}

/** An address, a path or a name: a plain one, or one that is stated elsewhere. */
export type Text = string | Followed;

export type Value = Text | number | bigint | boolean | undefined;

/** A setting of a process, and its value; an undefined value leaves the setting to its default. */
export type Entry = readonly [field: Field<unknown>, value: Value];

export interface Listener {
  /** The setting with its address. */
  readonly field: Field<unknown>;
  /** Purpose, for people. */
  readonly use: string;
  /** Only bound where the sequencer runs by this engine. */
  readonly engine?: 'solo' | 'cometbft';
}

type StandardFields = ReturnType<typeof standardFields>;
export type ProgramFields = StandardFields & Readonly<Record<string, Field<unknown>>>;

/** Facts for running one of our programs, wherever it runs. */
export interface Program<F extends ProgramFields = ProgramFields> {
  readonly name: ProgramName;
  /** Heading of its settings in a file. */
  readonly title: string;
  /** Every setting that it has. */
  readonly fields: F;
  /** Everything it listens on except its metrics. */
  readonly listeners: Readonly<Record<string, Listener>>;
  /** Which listener answers over HTTP whether it is ready, and where. */
  readonly ready: { readonly listener: string; readonly path: string };
  /** Programs that it may call. Each waits for the others on its own, so all are started at once. */
  readonly needs: readonly ProgramName[];
  /** The setting that names the directory of its state, which no other process may use. */
  readonly store?: Field<unknown>;
  /** The setting that leaves it out of a network if it is false. */
  readonly enabled?: Field<unknown>;
  /** Settings that every network states for itself: they must not reach another one by a file that networks share. */
  readonly unshared?: readonly Field<unknown>[];
  /** Defaults that a new file of settings spells out, so that people find and change them. */
  readonly documented?: readonly Field<unknown>[];
  readonly memory: Memory;
}

export interface Memory {
  /**
   * Megabytes of Node's young generation. A small one keeps memory small; bytes that wait for their block outlive it, and
   * would be collected at a higher price.
   */
  readonly young: number;
  /**
   * Megabytes of the heap on a machine without another bound. Node collects late if the bound is the machine's memory, and
   * is no faster for it; the processes through which all bytes pass would collect all the time within a small one.
   */
  readonly heap?: number;
}

/** Values of a program's settings, by the names of its table. */
export type ValuesFor<F> = { readonly [K in keyof F]?: Value };

/** Settings of a program in the order of their values. */
export function settingsFor<F extends ProgramFields>(program: Program<F>, values: ValuesFor<NoInfer<F>>): Entry[] {
  const { fields }: { readonly fields: Readonly<Record<string, Field<unknown> | undefined>> } = program;
  return Object.entries(values).flatMap(([name, value]): Entry[] => {
    const field = fields[name];
    if (field === undefined) throw new Error(`${program.name} has no setting ${name}`);
    return [[field, value]];
  });
}

export const textOf = (value: Exclude<Value, undefined>): string =>
  typeof value === 'object' ? value.value : String(value);

/** Changes the value and keeps the place that states it. */
export function mapText<T extends Text>(text: T, change: (value: string) => string): T;
export function mapText(text: Text, change: (value: string) => string): Text {
  return typeof text === 'string' ? change(text) : { ...text, value: change(text.value) };
}

/** One value from several, separated by commas; `undefined` for none. */
export function joined(texts: readonly Text[]): Text | undefined {
  const [first] = texts;
  return first === undefined ? undefined : mapText(first, () => texts.map(textOf).join(','));
}

/** The URL of a listener; one on all interfaces is called on loopback. */
export function urlOf(listener: Text): Text {
  return mapText(listener, (address) => {
    if (/^(unix:|https?:\/\/)/i.test(address)) return address;
    return `http://${address.replace(/^(0\.0\.0\.0|\[::\])?(?=:\d+$)/, '127.0.0.1')}`;
  });
}

/** The listener of a URL of this machine; `undefined` for one with a name, which may be that of a proxy. */
export function listenerOf(url: Followed): Followed | undefined {
  const value = /^http:\/\/(\d+\.\d+\.\d+\.\d+:\d+|\[[0-9a-f:]+\]:\d+)\/?$/i.exec(url.value)?.[1];
  return value === undefined ? undefined : { ...url, value };
}

/** Origins of a page on this machine. A browser tells the names of one machine apart. */
export function originsOf(url: string): string {
  const { origin } = new URL(url);
  return [...new Set([origin, origin.replace('//127.0.0.1:', '//localhost:')])].join(',');
}

/** Environment variables of a process, without the settings that have no value. */
export function settingsIn(entries: readonly Entry[]): Record<string, string> {
  return Object.fromEntries(
    entries.flatMap(([{ names }, value]) => (value === undefined ? [] : [[names[0], textOf(value)]])),
  );
}
