import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '@switchyard/service/failure';
import { didYouMean } from '@switchyard/service/settings';
import { makeDirectory, readText, writeNewFile } from '../dev/files/files.ts';
import { lowerKeys, parseToml } from '../dev/files/toml.ts';
import { isName, NAME_RULE } from '../dev/instance/home.ts';
import { COLOUR_NAMES, parseColour } from './colours.ts';

interface Key<T> {
  readonly fallback: T;
  /** Its comment in the file. */
  readonly help: string;
  /** Explains why a value of the right type cannot be used. */
  readonly problem?: (value: unknown) => string | undefined;
}

const flag = (fallback: boolean, help: string): Key<boolean> => ({ fallback, help });

function word<T extends string>(fallback: T, words: readonly T[], help: string): Key<T> {
  const expected = words.map((each) => `"${each}"`).join(', ');
  const problem = (value: unknown) =>
    words.some((each) => each === value)
      ? undefined
      : `expected ${expected.replace(/, (?=[^,]*$)/, ' or ')}${didYouMean(String(value), words)}`;
  return { fallback, help, problem };
}

const colour = (fallback: string, help: string): Key<string> => ({
  fallback,
  help,
  problem: (value) =>
    parseColour(String(value)) === undefined
      ? `expected a colour of the web such as "dodgerblue", or "#rrggbb"${didYouMean(String(value).toLowerCase(), COLOUR_NAMES)}`
      : undefined,
});

const MAX_LINES = 100_000;

/** Layouts of the main view: a list of the services over one log, or a log for each. */
const LAYOUTS = ['list', 'panes'] as const;
export type Layout = (typeof LAYOUTS)[number];
const POSITIONS = ['before', 'after', 'default'] as const;

/** The keys of the file, in snake case. */
const KEYS = {
  autoScroll: flag(true, 'logs follow the newest line'),
  wrapLines: flag(false, 'long lines continue in the next row; else they are cut'),
  borderless: flag(false, 'the full-screen view starts without its border, for copying text'),
  layout: word<Layout>(
    'list',
    LAYOUTS,
    'the main view: "list" of the services over the log of one, or "panes" with the logs of all',
  ),
  timestamps: flag(true, 'lines begin with their time'),
  overrideInstanceName: {
    fallback: 'default',
    help: 'the instance of every dev command that is given no --instance',
    problem: (value: unknown) => (isName(String(value)) ? undefined : `expected ${NAME_RULE}`),
  },
  sequencerStartsMinimized: flag(false, "the sequencer's pane starts folded"),
  composerStartsMinimized: flag(false, "the composer's pane starts folded"),
  rollupStartsMinimized: flag(false, "the rollup's pane starts folded"),
  conductorStartsMinimized: flag(false, "the conductor's pane starts folded"),
  cometbftStartsMinimized: flag(
    false,
    'the pane of CometBFT starts folded, in networks that run it as a service of its own',
  ),
  genericStartsMinimized: flag(true, 'panes of all other services start folded'),
  genericStartPosition: word<(typeof POSITIONS)[number]>(
    'after',
    POSITIONS,
    'panes of other services stand "before" or "after" those of the network; "default" is "after"',
  ),
  highlightColor: colour(
    'dodgerblue',
    'the selected service, and the border of its log: a colour of the web, or "#rrggbb"',
  ),
  borderColor: colour('gray', 'the other borders'),
  maxUiLogLines: {
    fallback: 1_000,
    help: 'lines kept for each pane; 0 keeps what the memory set aside for a pane holds',
    problem: (value: unknown) =>
      Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_LINES
        ? undefined
        : `expected a whole number from 0 to ${MAX_LINES}`,
  },
};

/** How the terminal UI starts, from `tui-config.toml`, one file for all instances. */
export type TuiSettings = { readonly [Name in keyof typeof KEYS]: (typeof KEYS)[Name]['fallback'] };

type Minimized<Name> = Name extends `${infer Service}StartsMinimized` ? Service : never;
/** Services with a key of their own; all others are `generic`. */
export type Folding = Minimized<keyof TuiSettings>;

const keys = Object.entries<Key<unknown>>(KEYS).map(([name, rule]) => ({
  ...rule,
  name,
  key: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
}));

/** One file for all instances below this root. */
export function tuiConfigPath(home: string): string {
  return join(home, 'tui-config.toml');
}

/** The text of a new file: every key with its default. */
export function tuiConfigText(): string {
  const lines = keys.map(({ key, fallback, help }) => `# ${help}\n${key} = ${JSON.stringify(fallback)}\n`);
  return `# The terminal UI of \`switchyard dev run\`, for all instances below this directory.\n# It is never overwritten; a key that is absent has the default shown here.\n\n${lines.join('\n')}`;
}

const EXPECTED: Readonly<Record<string, string>> = {
  boolean: 'expected true or false',
  number: 'expected a whole number',
  string: 'expected a text',
};

export interface ReadSettings {
  readonly settings: TuiSettings;
  /** Invalid entries, each with file and key. */
  readonly problems: readonly string[];
}

const DEFAULTS_USED = '; the defaults are used';

/** Reads the file's text. Invalid values are reported and replaced by defaults: no file may stop a network. */
export function parseTuiConfig(text: string, path: string): ReadSettings {
  const problems: string[] = [];
  let table: Readonly<Record<string, unknown>> = {};
  try {
    table = lowerKeys(parseToml(text, path), path);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    problems.push(error.message + DEFAULTS_USED);
  }
  const names = keys.map(({ key }) => key);
  for (const key of Object.keys(table)) {
    if (!names.includes(key)) problems.push(`${path}: ${key}: no such key${didYouMean(key, names)}`);
  }
  const values = keys.map(({ name, key, fallback, problem }) => {
    const given = table[key] ?? fallback;
    const wrong = typeof given === typeof fallback ? problem?.(given) : EXPECTED[typeof fallback];
    if (wrong === undefined) return [name, given];
    problems.push(`${path}: ${key}: ${wrong}, got ${JSON.stringify(given)}; ${JSON.stringify(fallback)} is used`);
    return [name, fallback];
  });
  // The type of each value was compared with that of its default.
  return { settings: Object.fromEntries(values) as TuiSettings, problems };
}

/** The settings of the file; the defaults when it is absent or cannot be read. Writes nothing. */
export function readTuiSettings(home: string): ReadSettings {
  const path = tuiConfigPath(home);
  try {
    return parseTuiConfig(existsSync(path) ? readText(path) : '', path);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...parseTuiConfig('', path), problems: [error.message + DEFAULTS_USED] };
  }
}

/** Reads the settings like {@link readTuiSettings}, and makes an absent file. A failure is one of the problems. */
export function loadTuiSettings(home: string): ReadSettings {
  const path = tuiConfigPath(home);
  if (existsSync(path)) return readTuiSettings(home);
  const read = parseTuiConfig('', path);
  try {
    makeDirectory(home);
    writeNewFile(path, tuiConfigText(), 0o644);
    return read;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...read, problems: [error.message] };
  }
}

/**
 * The instance of a command without `--instance`: that of the file, else `default`.
 *
 * @param note Called with the reason why the file's value cannot be used.
 */
export function overrideInstance(home: string, note: (problem: string) => void = () => {}): string {
  const { settings, problems } = readTuiSettings(home);
  for (const problem of problems) {
    if (problem.includes('override_instance_name') || problem.endsWith(DEFAULTS_USED)) note(problem);
  }
  return settings.overrideInstanceName;
}
