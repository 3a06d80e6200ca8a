import type { Input } from '@switchyard/client/http-api';
import { numberOf, textOf, word } from '../api.ts';
import { Chart } from '../charts/chart.tsx';
import { Contract } from '../contract/contract.tsx';
import { formatCount, significant } from '../format.ts';
import { useLive } from '../live.tsx';
import { Answer } from '../parts/answer.tsx';
import { Id } from '../parts/id.tsx';
import { FactList, Tabs, Title } from '../parts/layout.tsx';
import { type Columns, List } from '../parts/list.tsx';
import type { Route } from '../route.ts';
import { Address, blockOf, ether, TokenName, transactionOf } from './cells.tsx';
import {
  depositColumns,
  holdingColumns,
  internalColumns,
  transactionColumns,
  transferColumns,
  withdrawalColumns,
} from './columns.tsx';
import { Log } from './transaction.tsx';

interface Section {
  readonly part: string;
  readonly name: string;
  readonly columns: Columns;
  readonly empty: string;
  /** Of the answer about the address; lists without one are always offered. */
  readonly count?: string;
  readonly isForContracts?: boolean;
}

const sections = (base: string): readonly Section[] => [
  {
    part: 'transactions',
    name: 'Transactions',
    columns: transactionColumns(base),
    empty: 'None yet.',
    count: 'transactions',
  },
  {
    part: 'token-transfers',
    name: 'Token transfers',
    columns: transferColumns(base),
    empty: 'None yet.',
    count: 'tokenTransfers',
  },
  { part: 'tokens', name: 'Holdings', columns: holdingColumns(base), empty: 'It holds no token.' },
  { part: 'internal', name: 'Internal', columns: internalColumns(base), empty: 'None yet.', count: 'internalCalls' },
  { part: 'withdrawals', name: 'Withdrawals', columns: withdrawalColumns(base), empty: 'None yet.' },
  { part: 'deposits', name: 'Deposits', columns: depositColumns(base), empty: 'None yet.', count: 'deposits' },
  {
    part: 'logs',
    name: 'Logs',
    columns: [
      ['Transaction', transactionOf(base, 'transaction')],
      ['Block', blockOf(base, 'block')],
      ['Log', (log) => <Log base={base} log={log} />],
    ],
    empty: 'It has emitted nothing yet.',
    isForContracts: true,
  },
];

/** Sources, and forms to read and write. */
const CONTRACT = { part: 'contract', name: 'Contract' };

export function EvmAddress({
  base,
  address,
  part,
  route,
}: {
  readonly base: string;
  readonly address: string;
  readonly part: string;
  readonly route: Route;
}) {
  const { turn } = useLive();
  const path = `${base}/addresses/${encodeURIComponent(address)}`;
  return (
    <Answer
      page="Address"
      path={path}
      turn={turn}
      show={(found) => {
        const isContract = word(found.at('isContract')) === 'true';
        const offered = sections(base).filter(({ isForContracts }) => isContract || isForContracts !== true);
        const one = offered.find((each) => each.part === (part || 'transactions'));
        return (
          <>
            <Title>{isContract ? 'Contract' : 'Address'}</Title>
            <Overview base={base} found={found} isContract={isContract} />
            {part === '' && <History path={path} />}
            <Tabs
              base={path}
              label="About this address"
              current={part || 'transactions'}
              tabs={[
                ...offered.map(({ part: of, name, count }) => {
                  const total = count === undefined ? '' : word(found.at(count));
                  return { name: total === '' || total === '0' ? name : `${name} (${formatCount(total)})`, part: of };
                }),
                ...(isContract ? [CONTRACT] : []),
              ]}
            />
            {isContract && part === CONTRACT.part && <Contract rollup={route.parts[1] ?? ''} address={address} />}
            {one !== undefined && (
              <List
                title={one.name}
                path={`${path}/${one.part}`}
                columns={one.columns}
                empty={one.empty}
                turn={turn}
                page={{ path: part === '' ? `${path}/${one.part}` : route.path, cursor: route.cursor }}
              />
            )}
          </>
        );
      }}
    />
  );
}

function Overview({
  base,
  found,
  isContract,
}: {
  readonly base: string;
  readonly found: Input;
  readonly isContract: boolean;
}) {
  const token = found.at('token');
  return (
    <FactList
      facts={[
        ['Address', <Id key="address" text={word(found.at('address'))} isWhole />],
        ['Balance', ether(textOf(found, 'balance'))],
        ['Nonce', formatCount(textOf(found, 'nonce'))],
        isContract && found.at('creator').isPresent
          ? [
              'Created by',
              <span key="creator">
                <Address base={base} text={word(found.at('creator'))} /> in{' '}
                {transactionOf(base, 'creationTransaction')(found)}
              </span>,
            ]
          : undefined,
        token.isPresent ? ['Token', <TokenName key="token" base={base} token={token} />] : undefined,
        ['First seen in', blockOf(base, 'firstBlock')(found)],
        ['Last seen in', blockOf(base, 'lastBlock')(found)],
        textOf(found, 'problem') === '' ? undefined : ['Incomplete', textOf(found, 'problem')],
      ]}
    />
  );
}

const WEI = 10 ** 18;

/** Balance and nonce over time, where the node still has them. */
function History({ path }: { readonly path: string }) {
  return (
    <Answer
      path={`${path}/history`}
      absent={null}
      show={(history) => {
        const points = history.at('points').list();
        if (points.length < 2) return null;
        const labels = points.map((point) => `Block ${textOf(point, 'block')}`);
        const balances = points.map((point) => Number(word(point.at('balance'))) / WEI);
        return (
          <div className="charts">
            <Chart
              title="Balance"
              note="in ETH"
              series={[{ name: 'Balance', values: balances }]}
              labels={labels}
              format={significant}
            />
            <Chart
              title="Nonce"
              series={[{ name: 'Nonce', values: points.map((point) => numberOf(point, 'nonce')) }]}
              labels={labels}
              format={significant}
            />
          </div>
        );
      }}
    />
  );
}
