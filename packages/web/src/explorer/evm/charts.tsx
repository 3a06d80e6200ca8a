import { type EvmChartPoint, evm } from '@switchyard/explorer/contract';
import { formatDuration, significant } from '../../ui/format.ts';
import { Chart } from '../charts/chart.tsx';
import { Answer } from '../parts/answer.tsx';
import { gasPrice } from './cells.tsx';

interface ChartsProps {
  readonly rollup: string;
  readonly blocks: number;
  readonly turn: number;
}

/** Gas, base fee, transactions and block time of the newest blocks. */
export const EvmCharts = ({ rollup, blocks, turn }: ChartsProps) => (
  <Answer
    route={evm.getEvmCharts}
    params={{ rollup, blocks, points: 100 }}
    turn={turn}
    lines={8}
    show={({ points }) => <Charts points={points} />}
  />
);

function Charts({ points }: { readonly points: readonly EvmChartPoint[] }) {
  const labels = points.map(({ block }) => `Block ${block}`);
  const perBlock = (name: 'gasUsed' | 'transactions') => points.map((point) => point[name] / point.blocks);
  const baseFees = points.map(({ baseFee }) => Number(baseFee));
  const times = points.map(({ blockTimeMs }) => blockTimeMs ?? undefined);
  return (
    <div className="charts compact">
      <Chart
        title="Gas per block"
        kind="bars"
        labels={labels}
        series={[{ name: 'Gas', values: perBlock('gasUsed') }]}
        format={significant}
      />
      <Chart
        title="Base fee"
        labels={labels}
        series={[{ name: 'Base fee', values: baseFees }]}
        format={(wei) => gasPrice(String(Math.round(wei)))}
      />
      <Chart
        title="Transactions per block"
        kind="bars"
        labels={labels}
        series={[{ name: 'Transactions', values: perBlock('transactions') }]}
        format={significant}
      />
      <Chart
        title="Block time"
        labels={labels}
        series={[{ name: 'Block time', values: times }]}
        format={formatDuration}
      />
    </div>
  );
}
