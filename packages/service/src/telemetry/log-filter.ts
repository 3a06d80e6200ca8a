import { parser, type Schema } from '../input/schema.ts';

/** From silent to everything. */
export const LEVELS = ['off', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type Level = (typeof LEVELS)[number];

/** Which level holds for which target. */
export interface LogFilter {
  readonly general: Level;
  readonly targets: ReadonlyMap<string, Level>;
}

/**
 * Reads filter directives: `info`, `astria_composer=info`, `debug,mempool=trace`. A part in brackets, which other
 * programs use to name spans, is passed over. Text with directives for targets only leaves the rest at `info`.
 *
 * @returns undefined for text that is no list of directives.
 */
export function parseLogFilter(text: string): LogFilter | undefined {
  let general: Level | undefined;
  const targets = new Map<string, Level>();
  for (const directive of text.replace(/\[[^\]]*\]/g, '').split(',')) {
    const [left = '', right, ...rest] = directive.split('=').map((part) => part.trim().toLowerCase());
    if (rest.length > 0) return undefined;
    if (left === '' && right === undefined) continue;
    const level = parseLevel(right ?? left);
    if (level === undefined || (right !== undefined && !/^[\w:.-]+$/.test(left))) return undefined;
    if (right === undefined) general = level;
    else targets.set(targetKey(left), level);
  }
  return { general: general ?? 'info', targets };
}

/** The setting that holds log directives. */
export const logFilter: Schema<LogFilter> = parser(
  `log directives such as "info" or "debug,mempool=trace", with the levels ${LEVELS.join(', ')}`,
  'info',
  parseLogFilter,
);

/** The level of a process or of one of its components: its own directive if there is one, else `parent`. */
export function getLevel(filter: LogFilter, target: string, parent: Level = filter.general): Level {
  return filter.targets.get(targetKey(target)) ?? parent;
}

function parseLevel(word: string): Level | undefined {
  return word === 'warning' ? 'warn' : LEVELS.find((level) => level === word);
}

/** Directives written for the crates of the reference, such as `astria_composer`, mean our `composer`. */
function targetKey(target: string): string {
  return target
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/^(astria|switchyard|svc)_/, '');
}
