import type { Charts } from '@switchyard/explorer/contract';
import { formatCoins } from '../../ui/coins.ts';
import { formatBytes, formatDuration, significant } from '../../ui/format.ts';
import { shown } from '../../ui/shown.ts';
import { Chart } from './chart.tsx';
import { type ChartData, readCharts } from './read.ts';

/** @param only How many; all, if absent. */
export function NetworkCharts({ answer, only }: { readonly answer: Charts; readonly only?: number }) {
  const { labels, charts } = readCharts(answer);
  return (
    <div className={only === undefined ? 'charts' : 'charts compact'}>
      {charts.slice(0, only).map(({ unit, note, ...chart }) => (
        <Chart
          key={chart.title}
          {...chart}
          {...(note !== undefined && note !== '' && { note })}
          labels={labels}
          format={(value) => formatIn(unit, value)}
        />
      ))}
    </div>
  );
}

function formatIn(unit: ChartData['unit'], value: number): string {
  if (unit === 'bytes') return formatBytes(value);
  if (unit === 'ms') return formatDuration(value);
  if (unit === 'count') return significant(value);
  return shown(formatCoins(BigInt(Math.round(value)), unit.asset));
}
