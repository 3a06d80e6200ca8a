import { type Bridge, type Rollup, rollups, sequencer, type Validator } from '@switchyard/explorer/contract';
import { Badge } from '../../ui/badge.tsx';
import { Loading } from '../../ui/loading.tsx';
import { shown } from '../../ui/shown.ts';
import type { Columns } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { ask, toList, wholeList } from '../api.ts';
import { Charts } from '../charts/chart.tsx';
import { readCharts } from '../charts/read.ts';
import { Answer } from '../parts/answer.tsx';
import { amounts, bytes, count, Id, link, rollupLink } from '../parts/cells.tsx';
import { Tabs, Title } from '../parts/layout.tsx';
import { type Listed, listed } from '../parts/list.tsx';
import type { Route } from '../route.ts';
import { BLOCKS, TRANSACTIONS } from './columns.tsx';
import { NO_BRIDGE, NO_ROLLUP, NO_TRANSACTION } from './hints.tsx';

/* Pages with one list each. */

/** Whether the node of a rollup answers. */
export function NodeState({ node }: Pick<Rollup, 'node'>) {
  if (node === null) return <Badge>not followed</Badge>;
  if (node.problem === null) return <Badge tone="good">live</Badge>;
  return (
    <>
      <Badge tone="bad">{shown(node.problem)}</Badge>{' '}
      {node.awaySince !== null && (
        <>
          since <When at={node.awaySince} />
        </>
      )}
    </>
  );
}

const VALIDATORS: Columns<Validator> = [
  ['Address', ({ address }) => <Id text={address} />],
  ['Power', count('power'), 'number'],
  ['State', ({ active }) => (active ? <Badge tone="good">active</Badge> : <Badge>left</Badge>)],
  ['Proposed', count('proposed'), 'number'],
  ['Signed', count('signed'), 'number'],
  ['Missed', count('missed'), 'number'],
  ['Uptime', uptime, 'number'],
];

function uptime({ signed, missed }: Validator): string {
  return signed + missed === 0 ? '–' : `${((100 * signed) / (signed + missed)).toFixed(2)} %`;
}

const BRIDGES: Columns<Bridge> = [
  ['Account', link('bridges', 'address')],
  ['Rollup', rollupLink],
  ['Holds', ({ balances }) => amounts(balances)],
  ['Deposits', count('deposits'), 'number'],
  ['Withdrawals', count('withdrawals'), 'number'],
  ['Made in', link('transactions', 'transaction')],
];

const ROLLUPS: Columns<Rollup> = [
  ['Rollup', rollupLink],
  ['Submissions', count('submissions'), 'number'],
  ['Data', bytes('bytes'), 'number'],
  ['Deposits', count('deposits'), 'number'],
  ['Newest data', link('blocks', 'lastHeight')],
  ['Node', ({ node }) => <NodeState node={node} />],
];

const validators = async () => (await ask(sequencer.listValidators, {})).validators;

const LISTS: Readonly<Record<string, Listed>> = {
  blocks: listed('Blocks', toList(sequencer.listBlocks, {}), BLOCKS),
  transactions: listed('Transactions', toList(sequencer.listTransactions, {}), TRANSACTIONS, NO_TRANSACTION),
  validators: listed('Validators', wholeList('validators', validators), VALIDATORS),
  bridges: listed('Bridge accounts', toList(sequencer.listBridges, {}), BRIDGES, NO_BRIDGE),
  rollups: listed('Rollups', toList(rollups.listRollups, {}), ROLLUPS, NO_ROLLUP),
};

export const isList = (name: string): boolean => Object.hasOwn(LISTS, name);

export function ListPage({ name, route }: { readonly name: string; readonly route: Route }) {
  const list = LISTS[name];
  if (list === undefined) return null;
  return (
    <>
      <Title>{list.title}</Title>
      {list.show({ page: route, isTitled: true })}
    </>
  );
}

const RANGES = [
  { part: '', name: '100 blocks' },
  { part: '1000', name: '1,000 blocks' },
  { part: '10000', name: '10,000 blocks' },
];

export function ChartsPage({ range }: { readonly range: string }) {
  return (
    <>
      <Title>Charts</Title>
      <Tabs base="/charts" tabs={RANGES} current={range} label="How many of the newest blocks" />
      <Answer
        key={range}
        route={sequencer.getCharts}
        params={{ blocks: range || '100' }}
        loading={<Loading shape="charts" count={6} />}
        show={(charts) => <Charts {...readCharts(charts)} />}
      />
    </>
  );
}
