import { useLive } from '../live.tsx';
import { Absent } from '../parts/layout.tsx';
import { List } from '../parts/list.tsx';
import type { Route } from '../route.ts';
import { shown } from '../shown.ts';
import { EvmAddress } from './address.tsx';
import { EvmBlock } from './block.tsx';
import { evmBase } from './cells.tsx';
import { EvmCharts } from './charts.tsx';
import { blockColumns, tokenColumns, transactionColumns, withdrawalColumns } from './columns.tsx';
import { EvmToken } from './token.tsx';
import { EvmTransaction } from './transaction.tsx';

/* Pages of EVM rollups, loaded when the first of them is opened. */

const SHOWN = 6;
const CHARTED = 100;

const LISTS = [
  { part: 'transactions', title: 'Transactions', columns: transactionColumns, empty: 'None was executed yet.' },
  { part: 'blocks', title: 'Blocks', columns: blockColumns, empty: 'None was executed yet.' },
  {
    part: 'tokens',
    title: 'Tokens',
    columns: tokenColumns,
    empty: 'No contract has reported a transfer of a token yet.',
  },
  {
    part: 'withdrawals',
    title: 'Withdrawn',
    columns: withdrawalColumns,
    empty: 'No contract has reported a withdrawal yet.',
  },
] as const;

/** What an EVM rollup has on its overview. */
export function EvmOverview({ rollup }: { readonly rollup: string }) {
  const { turn } = useLive();
  const base = evmBase(rollup);
  return (
    <>
      <EvmCharts base={base} blocks={CHARTED} turn={turn} />
      {LISTS.map(({ part, title, columns, empty }) => (
        <List
          key={part}
          title={title}
          path={`${base}/${part}?limit=${SHOWN}`}
          columns={columns(base)}
          empty={empty}
          turn={turn}
          all={`${base}/${part}`}
        />
      ))}
    </>
  );
}

/** One of its lists, by pages. */
export function EvmList({
  rollup,
  part,
  route,
}: {
  readonly rollup: string;
  readonly part: string;
  readonly route: Route;
}) {
  const { turn } = useLive();
  const base = evmBase(rollup);
  const list = LISTS.find((each) => each.part === part);
  if (list === undefined) return <p className="message bad">There is no page at {shown(route.path)}.</p>;
  const { title, columns, empty } = list;
  return <List title={title} path={`${base}/${part}`} columns={columns(base)} empty={empty} turn={turn} page={route} />;
}

/** A page below `/rollups/{rollup}/evm/`. */
export function EvmView({ rollup, route }: { readonly rollup: string; readonly route: Route }) {
  const base = evmBase(rollup);
  const [, , , kind = '', id = '', part = ''] = route.parts;
  if (kind === 'blocks' && id !== '') return <EvmBlock key={id} base={base} id={id} route={route} />;
  if (kind === 'transactions' && id !== '') return <EvmTransaction key={id} base={base} hash={id} />;
  if (kind === 'addresses' && id !== '')
    return <EvmAddress key={id} base={base} address={id} part={part} route={route} />;
  if (kind === 'tokens' && id !== '') return <EvmToken key={id} base={base} address={id} part={part} route={route} />;
  return <Absent title="No such page">There is no page at {shown(route.path)}.</Absent>;
}
