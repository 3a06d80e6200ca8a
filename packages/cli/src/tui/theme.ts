import { type Depth, foreground, parseColour } from './colours.ts';
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
  readonly good: Paint;
  readonly pending: Paint;
  readonly bad: Paint;
  /** Lines of the tool in a service's log. */
  readonly life: Paint;
  readonly death: Paint;
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
  good: same,
  pending: same,
  bad: same,
  life: same,
  death: same,
  service: (_, text) => text,
};

/** Foreground colours that are distinguishable on dark and light ground. */
const SERVICES = [36, 33, 35, 32, 34, 91, 96, 95] as const;

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
  return {
    colour: depth !== 'none',
    border: named(settings.borderColor),
    highlight: named(settings.highlightColor),
    bold: between(BOLD),
    dim: between(DIM),
    inverse: between(INVERSE),
    good: code('32'),
    pending: code('33'),
    bad: code('1;31'),
    // They stand out without colours too.
    life: depth === 'none' ? between(INVERSE) : code('30;47'),
    death: depth === 'none' ? between(INVERSE) : code('97;41'),
    service: (index, text) => code(String(SERVICES[index % SERVICES.length]))(text),
  };
}
