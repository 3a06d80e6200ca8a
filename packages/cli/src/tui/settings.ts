import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { didYouMean } from '@switchyard/service/settings';
import { makeDirectory, readText, writeNewFile } from '../dev/files/files.ts';
import { lowerKeys, parseToml } from '../dev/files/toml.ts';
import { isName, NAME_RULE } from '../dev/instance/home.ts';
import { Failure } from '../failure.ts';
import { COLOUR_NAMES, parseColour } from './colours.ts';

/** How the terminal UI starts, from `tui-config.toml`, one file for all instances. */
export type TuiSettings = Readonly<ReturnType<typeof settingsOf>>;

/** Layouts of the main view: a list of the services over one log, or a log for each. */
export const LAYOUTS = ['list', 'panes'] as const;
export type Layout = (typeof LAYOUTS)[number];

/** Services with a key of their own; all others are `generic`. */
export const FOLDINGS = ['sequencer', 'composer', 'rollup', 'conductor', 'cometbft', 'generic'] as const;
export type Folding = (typeof FOLDINGS)[number];

const MAX_LINES = 100_000;

interface Key {
  readonly key: string;
  readonly fallback: boolean | number | string;
  /** Its comment in the file. */
  readonly help: string;
  /** Explains why a value of the right type cannot be used. */
  readonly problem?: (value: unknown) => string | undefined;
}

const colourProblem = (value: unknown) =>
  parseColour(String(value)) === undefined
    ? `expected a colour of the web such as "dodgerblue", or "#rrggbb"${didYouMean(String(value).toLowerCase(), COLOUR_NAMES)}`
    : undefined;

const nameProblem = (value: unknown) => (isName(String(value)) ? undefined : `expected ${NAME_RULE}`);

const KEYS: readonly Key[] = [
  { key: 'auto_scroll', fallback: true, help: 'logs follow the newest line' },
  { key: 'wrap_lines', fallback: false, help: 'long lines continue in the next row; else they are cut' },
  { key: 'borderless', fallback: false, help: 'the full-screen view starts without its border, for copying text' },
  {
    key: 'layout',
    fallback: 'list',
    help: 'the main view: "list" of the services over the log of one, or "panes" with the logs of all',
    problem: (value) =>
      LAYOUTS.some((layout) => layout === value)
        ? undefined
        : `expected "list" or "panes"${didYouMean(String(value), LAYOUTS)}`,
  },
  { key: 'timestamps', fallback: true, help: 'lines begin with their time' },
  {
    key: 'override_instance_name',
    fallback: 'default',
    help: 'the instance of every dev command that is given no --instance',
    problem: nameProblem,
  },
  ...FOLDINGS.map((service) => ({
    key: `${service}_starts_minimized`,
    fallback: service === 'generic',
    help:
      service === 'generic'
        ? 'panes of all other services start folded'
        : service === 'cometbft'
          ? 'the pane of CometBFT starts folded, in networks that run it as a service of its own'
          : `the ${service}'s pane starts folded`,
  })),
  {
    key: 'generic_start_position',
    fallback: 'after',
    help: 'panes of other services stand "before" or "after" those of the network; "default" is "after"',
    problem: (value) =>
      ['before', 'after', 'default'].includes(String(value))
        ? undefined
        : `expected "before", "after" or "default"${didYouMean(String(value), ['before', 'after', 'default'])}`,
  },
  {
    key: 'highlight_color',
    fallback: 'dodgerblue',
    help: 'the selected service, and the border of its log: a colour of the web, or "#rrggbb"',
    problem: colourProblem,
  },
  { key: 'border_color', fallback: 'gray', help: 'the other borders', problem: colourProblem },
  {
    key: 'max_ui_log_lines',
    fallback: 1_000,
    help: `lines kept for each pane; 0 keeps what the memory set aside for a pane holds`,
    problem: (value) =>
      Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_LINES
        ? undefined
        : `expected a whole number from 0 to ${MAX_LINES}`,
  },
];

/** One file for all instances below this root. */
export function tuiConfigPath(home: string): string {
  return join(home, 'tui-config.toml');
}

/** The text of a new file: every key with its default. */
export function tuiConfigText(): string {
  const lines = KEYS.map(({ key, fallback, help }) => `# ${help}\n${key} = ${JSON.stringify(fallback)}\n`);
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
  const names = KEYS.map(({ key }) => key);
  for (const key of Object.keys(table)) {
    if (!names.includes(key)) problems.push(`${path}: ${key}: no such key${didYouMean(key, names)}`);
  }
  const values = new Map(
    KEYS.map(({ key, fallback, problem }) => {
      const given = table[key] ?? fallback;
      const wrong = typeof given === typeof fallback ? problem?.(given) : EXPECTED[typeof fallback];
      if (wrong === undefined) return [key, given] as const;
      problems.push(`${path}: ${key}: ${wrong}, got ${JSON.stringify(given)}; ${JSON.stringify(fallback)} is used`);
      return [key, fallback] as const;
    }),
  );
  return { settings: settingsOf(values), problems };
}

function settingsOf(values: ReadonlyMap<string, unknown>) {
  const on = (key: string) => values.get(key) === true;
  const text = (key: string) => String(values.get(key));
  const layout: Layout = text('layout') === 'panes' ? 'panes' : 'list';
  return {
    autoScroll: on('auto_scroll'),
    wrapLines: on('wrap_lines'),
    borderless: on('borderless'),
    layout,
    timestamps: on('timestamps'),
    /** The instance of every `dev` command without `--instance`. */
    overrideInstanceName: text('override_instance_name'),
    /** Labels of services whose panes start folded. */
    startsMinimized: FOLDINGS.filter((service) => on(`${service}_starts_minimized`)),
    genericStartPosition: text('generic_start_position') === 'before' ? 'before' : 'after',
    highlightColor: text('highlight_color'),
    borderColor: text('border_color'),
    /** 0: as many as the character limit of a pane allows. */
    maxUiLogLines: Number(values.get('max_ui_log_lines')),
  };
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
