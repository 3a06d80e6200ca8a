import { type EvmChartPoint, evm } from '@switchyard/explorer/contract';
import { formatDuration, significant } from '../../ui/format.ts';
import { Loading } from '../../ui/loading.tsx';
import { type ChartData, Charts, chartOf } from '../charts/chart.tsx';
import { Answer } from '../parts/answer.tsx';
import { gasPrice } from './amounts.ts';

/** Gas, base fee, transactions and block time of the newest blocks. */
export const EvmCharts = ({ rollup }: { readonly rollup: string }) => (
  <Answer
    route={evm.getEvmCharts}
    params={{ rollup, blocks: 100, points: 100 }}
    loading={<Loading shape="charts" />}
    show={({ points }) => <Charts labels={points.map(({ block }) => `Block ${block}`)} charts={getCharts(points)} />}
  />
);

function getCharts(points: readonly EvmChartPoint[]): readonly ChartData[] {
  const gas = points.map(({ gasUsed, blocks }) => gasUsed / blocks);
  const transactions = points.map((point) => point.transactions / point.blocks);
  // In empty blocks it only falls, and no sender pays it.
  const baseFees = points.map((point) => (point.transactions === 0 ? undefined : Number(point.baseFee)));
  const times = points.map(({ blockTimeMs }) => blockTimeMs ?? undefined);
  const toPrice = (wei: number) => gasPrice(String(Math.round(wei)));
  return [
    chartOf('Gas per block', gas, { name: 'Gas', kind: 'bars', format: significant }),
    chartOf('Base fee', baseFees, { note: 'of blocks with transactions', kind: 'bars', format: toPrice }),
    chartOf('Transactions per block', transactions, { name: 'Transactions', kind: 'bars', format: significant }),
    chartOf('Block time', times, { format: formatDuration }),
  ];
}
