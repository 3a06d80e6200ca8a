import { type Rollup as Facts, rollups } from '@switchyard/explorer/contract';
import { FactList, type Facts as Rows } from '../../ui/facts.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { shown } from '../../ui/shown.ts';
import { ask, getEvents, getMessages, rollupPath, toList } from '../api.ts';
import { Loaded } from '../parts/answer.tsx';
import { Id, inBlock } from '../parts/cells.tsx';
import { Title } from '../parts/layout.tsx';
import { type Listed, type Lists, listed, Newest, Sections } from '../parts/list.tsx';
import type { PageProps } from '../route.ts';
import { BalanceTiles } from './bridge.tsx';
import { DEPOSITS, EVENTS, MESSAGES, ROLLUP_BLOCKS, SUBMISSIONS, WITHDRAWALS } from './columns.tsx';
import { getParts } from './defined.tsx';
import { NO_DEPOSIT, NO_EVM_DEPOSIT, NO_MESSAGE, NO_SUBMISSION, NO_WITHDRAWAL } from './hints.tsx';
import { NodeState } from './lists.tsx';
import { NodeAnswer, QUERIES } from './query.tsx';
import { TABLES } from './table.tsx';

/** Deposits from the sequencer; the EVM pages list withdrawals to it. */
const getEvmTransfers = (rollup: string): Lists => ({
  deposits: listed('Deposits', toList(rollups.listRollupDeposits, { rollup }), DEPOSITS, NO_EVM_DEPOSIT),
});

/** Bytes for the rollup. */
const getSubmissions = (rollup: string, title: string): Listed =>
  listed(title, toList(rollups.listRollupTransactions, { rollup }), SUBMISSIONS, NO_SUBMISSION);

/** Lists of a rollup of the framework, or of one whose node is not followed. */
function getLists(rollup: string, { node, offers }: Facts): Lists {
  // A node that does not state its offers is queried.
  const hasMessages = node !== null && (offers?.paths.includes('/v1/messages') ?? true);
  const item = { rollup };
  return {
    ...(hasMessages && { messages: listed('Messages', getMessages(rollup), MESSAGES, NO_MESSAGE) }),
    ...(offers?.paths.includes('/v1/events') &&
      node !== null && { events: listed('Events', getEvents(rollup), EVENTS) }),
    transactions: getSubmissions(rollup, 'Transactions'),
    deposits: listed('Deposits', toList(rollups.listRollupDeposits, item), DEPOSITS, NO_DEPOSIT),
    withdrawals: listed('Withdrawals', toList(rollups.listRollupWithdrawals, item), WITHDRAWALS, NO_WITHDRAWAL),
    ...(node !== null && {
      blocks: listed('Blocks', toList(rollups.listRollupBlocks, item), ROLLUP_BLOCKS, 'None was executed yet.'),
    }),
  };
}

/** Most networks are looked at for one kind of rollup, so the pages of the EVM come with the first such rollup. */
async function load(id: string) {
  const rollup = await ask(rollups.getRollup, { rollup: id });
  return { rollup, evm: rollup.kind === 'evm' ? await import('../evm/evm.tsx') : undefined };
}

/** @param id Id or name, as in the address. */
export function Rollup({ id, part, route }: PageProps) {
  const base = rollupPath(id);
  return (
    <Loaded
      page="Rollup"
      name={base}
      load={() => load(id)}
      absent="It has no data in the index, and no node of it is followed. By name only followed ones are found."
      show={({ rollup, evm }) => {
        const { offers, node } = rollup;
        const newest = evm ? getEvmTransfers(id) : getLists(id, rollup);
        const isDefined = node !== null && !evm && offers?.paths.includes('/v1/definition') === true;
        const lists: Lists = {
          ...evm?.getLists(id),
          ...newest,
          ...(isDefined && { tables: getParts(TABLES, id), queries: getParts(QUERIES, id) }),
        };
        // An EVM rollup lists its transactions on its own.
        const others = evm ? { transactions: getSubmissions(id, 'Submissions') } : {};
        return (
          <>
            <Title kind="Rollup">{shown(rollup.name) || `${rollup.rollup.slice(0, 10)}…`}</Title>
            <Sections {...{ base, lists, part, others }} label="About this rollup" cursor={route.cursor}>
              <Overview rollup={rollup} />
              {rollup.sheet !== null && <BalanceTiles sheet={rollup.sheet} />}
              {evm && <evm.EvmOverview rollup={id} />}
              {offers?.views.map(({ name, summary }) => (
                <NodeAnswer key={name} rollup={id} path={name} title={summary || name} />
              ))}
              <Newest lists={newest} base={base} optional="messages" />
            </Sections>
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
          node.firmLayerHeight !== null && ['Data availability', `height ${formatCount(node.firmLayerHeight)}`],
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
