import type { Input } from '@switchyard/client/http-api';
import { assetName } from '../../chat/coins.ts';
import { numberOf, textOf, within, word } from '../api.ts';
import { shown } from '../shown.ts';
import type { Series } from './scale.ts';

/** One chart, ready to be drawn. */
export interface ChartData {
  readonly title: string;
  readonly note?: string;
  readonly kind: 'line' | 'bars';
  readonly unit: 'count' | 'bytes' | 'ms' | { readonly asset: string };
  readonly series: readonly Series[];
}

/** Each asset has its own scale. */
const MAX_ASSETS = 3;

export interface NetworkCharts {
  readonly labels: readonly string[];
  readonly charts: readonly ChartData[];
}

/** The charts of the sequencer and its rollups from the answer of `/v1/charts`. */
export function readCharts(answer: Input): NetworkCharts {
  const points = answer.at('points').list();
  const size = numberOf(answer, 'blocksPerPoint') ?? 1;
  const values = (...names: readonly string[]) => points.map((point) => numberOf(point, ...names));
  const perBlock = (name: string) =>
    points.map((point) => (numberOf(point, name) ?? 0) / (numberOf(point, 'blocks') ?? 1));
  const per = size === 1 ? '' : 'average per block';
  const charts: ChartData[] = [
    { title: 'Block time', kind: 'line', unit: 'ms', series: [{ name: 'Block time', values: values('blockTimeMs') }] },
    {
      title: 'Transactions per block',
      note: per,
      kind: 'bars',
      unit: 'count',
      series: [{ name: 'Transactions', values: perBlock('transactions') }],
    },
    {
      title: 'Bytes per block',
      note: per,
      kind: 'bars',
      unit: 'bytes',
      series: [{ name: 'Bytes', values: perBlock('bytes') }],
    },
    {
      title: 'Data of each rollup',
      note: size === 1 ? '' : `per ${size} blocks`,
      kind: 'bars',
      unit: 'bytes',
      series: sharesOf(answer, points),
    },
    ...feesOf(points),
    {
      title: 'Execution lag',
      note: 'from the time of a block until its execution was seen',
      kind: 'line',
      unit: 'ms',
      series: answer
        .at('lag')
        .list()
        .map((each) => ({ name: nameOf(each), values: byPoint(points, each.at('points').list(), 'averageMs') })),
    },
  ];
  return { labels: points.map((point) => labelOf(point, size)), charts };
}

function labelOf(point: Input, size: number): string {
  const first = Math.max(1, (numberOf(point, 'point') ?? 0) * size);
  return size === 1 ? `Block ${first}` : `Blocks ${first}–${numberOf(point, 'height') ?? first}`;
}

const nameOf = (rollup: Input): string => textOf(rollup, 'name') || `${textOf(rollup, 'rollup').slice(0, 8)}…`;

/** Answers leave out points without anything. */
function byPoint(points: readonly Input[], some: readonly Input[], name: string): (number | undefined)[] {
  const known = new Map(some.map((each) => [word(each.at('point')), numberOf(each, name)]));
  return points.map((point) => known.get(word(point.at('point'))));
}

/** The rollups with the most data, and all others together. */
function sharesOf(answer: Input, points: readonly Input[]): Series[] {
  const named = answer
    .at('rollups')
    .list()
    .map((each) => ({
      name: nameOf(each),
      values: byPoint(points, each.at('points').list(), 'bytes').map((value) => value ?? 0),
    }));
  const rest = points.map((point, index) => {
    const known = named.reduce((sum, { values }) => sum + (values[index] ?? 0), 0);
    return Math.max(0, (numberOf(point, 'submissionBytes') ?? 0) - known);
  });
  return rest.some((value) => value > 0) ? [...named, { name: 'others', values: rest }] : named;
}

function feesOf(points: readonly Input[]): ChartData[] {
  const paid = points.map(
    (point) =>
      new Map(
        within(point, 'fees')
          .list()
          .map((fee) => [word(fee.at('asset')), numberOf(fee, 'amount')]),
      ),
  );
  const assets = [...new Set(paid.flatMap((each) => [...each.keys()]))].slice(0, MAX_ASSETS);
  return assets.map((asset) => ({
    title: assets.length === 1 ? 'Fees' : `Fees in ${shown(assetName(asset))}`,
    kind: 'bars',
    unit: { asset },
    series: [{ name: 'Fees', values: paid.map((each) => each.get(asset) ?? 0) }],
  }));
}
