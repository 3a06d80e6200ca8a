import type { Charts } from '@switchyard/explorer/contract';
import { assetName, formatCoins } from '../../ui/coins.ts';
import { formatBytes, formatDuration, significant } from '../../ui/format.ts';
import { shown } from '../../ui/shown.ts';
import { type ChartData, type ChartsProps, chartOf } from './chart.tsx';
import { hasData, type Series } from './scale.ts';

/** Each asset has its own scale. */
const MAX_ASSETS = 3;

type Point = Charts['points'][number];

/** The charts of the sequencer and its rollups from the answer of `/v1/charts`. @param most How many; all, if absent. */
export function readCharts({ points, blocksPerPoint: size, rollups, lag }: Charts, most?: number): ChartsProps {
  const perBlock = (name: 'transactions' | 'bytes') => points.map((point) => point[name] / point.blocks);
  const times = points.map(({ blockTimeMs }) => blockTimeMs ?? undefined);
  const isBusy = points.some(({ transactions }) => transactions > 0);
  const bars = { kind: 'bars', note: size === 1 ? '' : 'average per block' } as const;
  const charts: ChartData[] = [
    chartOf('Block time', times, { format: formatDuration }),
    chartOf('Transactions per block', perBlock('transactions'), { ...bars, name: 'Transactions', format: significant }),
    // Empty blocks have some bytes too.
    chartOf('Bytes per block', isBusy ? perBlock('bytes') : [], { ...bars, name: 'Bytes', format: formatBytes }),
    {
      title: 'Data of each rollup',
      note: size === 1 ? '' : `per ${size} blocks`,
      kind: 'bars',
      format: formatBytes,
      series: getShares(rollups, points),
    },
    ...getFees(points),
    {
      title: 'Execution lag',
      note: 'from the time of a block until its execution was seen',
      format: formatDuration,
      series: lag.map((each) => ({
        name: getName(each),
        values: byPoint(points, each.points, ({ averageMs }) => averageMs),
      })),
    },
  ];
  return {
    labels: points.map((point) => getLabel(point, size)),
    charts: charts.filter(({ series }) => hasData(series)).slice(0, most),
  };
}

function getLabel({ point, height }: Point, size: number): string {
  const first = Math.max(1, point * size);
  return size === 1 ? `Block ${first}` : `Blocks ${first}–${height}`;
}

const getName = ({ name, rollup }: { readonly name: string | null; readonly rollup: string }): string =>
  shown(name) || `${rollup.slice(0, 8)}…`;

/** Answers leave out points without anything. */
function byPoint<T extends { readonly point: number }>(
  points: readonly Point[],
  some: readonly T[],
  value: (one: T) => number,
): (number | undefined)[] {
  const known = new Map(some.map((each) => [each.point, value(each)]));
  return points.map(({ point }) => known.get(point));
}

/** The rollups with the most data, and all others together. */
function getShares(rollups: Charts['rollups'], points: readonly Point[]): Series[] {
  const named = rollups.map((each) => ({
    name: getName(each),
    values: byPoint(points, each.points, ({ bytes }) => bytes).map((value) => value ?? 0),
  }));
  const rest = points.map(({ submissionBytes }, index) => {
    const known = named.reduce((sum, { values }) => sum + (values[index] ?? 0), 0);
    return Math.max(0, submissionBytes - known);
  });
  return rest.some((value) => value > 0) ? [...named, { name: 'others', values: rest }] : named;
}

function getFees(points: readonly Point[]): ChartData[] {
  const paid = points.map(({ fees }) => new Map(fees.map(({ asset, amount }) => [asset, Number(amount)])));
  const assets = [...new Set(paid.flatMap((each) => [...each.keys()]))].slice(0, MAX_ASSETS);
  return assets.map((asset) => {
    const title = assets.length === 1 ? 'Fees' : `Fees in ${shown(assetName(asset))}`;
    const format = (value: number) => shown(formatCoins(BigInt(Math.round(value)), asset));
    const values = paid.map((each) => each.get(asset) ?? 0);
    return chartOf(title, values, { name: 'Fees', kind: 'bars', format });
  });
}
