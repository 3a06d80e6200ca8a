import type { Input } from '@switchyard/client/http-api';
import { numberOf, textOf, within, word } from '../api.ts';
import { NetworkCharts } from '../charts/network-charts.tsx';
import { useLive } from '../live.tsx';
import { Answer } from '../parts/answer.tsx';
import { amounts, bytes, count, link, rollupLink } from '../parts/cells.tsx';
import { Id } from '../parts/id.tsx';
import { Badge, Tabs, Title } from '../parts/layout.tsx';
import { type Columns, List } from '../parts/list.tsx';
import { When } from '../parts/when.tsx';
import type { Route } from '../route.ts';
import { BLOCKS, TRANSACTIONS } from './columns.ts';

/* Pages with one list each. */

const nodeState = (row: Input) => {
  const problem = textOf(row, 'node', 'problem');
  if (problem === '') return row.at('node').isPresent ? <Badge tone="good">live</Badge> : <Badge>not followed</Badge>;
  return (
    <>
      <Badge tone="bad">{problem}</Badge>{' '}
      {within(row, 'node', 'awaySince').isPresent && (
        <>
          since <When at={within(row, 'node', 'awaySince')} />
        </>
      )}
    </>
  );
};

const VALIDATORS: Columns = [
  ['Address', (row) => <Id text={word(row.at('address'))} />],
  ['Power', count('power'), 'number'],
  ['State', (row) => (word(row.at('active')) === 'true' ? <Badge tone="good">active</Badge> : <Badge>left</Badge>)],
  ['Proposed', count('proposed'), 'number'],
  ['Signed', count('signed'), 'number'],
  ['Missed', count('missed'), 'number'],
  ['Uptime', uptime, 'number'],
];

function uptime(row: Input): string {
  const [signed, missed] = [numberOf(row, 'signed') ?? 0, numberOf(row, 'missed') ?? 0];
  return signed + missed === 0 ? '–' : `${((100 * signed) / (signed + missed)).toFixed(2)} %`;
}

const LISTS: Readonly<Record<string, { readonly title: string; readonly columns: Columns; readonly empty?: string }>> =
  {
    blocks: { title: 'Blocks', columns: BLOCKS },
    transactions: { title: 'Transactions', columns: TRANSACTIONS },
    validators: { title: 'Validators', columns: VALIDATORS },
    bridges: {
      title: 'Bridge accounts',
      columns: [
        ['Account', link('accounts', 'address')],
        ['Rollup', rollupLink],
        ['Holds', (row) => amounts(row.at('balances'))],
        ['Deposits', count('deposits'), 'number'],
        ['Withdrawals', count('withdrawals'), 'number'],
        ['Made in', link('transactions', 'transaction')],
      ],
      empty: 'No account is a bridge to a rollup yet.',
    },
    rollups: {
      title: 'Rollups',
      columns: [
        ['Rollup', rollupLink],
        ['Submissions', count('submissions'), 'number'],
        ['Data', bytes('bytes'), 'number'],
        ['Deposits', count('deposits'), 'number'],
        ['Newest data', link('blocks', 'lastHeight')],
        ['Node', nodeState],
      ],
      empty: 'No rollup has data in a block yet.',
    },
  };

export const isList = (name: string): boolean => Object.hasOwn(LISTS, name);

export function ListPage({ name, route }: { readonly name: string; readonly route: Route }) {
  const { turn } = useLive();
  const list = LISTS[name];
  if (list === undefined) return null;
  return (
    <>
      <Title>{list.title}</Title>
      <List {...list} path={`/${name}`} turn={turn} page={route} />
    </>
  );
}

const RANGES = [
  { part: '', name: '100 blocks' },
  { part: '1000', name: '1,000 blocks' },
  { part: '10000', name: '10,000 blocks' },
];

export function ChartsPage({ range }: { readonly range: string }) {
  const { turn } = useLive();
  return (
    <>
      <Title>Charts</Title>
      <Tabs base="/charts" tabs={RANGES} current={range} label="How many of the newest blocks" />
      <Answer
        key={range}
        path={`/charts?blocks=${encodeURIComponent(range || '100')}`}
        turn={turn}
        lines={12}
        show={(answer) => <NetworkCharts answer={answer} />}
      />
    </>
  );
}
