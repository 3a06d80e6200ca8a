import { COLOURS } from '../dev/run/printing.ts';
import { background, type Depth, foreground, parseColour } from './colours.ts';
import type { Level } from './filter.ts';
import type { TuiSettings } from './settings.ts';
import { BOLD, DIM, INVERSE, RESET } from './text.ts';

type Paint = (text: string) => string;

/** Colours and emphasis. Widths never depend on it. */
export type Theme = Readonly<ReturnType<typeof createTheme>>;

const same: Paint = (text) => text;

const LEVELS: Readonly<Record<Level, string>> = {
  trace: '2',
  debug: '2',
  info: '36',
  warn: '33',
  error: '1;31',
  fatal: '1;31',
};

/** @param isPlain Without bold and inverse text too. */
export function createTheme(
  settings: Pick<TuiSettings, 'borderColor' | 'highlightColor'>,
  depth: Depth,
  isPlain = false,
) {
  const between =
    (sequence: string): Paint =>
    (text) =>
      isPlain || sequence === '' || text === '' ? text : sequence + text + RESET;
  const code = (codes: string): Paint => (depth === 'none' ? same : between(`\u001b[${codes}m`));
  const named = (colour: string): Paint => {
    const rgb = parseColour(colour);
    return rgb === undefined ? same : between(foreground(rgb, depth));
  };
  const ground = parseColour(settings.highlightColor);
  return {
    /** Whether services' own colours are shown. */
    colour: depth !== 'none',
    border: named(settings.borderColor),
    highlight: named(settings.highlightColor),
    bold: between(BOLD),
    dim: between(DIM),
    inverse: between(INVERSE),
    /** The name of the tool, and the selected row of a list. */
    selected: ground === undefined || depth === 'none' ? between(INVERSE) : between(background(ground, depth)),
    /** A key that can be pressed. */
    key: depth === 'none' ? between(BOLD) : code('1;36'),
    good: code('32'),
    pending: code('33'),
    bad: code('1;31'),
    /** Lines of the tool in a service's log, which stand out without colours too. */
    life: depth === 'none' ? between(INVERSE) : code('35'),
    death: depth === 'none' ? between(INVERSE) : code('97;41'),
    /** The level of a log line, or a line by its level. */
    level: (level: Level, text: string) => code(LEVELS[level])(text),
    /** The prefix of the n-th service in the merged log. */
    service: (index: number, text: string) => code(String(COLOURS[index % COLOURS.length]))(text),
  };
}

/** No sequences at all: for measuring, and for tests. */
export const PLAIN: Theme = createTheme({ borderColor: '', highlightColor: '' }, 'none', true);
