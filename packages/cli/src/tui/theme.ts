import { background, type Depth, foreground, parseColour } from './colours.ts';
import type { Level } from './filter.ts';
import type { TuiSettings } from './settings.ts';
import { BOLD, DIM, INVERSE, RESET } from './text.ts';

type Paint = (text: string) => string;

/** Colours and emphasis. Widths never depend on it. */
export interface Theme {
  /** Whether services' own colours are shown. */
  readonly colour: boolean;
  readonly border: Paint;
  readonly highlight: Paint;
  readonly bold: Paint;
  readonly dim: Paint;
  readonly inverse: Paint;
  /** The name of the tool, and the selected row of a list. */
  readonly selected: Paint;
  /** A key that can be pressed. */
  readonly key: Paint;
  readonly good: Paint;
  readonly pending: Paint;
  readonly bad: Paint;
  /** Lines of the tool in a service's log. */
  readonly life: Paint;
  readonly death: Paint;
  /** The level of a log line, or a line by its level. */
  level(level: Level, text: string): string;
  /** The prefix of the n-th service in the merged log. */
  service(index: number, text: string): string;
}

const same: Paint = (text) => text;

/** No sequences at all: for measuring, and for tests. */
export const PLAIN: Theme = {
  colour: false,
  border: same,
  highlight: same,
  bold: same,
  dim: same,
  inverse: same,
  selected: same,
  key: same,
  good: same,
  pending: same,
  bad: same,
  life: same,
  death: same,
  level: (_, text) => text,
  service: (_, text) => text,
};

const LEVELS: Readonly<Record<Level, string>> = {
  trace: '2',
  debug: '2',
  info: '36',
  warn: '33',
  error: '1;31',
  fatal: '1;31',
};

/** Foreground colours that are distinguishable on dark and light ground; red is for what has failed. */
const SERVICES = [36, 33, 35, 32, 34, 96, 95, 93, 92, 94] as const;

export function createTheme(settings: Pick<TuiSettings, 'borderColor' | 'highlightColor'>, depth: Depth): Theme {
  const between =
    (sequence: string): Paint =>
    (text) =>
      sequence === '' || text === '' ? text : sequence + text + RESET;
  const code = (codes: string): Paint => (depth === 'none' ? same : between(`\u001b[${codes}m`));
  const named = (colour: string): Paint => {
    const rgb = parseColour(colour);
    return rgb === undefined ? same : between(foreground(rgb, depth));
  };
  const ground = parseColour(settings.highlightColor);
  return {
    colour: depth !== 'none',
    border: named(settings.borderColor),
    highlight: named(settings.highlightColor),
    bold: between(BOLD),
    dim: between(DIM),
    inverse: between(INVERSE),
    selected: ground === undefined || depth === 'none' ? between(INVERSE) : between(background(ground, depth)),
    key: depth === 'none' ? between(BOLD) : code('1;36'),
    good: code('32'),
    pending: code('33'),
    bad: code('1;31'),
    // They stand out without colours too.
    life: depth === 'none' ? between(INVERSE) : code('35'),
    death: depth === 'none' ? between(INVERSE) : code('97;41'),
    level: (level, text) => code(LEVELS[level])(text),
    service: (index, text) => code(String(SERVICES[index % SERVICES.length]))(text),
  };
}
