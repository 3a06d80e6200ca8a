import type { Input } from '@switchyard/client/http-api';
import { numberOf, rollupPath, textOf, within, word } from '../api.ts';
import { NetworkCharts } from '../charts/network-charts.tsx';
import { formatBytes, formatCount, formatDuration, significant } from '../format.ts';
import { useLive } from '../live.tsx';
import { Answer } from '../parts/answer.tsx';
import { Badge, Tile } from '../parts/layout.tsx';
import { List } from '../parts/list.tsx';
import { When } from '../parts/when.tsx';
import { NEWEST_BLOCKS, NEWEST_TRANSACTIONS } from './columns.ts';

const SHOWN = 8;

/** What a private chain is looked at for first: is it alive, how busy is it, what came last. */
export function Home() {
  const { turn } = useLive();
  return (
    <>
      <h1 className="hidden">Overview</h1>
      <div className="reserved charts-room">
        <Answer
          path="/charts"
          turn={turn}
          lines={8}
          show={(charts) => (
            <>
              <Numbers charts={charts} />
              <section aria-labelledby="newest-charts">
                <div className="head">
                  <h2 id="newest-charts">Newest 100 blocks</h2>
                  <a href="#/charts">All charts →</a>
                </div>
                <NetworkCharts answer={charts} only={4} />
              </section>
            </>
          )}
        />
      </div>
      <Rollups />
      <div className="columns lists-room">
        <List title="Blocks" path={`/blocks?limit=${SHOWN}`} columns={NEWEST_BLOCKS} turn={turn} all="/blocks" />
        <List
          title="Transactions"
          path={`/transactions?limit=${SHOWN}`}
          columns={NEWEST_TRANSACTIONS}
          turn={turn}
          all="/transactions"
        />
      </div>
    </>
  );
}

function Numbers({ charts }: { readonly charts: Input }) {
  const { heads } = useLive();
  const points = charts.at('points').list();
  const sum = (name: string) => points.reduce((total, point) => total + (numberOf(point, name) ?? 0), 0);
  const newest = points.at(-1);
  const times = points.flatMap((point) => numberOf(point, 'blockTimeMs') ?? []);
  const average = times.length === 0 ? undefined : times.reduce((total, each) => total + each, 0) / times.length;
  const seconds = times.reduce((total, each) => total + each, 0) / 1_000;
  const failed = sum('failed');
  const height = word(within(heads, 'height')) || word(within(newest ?? heads, 'height'));
  return (
    <dl className="tiles">
      <Tile name="Newest block" note={newest === undefined ? undefined : <When at={newest.at('time')} />}>
        <a href={`#/blocks/${height}`}>{formatCount(height)}</a>
      </Tile>
      <Tile name="Block time" note={`average of ${formatCount(times.length)}`}>
        {average === undefined ? '–' : formatDuration(average)}
      </Tile>
      <Tile name="Transactions" note={failed === 0 ? 'none refused' : `${formatCount(failed)} refused`}>
        {formatCount(sum('transactions'))}
      </Tile>
      <Tile
        name="Submissions"
        note={seconds === 0 ? undefined : `${significant(sum('submissions') / seconds)} per second`}
      >
        {formatCount(sum('submissions'))}
      </Tile>
      <Tile
        name="Rollup data"
        note={seconds === 0 ? undefined : `${formatBytes(sum('submissionBytes') / seconds)} per second`}
      >
        {formatBytes(sum('submissionBytes'))}
      </Tile>
    </dl>
  );
}

function Rollups() {
  const { turn, heads } = useLive();
  const headOf = (id: string) =>
    within(heads, 'rollups')
      .list()
      .find((each) => word(each.at('rollup')) === id);
  return (
    <section aria-labelledby="rollups" className="rollups-room">
      <div className="head">
        <h2 id="rollups">Rollups</h2>
        <a href="#/rollups">All rollups →</a>
      </div>
      <Answer
        path="/rollups?limit=6"
        turn={turn}
        show={(answer) => {
          const items = answer.at('items').list();
          if (items.length === 0) return <p className="quiet">None has data or is followed yet.</p>;
          return (
            <ul className="rollups">
              {items.slice(0, 6).map((rollup) => (
                <RollupCard key={word(rollup.at('rollup'))} rollup={rollup} head={headOf(word(rollup.at('rollup')))} />
              ))}
            </ul>
          );
        }}
      />
    </section>
  );
}

function RollupCard({ rollup, head }: { readonly rollup: Input; readonly head: Input | undefined }) {
  const problem = textOf(rollup, 'node', 'problem');
  const id = textOf(rollup, 'rollup');
  const isFollowed = rollup.at('node').isPresent;
  const soft = word(within(head ?? rollup, 'number')) || word(within(rollup, 'node', 'soft'));
  const firm = word(within(head ?? rollup, 'firm')) || word(within(rollup, 'node', 'firm'));
  const layer = textOf(rollup, 'node', 'firmLayerHeight');
  return (
    <li className="card">
      <div className="head">
        <h3>
          <a href={`#${rollupPath(rollup.at('rollup'))}`}>{textOf(rollup, 'name') || `${id.slice(0, 10)}…`}</a>
        </h3>
        {problem !== '' ? (
          <Badge tone="bad">{problem}</Badge>
        ) : (
          <Badge tone={isFollowed ? 'good' : 'plain'}>{isFollowed ? 'live' : 'data only'}</Badge>
        )}
      </div>
      <p>
        {soft !== '' && (
          <>
            soft <b>{formatCount(soft)}</b>
            {firm !== '' && ` · firm ${formatCount(firm)}`}
            {layer !== '' && <span className="quiet"> (layer height {formatCount(layer)})</span>} ·{' '}
          </>
        )}
        {formatCount(textOf(rollup, 'submissions'))} submissions · {formatBytes(numberOf(rollup, 'bytes') ?? 0)} ·{' '}
        {formatCount(textOf(rollup, 'deposits'))} deposits
      </p>
    </li>
  );
}
