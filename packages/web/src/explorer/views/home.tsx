import { type Charts as Facts, type Rollup, rollups, sequencer } from '@switchyard/explorer/contract';
import { Digits } from '../../ui/amount.tsx';
import { Badge } from '../../ui/badge.tsx';
import { formatBytes, formatCount, formatDuration, significant } from '../../ui/format.ts';
import { Loading } from '../../ui/loading.tsx';
import { shown } from '../../ui/shown.ts';
import { When } from '../../ui/when.tsx';
import { rollupPath, toList } from '../api.ts';
import { Charts } from '../charts/chart.tsx';
import { readCharts } from '../charts/read.ts';
import { useLive } from '../live.tsx';
import { Answer } from '../parts/answer.tsx';
import { Tiles } from '../parts/layout.tsx';
import { type Lists, listed, Newest } from '../parts/list.tsx';
import { NEWEST_BLOCKS, NEWEST_TRANSACTIONS } from './columns.tsx';
import { NO_ROLLUP, NO_TRANSACTION } from './hints.tsx';

const NEWEST: Lists = {
  blocks: listed('Blocks', toList(sequencer.listBlocks, {}), NEWEST_BLOCKS),
  transactions: listed('Transactions', toList(sequencer.listTransactions, {}), NEWEST_TRANSACTIONS, NO_TRANSACTION),
};

/** Answers first questions about a private chain: is it alive, how busy is it, what came last. */
export function Home() {
  return (
    <>
      <h1 className="hidden">Overview</h1>
      <div className="panel">
        <Answer
          route={sequencer.getCharts}
          params={{}}
          loading={<Loading shape="charts" />}
          show={(found) => (
            <>
              <Numbers charts={found} />
              <section aria-labelledby="newest-charts">
                <div className="head">
                  <h2 id="newest-charts">Newest 100 blocks</h2>
                  <a href="#/charts">All charts →</a>
                </div>
                <Charts {...readCharts(found, 4)} />
              </section>
            </>
          )}
        />
      </div>
      <Rollups />
      <div className="columns">
        <Newest lists={NEWEST} base="" limit={10} empties="card" />
      </div>
    </>
  );
}

type Summed = 'failed' | 'transactions' | 'submissions' | 'submissionBytes';

function Numbers({ charts: { points } }: { readonly charts: Facts }) {
  const { heads } = useLive();
  const sum = (name: Summed) => points.reduce((total, point) => total + point[name], 0);
  const newest = points.at(-1);
  const times = points.flatMap(({ blockTimeMs }) => blockTimeMs ?? []);
  const seconds = times.reduce((total, each) => total + each, 0) / 1_000;
  const perSecond = (name: Summed, format: (value: number) => string) =>
    seconds === 0 ? undefined : `${format(sum(name) / seconds)} per second`;
  const failed = sum('failed');
  const height = heads?.height ?? newest?.height;
  return (
    <Tiles
      tiles={[
        [
          'Newest block',
          <a key="block" href={`#/blocks/${height ?? ''}`}>
            {formatCount(height)}
          </a>,
          newest && <When at={newest.time} />,
        ],
        [
          'Block time',
          seconds === 0 ? '–' : formatDuration((1_000 * seconds) / times.length),
          `average of ${formatCount(times.length)}`,
        ],
        [
          'Transactions',
          formatCount(sum('transactions')),
          failed === 0 ? 'none refused' : `${formatCount(failed)} refused`,
        ],
        ['Submissions', formatCount(sum('submissions')), perSecond('submissions', significant)],
        ['Rollup data', formatBytes(sum('submissionBytes')), perSecond('submissionBytes', formatBytes)],
      ]}
    />
  );
}

const Rollups = () => (
  <section aria-labelledby="rollups" className="rollups-part">
    <div className="head">
      <h2 id="rollups">Rollups</h2>
      <a href="#/rollups">All rollups →</a>
    </div>
    <Answer
      route={rollups.listRollups}
      params={{ limit: 6 }}
      show={({ items }) =>
        items.length === 0 ? (
          <div className="card quiet nothing">{NO_ROLLUP}</div>
        ) : (
          <ul className="rollups">
            {items.slice(0, 6).map((each) => (
              <RollupCard key={each.rollup} {...each} />
            ))}
          </ul>
        )
      }
    />
  </section>
);

function RollupCard({ rollup, name, node, submissions, bytes, deposits }: Rollup) {
  const head = useLive().heads?.rollups.find((each) => each.rollup === rollup);
  const soft = head?.number ?? node?.soft;
  const firm = head?.firm ?? node?.firm ?? null;
  const layer = node?.firmLayerHeight ?? null;
  return (
    <li className="card">
      <div className="head">
        <h3>
          <a href={`#${rollupPath(rollup)}`}>{shown(name) || `${rollup.slice(0, 10)}…`}</a>
        </h3>
        {node !== null && node.problem !== null ? (
          <Badge tone="bad">{shown(node.problem)}</Badge>
        ) : (
          <Badge tone={node === null ? 'plain' : 'good'}>{node === null ? 'data only' : 'live'}</Badge>
        )}
      </div>
      <p>
        {soft !== undefined && (
          <>
            soft <b>{formatCount(soft)}</b>
            {firm !== null && ` · firm ${formatCount(firm)}`}
            {layer !== null && <span className="quiet"> (layer height {formatCount(layer)})</span>} ·{' '}
          </>
        )}
        {counted(submissions, 'submission')} · <Digits text={formatBytes(bytes)} /> · {counted(deposits, 'deposit')}
      </p>
    </li>
  );
}

const counted = (count: number, one: string): string => `${formatCount(count)} ${count === 1 ? one : `${one}s`}`;
