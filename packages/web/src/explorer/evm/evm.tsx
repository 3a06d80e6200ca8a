import { evm } from '@switchyard/explorer/contract';
import { Fragment } from 'react';
import { shown } from '../../ui/shown.ts';
import { listOf } from '../api.ts';
import { useLive } from '../live.tsx';
import { Absent } from '../parts/layout.tsx';
import { type Listed, listed } from '../parts/list.tsx';
import type { EvmPage, Route } from '../route.ts';
import { NO_EVM_WITHDRAWAL } from '../views/hints.tsx';
import { EvmAddress } from './address.tsx';
import { EvmBlock } from './block.tsx';
import { evmBase } from './cells.tsx';
import { EvmCharts } from './charts.tsx';
import { blockColumns, tokenColumns, transactionColumns, withdrawalColumns } from './columns.tsx';
import { NoEvmTransaction, NoToken } from './hints.tsx';
import { EvmToken } from './token.tsx';
import { EvmTransaction } from './transaction.tsx';

/* Pages of EVM rollups, loaded when the first of them is opened. */

const SHOWN = 6;
const CHARTED = 100;

function lists(rollup: string): Readonly<Record<string, Listed>> {
  const base = evmBase(rollup);
  return {
    transactions: listed(
      'Transactions',
      listOf(evm.listEvmTransactions, { rollup }),
      transactionColumns(base),
      <NoEvmTransaction rollup={rollup} />,
    ),
    blocks: listed('Blocks', listOf(evm.listEvmBlocks, { rollup }), blockColumns(base)),
    tokens: listed('Tokens', listOf(evm.listEvmTokens, { rollup }), tokenColumns(base), <NoToken rollup={rollup} />),
    withdrawals: listed(
      'Withdrawn',
      listOf(evm.listEvmWithdrawals, { rollup }),
      withdrawalColumns(base),
      NO_EVM_WITHDRAWAL,
    ),
  };
}

/** Charts and newest entries of an EVM rollup, for its overview. */
export function EvmOverview({ rollup }: { readonly rollup: string }) {
  const { turn } = useLive();
  return (
    <>
      <EvmCharts rollup={rollup} blocks={CHARTED} turn={turn} />
      {Object.entries(lists(rollup)).map(([part, list]) => (
        <Fragment key={part}>{list.show({ limit: SHOWN, turn, all: `${evmBase(rollup)}/${part}` })}</Fragment>
      ))}
    </>
  );
}

/** One of its lists, by pages. */
export function EvmList({ rollup, part, route }: Omit<EvmPage, 'id'>) {
  const { turn } = useLive();
  const list = lists(rollup)[part];
  if (list === undefined) return <p className="message bad">There is no page at {shown(route.path)}.</p>;
  return list.show({ turn, page: route });
}

const PAGES = {
  blocks: EvmBlock,
  transactions: EvmTransaction,
  addresses: EvmAddress,
  tokens: EvmToken,
};

/** A page below `/rollups/{rollup}/evm/`. */
export function EvmView({ rollup, route }: { readonly rollup: string; readonly route: Route }) {
  const [, , , kind = '', id = '', part = ''] = route.parts;
  const Page = Object.hasOwn(PAGES, kind) && id !== '' ? PAGES[kind as keyof typeof PAGES] : undefined;
  if (Page !== undefined) return <Page key={id} rollup={rollup} id={id} part={part} route={route} />;
  return <Absent title="No such page">There is no page at {shown(route.path)}.</Absent>;
}
