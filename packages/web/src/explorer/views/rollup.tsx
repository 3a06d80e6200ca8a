import { type Rollup as Facts, rollups } from '@switchyard/explorer/contract';
import { lazy, Suspense } from 'react';
import { FactList, type Facts as Rows } from '../../ui/facts.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { Loading } from '../../ui/loading.tsx';
import { shown } from '../../ui/shown.ts';
import { getEvents, getMessages, rollupPath, toList } from '../api.ts';
import { Answer } from '../parts/answer.tsx';
import { Id, inBlock } from '../parts/cells.tsx';
import { Absent, OVERVIEW, type Tab, Tabs, Title } from '../parts/layout.tsx';
import { getTabs, type Listed, type Lists, listed, Newest, oneOf } from '../parts/list.tsx';
import type { PageProps } from '../route.ts';
import { BalanceTiles } from './bridge.tsx';
import { DEPOSITS, EVENTS, MESSAGES, ROLLUP_BLOCKS, SUBMISSIONS, WITHDRAWALS } from './columns.tsx';
import { getParts } from './defined.tsx';
import { NO_DEPOSIT, NO_EVM_DEPOSIT, NO_MESSAGE, NO_SUBMISSION, NO_WITHDRAWAL } from './hints.tsx';
import { NodeState } from './lists.tsx';
import { NodeAnswer, QUERIES } from './query.tsx';
import { TABLES } from './table.tsx';

/** Most networks are looked at for one kind of rollup. */
const EvmOverview = lazy(async () => ({ default: (await import('../evm/evm.tsx')).EvmOverview }));
const EvmList = lazy(async () => ({ default: (await import('../evm/evm.tsx')).EvmList }));

/** Lists that the pages of EVM rollups have in their own form. */
const EVM_PARTS: readonly Tab[] = [
  { name: 'Transactions', part: 'evm/transactions' },
  { name: 'Blocks', part: 'evm/blocks' },
  { name: 'Tokens', part: 'evm/tokens' },
  { name: 'Withdrawals', part: 'evm/withdrawals' },
];

/** Amounts that came from the sequencer, and went back. */
const toTransfers = (rollup: string, isEvm: boolean): Lists => ({
  deposits: listed(
    'Deposits',
    toList(rollups.listRollupDeposits, { rollup }),
    DEPOSITS,
    isEvm ? NO_EVM_DEPOSIT : NO_DEPOSIT,
  ),
  ...(!isEvm && {
    withdrawals: listed('Withdrawals', toList(rollups.listRollupWithdrawals, { rollup }), WITHDRAWALS, NO_WITHDRAWAL),
  }),
});

/** Bytes for the rollup; an EVM rollup lists its transactions on its own. */
const getSubmissions = (rollup: string, base: string, isEvm: boolean): Listed =>
  listed(
    isEvm ? 'Submissions' : 'Transactions',
    toList(rollups.listRollupTransactions, { rollup }),
    SUBMISSIONS(base),
    NO_SUBMISSION,
  );

const getBlocks = (rollup: string, base: string): Listed =>
  listed('Blocks', toList(rollups.listRollupBlocks, { rollup }), ROLLUP_BLOCKS(base), 'None was executed yet.');

/** @param id Id or name, as in the address. */
export function Rollup({ id, part, route }: PageProps) {
  const base = rollupPath(id);
  return (
    <Answer
      page="Rollup"
      route={rollups.getRollup}
      params={{ rollup: id }}
      absent={
        <Absent title="No such rollup">
          It has no data in the index, and no node of it is followed. By name only followed ones are found.
        </Absent>
      }
      show={(rollup) => {
        const { kind, offers, node } = rollup;
        const isEvm = kind === 'evm';
        const isFramework = node !== null && !isEvm;
        const has = (path: string, isAsked = false): boolean =>
          isFramework && (offers?.paths.includes(path) ?? isAsked);
        const transfers = toTransfers(id, isEvm);
        const all: Lists = {
          // A node that does not state its offers is queried.
          ...(has('/v1/messages', true) && {
            messages: listed('Messages', getMessages(id), MESSAGES(base), NO_MESSAGE),
          }),
          ...(has('/v1/events') && { events: listed('Events', getEvents(id), EVENTS(base)) }),
          transactions: getSubmissions(id, base, isEvm),
          ...transfers,
          ...(isFramework && { blocks: getBlocks(id, base) }),
        };
        const defined: Lists = has('/v1/definition')
          ? { tables: getParts(TABLES, id), queries: getParts(QUERIES, id) }
          : {};
        const tabs = isEvm ? [...EVM_PARTS, ...getTabs(transfers)] : getTabs({ ...all, ...defined });
        const one = oneOf({ ...all, ...defined }, part);
        return (
          <>
            <Title kind="Rollup">{shown(rollup.name) || `${rollup.rollup.slice(0, 10)}…`}</Title>
            <Tabs base={base} tabs={[OVERVIEW, ...tabs]} current={part} label="About this rollup" />
            {isEvm && part.startsWith('evm/') ? (
              <Suspense fallback={<Loading count={12} />}>
                <EvmList rollup={id} part={part.slice('evm/'.length)} route={route} />
              </Suspense>
            ) : one === undefined ? (
              <>
                <Overview rollup={rollup} />
                {rollup.sheet !== null && <BalanceTiles sheet={rollup.sheet} />}
                {isEvm && (
                  <Suspense fallback={<Loading shape="charts" />}>
                    <EvmOverview rollup={id} />
                  </Suspense>
                )}
                {offers?.views.map(({ name, summary }) => (
                  <NodeAnswer key={name} rollup={id} path={name} title={summary || name} />
                ))}
                <Newest lists={isEvm ? transfers : all} base={base} optional="messages" />
              </>
            ) : (
              one.show({ page: route, isTitled: true })
            )}
          </>
        );
      }}
    />
  );
}

function Overview({ rollup: { node, ...rollup } }: { readonly rollup: Facts }) {
  const ofNode: Rows =
    node === null
      ? [['Node', 'none is followed here: this page shows the data on the sequencer']]
      : [
          ['Soft block', formatCount(node.soft)],
          ['Firm block', formatCount(node.firm)],
          node.firmLayerHeight === null
            ? undefined
            : ['Data availability', `height ${formatCount(node.firmLayerHeight)}`],
          ['Chain', shown(node.chainId)],
          ['Node', <NodeState key="node" node={node} />],
        ];
  return (
    <FactList
      facts={[
        ['Id', <Id key="id" text={rollup.rollup} isWhole />],
        [
          'Data',
          <span key="data">
            <a href={`#${rollupPath(rollup.rollup)}/transactions`}>{formatCount(rollup.submissions)} submissions</a>,{' '}
            {formatBytes(rollup.bytes)}
          </span>,
        ],
        ['Deposits', formatCount(rollup.deposits)],
        ['First data', inBlock(rollup.firstHeight)],
        ['Newest data', inBlock(rollup.lastHeight)],
        ...ofNode,
      ]}
    />
  );
}
