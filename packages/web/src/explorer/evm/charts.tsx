import type { Input } from '@switchyard/client/http-api';
import { numberOf, textOf } from '../api.ts';
import { Chart } from '../charts/chart.tsx';
import { formatDuration, significant } from '../format.ts';
import { Answer } from '../parts/answer.tsx';
import { gasPrice } from './cells.tsx';

/** Gas, base fee, transactions and block time of the newest blocks. */
export function EvmCharts({
  base,
  blocks,
  turn,
}: {
  readonly base: string;
  readonly blocks: number;
  readonly turn: number;
}) {
  return (
    <Answer
      path={`${base}/charts?blocks=${blocks}&points=100`}
      turn={turn}
      lines={8}
      show={(answer) => <Charts points={answer.at('points').list()} />}
    />
  );
}

function Charts({ points }: { readonly points: readonly Input[] }) {
  const labels = points.map((point) => `Block ${textOf(point, 'block')}`);
  const perBlock = (name: string) =>
    points.map((point) => (numberOf(point, name) ?? 0) / (numberOf(point, 'blocks') ?? 1));
  const baseFees = points.map((point) => numberOf(point, 'baseFee'));
  const times = points.map((point) => numberOf(point, 'blockTimeMs'));
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
