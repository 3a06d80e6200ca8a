import type { LogLine } from './log-buffer.ts';
import { uncoloured } from './text.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type Level = (typeof LEVELS)[number];

/** Which lines are shown. */
export interface Filter {
  /** Text as typed. */
  readonly text: string;
  passes(line: LogLine): boolean;
}

/** Characters of a line that an expression is matched against, and that may contain its level. */
const MAX_MATCHED = 2_000;
const LEVEL_WITHIN = 80;
/** Level as our services, and most others, print it: `INFO`, `level=info`, `"level":"info"`, `[warning]`. */
const LEVEL_WORD =
  /(?<![\w-])(trace|debug|info|warn(?:ing)?|err(?:or)?|fatal|panic|critical|TRCE|DBUG|INF|WRN|ERR|FTL)(?![\w-])/i;
const NAMED: ReadonlyMap<string, Level> = new Map<string, Level>([
  ['warning', 'warn'],
  ['err', 'error'],
  ['panic', 'fatal'],
  ['critical', 'fatal'],
  ['trce', 'trace'],
  ['dbug', 'debug'],
  ['inf', 'info'],
  ['wrn', 'warn'],
  ['ftl', 'fatal'],
]);

/** The level that stands near the beginning of a line. */
export function findLevel(text: string): Level | undefined {
  const word = LEVEL_WORD.exec(uncoloured(text.slice(0, LEVEL_WITHIN)))?.[1]?.toLowerCase();
  return word === undefined ? undefined : (NAMED.get(word) ?? levelNamed(word));
}

function levelNamed(word: string): Level | undefined {
  return LEVELS.find((level) => level === word);
}

export type ParsedFilter =
  | { readonly ok: true; readonly filter: Filter | undefined }
  | { readonly ok: false; readonly reason: string };

/**
 * Parses the text that was typed after `f`: the name of a level shows that level and worse; anything else is a regular
 * expression, case-insensitive. An empty text shows everything. Lifecycle lines of the tool pass every expression;
 * their level is `error` if a service failed, else `info`.
 */
export function parseFilter(text: string): ParsedFilter {
  if (text === '') return { ok: true, filter: undefined };
  const word = text.toLowerCase();
  const level = NAMED.get(word) ?? levelNamed(word);
  if (level !== undefined) {
    const least = LEVELS.indexOf(level);
    const passes = (line: LogLine) => {
      const found = line.kind === 'output' ? findLevel(line.text) : line.kind === 'bad' ? 'error' : 'info';
      return found !== undefined && LEVELS.indexOf(found) >= least;
    };
    return { ok: true, filter: { text, passes } };
  }
  try {
    const expression = new RegExp(text, 'i');
    const passes = (line: LogLine) =>
      line.kind !== 'output' || expression.test(uncoloured(line.text.slice(0, MAX_MATCHED)));
    return { ok: true, filter: { text, passes } };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: message.replace(/^Invalid regular expression: /, 'not a regular expression: ') };
  }
}
