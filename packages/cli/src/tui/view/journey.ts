import type { Journey } from '../facts.ts';
import type { Model } from '../model.ts';
import { shown, wrap } from '../text.ts';
import type { Theme } from '../theme.ts';
import { isFirm, journeyState, nameOf } from './journey-state.ts';
import { clockText, laterText } from './time-text.ts';

const LABEL = 11;

/** All that is known of one transaction, for a frame of the terminal's width. */
export function journeyLines(
  journey: Journey,
  { facts: { rollups }, size: { columns } }: Model,
  theme: Theme,
): string[] {
  const { hash, rollup, queuedAt, bundledAt, sequenced, executed, posted, bundle, outcome } = journey;
  const { text, paint, why } = journeyState(journey, rollups);
  const since = (at: number | undefined) => (at === undefined ? '' : laterText(at - queuedAt));
  const facts: readonly (readonly [label: string, value: string | undefined])[] = [
    ['hash', outcome?.hash ?? hash],
    ['submission', outcome === undefined || outcome.hash === hash ? undefined : hash],
    ['rollup', nameOf(rollup, rollups)],
    ['rollup id', rollup],
    ['state', `${text}${why === undefined ? '' : `: ${shown(why, { colour: false })}`}`],
    ['queued', clockText(queuedAt)],
    ['bundled', bundledAt === undefined ? undefined : since(bundledAt)],
    ['bundle', bundle],
    ['sequenced', sequenced && `${since(sequenced.at)} in sequencer block ${sequenced.height}`],
    [
      'executed',
      executed &&
        `${since(executed.at)}${executed.block === undefined ? '' : ` in rollup block ${executed.block}`}`.trim(),
    ],
    ['posted', posted && `${since(posted.at)} at height ${posted.layerHeight} of the data-availability layer`],
    ['firm', executed === undefined ? undefined : isFirm(journey, rollups) ? 'yes' : 'not yet'],
  ];
  return facts.flatMap(([label, value]) => {
    if (value === undefined) return [];
    const rows = wrap(value, Math.max(1, columns - 3 - LABEL));
    return rows.map((row, index) => {
      const head = theme.dim((index === 0 ? label : '').padEnd(LABEL));
      return ` ${head}${label === 'state' ? theme[paint](row) : row}`;
    });
  });
}
