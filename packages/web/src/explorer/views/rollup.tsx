import { type Rollup as Facts, rollups } from '@switchyard/explorer/contract';
import { Fragment, lazy, Suspense } from 'react';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { shown } from '../../ui/shown.ts';
import { listOf, messagesOf, rollupPath } from '../api.ts';
import { useLive } from '../live.tsx';
import { Answer, Loading } from '../parts/answer.tsx';
import { Link } from '../parts/cells.tsx';
import { Id } from '../parts/id.tsx';
import { Absent, FactList, type Facts as Rows, type Tab, Tabs, Title } from '../parts/layout.tsx';
import { type Listed, listed } from '../parts/list.tsx';
import type { Route } from '../route.ts';
import { DEPOSITS, MESSAGES, ROLLUP_BLOCKS, SUBMISSIONS, WITHDRAWALS } from './columns.tsx';
import { NO_DEPOSIT, NO_EVM_DEPOSIT, NO_EVM_WITHDRAWAL, NO_MESSAGE, NO_SUBMISSION, NO_WITHDRAWAL } from './hints.tsx';
import { NodeState } from './lists.tsx';
import { RollupView } from './rollup-view.tsx';

/** Most networks are looked at for one kind of rollup. */
const EvmOverview = lazy(async () => ({ default: (await import('../evm/evm.tsx')).EvmOverview }));
const EvmList = lazy(async () => ({ default: (await import('../evm/evm.tsx')).EvmList }));

/** Lists that the pages of EVM rollups have in their own form. */
const EVM_PARTS: readonly Tab[] = [
  { name: 'Transactions', part: 'evm/transactions' },
  { name: 'Blocks', part: 'evm/blocks' },
  { name: 'Tokens', part: 'evm/tokens' },
  { name: 'Withdrawn', part: 'evm/withdrawals' },
];

const lists = (rollup: string, base: string, isEvm: boolean): Readonly<Record<string, Listed>> => ({
  messages: listed('Messages', messagesOf(rollup), MESSAGES(base), NO_MESSAGE),
  transactions: listed(
    'Transactions',
    listOf(rollups.listRollupTransactions, { rollup }),
    SUBMISSIONS(base),
    NO_SUBMISSION,
  ),
  deposits: listed(
    'Deposits',
    listOf(rollups.listRollupDeposits, { rollup }),
    DEPOSITS,
    isEvm ? NO_EVM_DEPOSIT : NO_DEPOSIT,
  ),
  withdrawals: listed(
    'Withdrawals',
    listOf(rollups.listRollupWithdrawals, { rollup }),
    WITHDRAWALS,
    isEvm ? NO_EVM_WITHDRAWAL : NO_WITHDRAWAL,
  ),
  blocks: listed('Blocks', listOf(rollups.listRollupBlocks, { rollup }), ROLLUP_BLOCKS(base), 'None was executed yet.'),
});

const SHOWN = 6;

/** @param id Id or name, as it is in the address. */
export function Rollup({ id, part, route }: { readonly id: string; readonly part: string; readonly route: Route }) {
  const { turn } = useLive();
  const base = rollupPath(id);
  return (
    <Answer
      page="Rollup"
      route={rollups.getRollup}
      params={{ rollup: id }}
      turn={turn}
      absent={
        <Absent title="No such rollup">
          It has no data in the index, and no node of it is followed. By name only those that are followed are found.
        </Absent>
      }
      show={(rollup) => {
        const { kind, offers, node } = rollup;
        const isEvm = kind === 'evm';
        const isFramework = node !== null && !isEvm;
        // A node that does not state what it offers is asked.
        const isOffered: Readonly<Record<string, boolean>> = {
          messages: isFramework && (offers?.messages ?? true),
          blocks: isFramework,
        };
        const all = Object.entries(lists(id, base, isEvm)).filter(([of]) => isOffered[of] ?? true);
        const tabs: readonly Tab[] = [
          { name: 'Overview', part: '' },
          ...(isEvm ? EVM_PARTS : []),
          ...all.map(([of, { title }]) => ({ name: isEvm && of === 'transactions' ? 'Submissions' : title, part: of })),
        ];
        const one = all.find(([of]) => of === part)?.[1];
        return (
          <>
            <Title kind="Rollup">{shown(rollup.name) || `${rollup.rollup.slice(0, 10)}…`}</Title>
            <Tabs base={base} tabs={tabs} current={part} label="About this rollup" />
            {isEvm && part.startsWith('evm/') ? (
              <Suspense fallback={<Loading lines={12} />}>
                <EvmList rollup={id} part={part.slice('evm/'.length)} route={route} />
              </Suspense>
            ) : one === undefined ? (
              <>
                <Overview rollup={rollup} />
                {isEvm && (
                  <Suspense fallback={<Loading lines={12} />}>
                    <EvmOverview rollup={id} />
                  </Suspense>
                )}
                {offers?.views.map((view) => (
                  <RollupView key={view.name} rollup={id} view={view} turn={turn} />
                ))}
                {all
                  .filter(([of]) => !isEvm || of === 'deposits' || of === 'withdrawals')
                  .map(([of, list]) => (
                    <Fragment key={of}>
                      {list.show({ limit: SHOWN, turn, all: `${base}/${of}`, isOptional: of === 'messages' })}
                    </Fragment>
                  ))}
              </>
            ) : (
              one.show({ turn, page: route })
            )}
          </>
        );
      }}
    />
  );
}

function Overview({ rollup: { node, sheet, ...rollup } }: { readonly rollup: Facts }) {
  const ofBridge: Rows =
    sheet === null
      ? []
      : [
          ['Bridge account holds', `${formatCount(sheet.locked)} ${shown(sheet.asset)}`],
          [
            'It owes',
            `${formatCount(sheet.minted)} deposited and not withdrawn, ${formatCount(sheet.unpaid)} withdrawn and not paid, ${formatCount(sheet.uncredited)} of refused deposits`,
          ],
          [
            'Balance',
            sheet.isBalanced
              ? 'it holds all that it owes'
              : `${formatCount(sheet.surplus.replace('-', ''))} is missing`,
          ],
        ];
  const ofNode: Rows =
    node === null
      ? [['Node', 'none is followed here: what is shown is what the sequencer has of it']]
      : [
          ['Soft block', formatCount(node.soft)],
          ['Firm block', formatCount(node.firm)],
          node.firmLayerHeight === null
            ? undefined
            : ['Found on the layer at', `height ${formatCount(node.firmLayerHeight)}`],
          ['Chain', shown(node.chainId)],
          ['Node', <NodeState key="node" node={node} />],
        ];
  return (
    <FactList
      facts={[
        ['Id', <Id key="id" text={rollup.rollup} isWhole />],
        ['Data', `${formatCount(rollup.submissions)} submissions, ${formatBytes(rollup.bytes)}`],
        ['Deposits', formatCount(rollup.deposits)],
        ['First data in', <Link key="first" kind="blocks" id={rollup.firstHeight} />],
        ['Newest data in', <Link key="newest" kind="blocks" id={rollup.lastHeight} />],
        ...ofNode,
        ...ofBridge,
      ]}
    />
  );
}
