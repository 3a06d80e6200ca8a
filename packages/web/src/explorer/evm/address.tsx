import { type EvmLog, evm, type EvmAddress as Facts } from '@switchyard/explorer/contract';
import { FactList } from '../../ui/facts.tsx';
import { formatCount, significant } from '../../ui/format.ts';
import { shown } from '../../ui/shown.ts';
import type { Columns } from '../../ui/table.tsx';
import { listOf } from '../api.ts';
import { Charts } from '../charts/chart.tsx';
import { Contract } from '../contract/contract.tsx';
import { Answer } from '../parts/answer.tsx';
import { Id } from '../parts/cells.tsx';
import { Tabs, Title } from '../parts/layout.tsx';
import { type Lists, listed, oneOf, tabsOf } from '../parts/list.tsx';
import type { PageProps } from '../route.ts';
import { ether } from './amounts.ts';
import {
  Address,
  blockOf,
  depositColumns,
  evmBase,
  holdingColumns,
  internalColumns,
  TokenName,
  transactionColumns,
  transactionOf,
  transferColumns,
  withdrawalColumns,
} from './columns.tsx';
import { Log } from './transaction.tsx';

function lists(rollup: string, address: string, isContract: boolean): Lists {
  const base = evmBase(rollup);
  const of = { rollup, address };
  const logs: Columns<EvmLog> = [
    ['Transaction', transactionOf(base, 'transaction')],
    ['Block', blockOf(base, 'block')],
    ['Log', (log) => <Log base={base} log={log} />],
  ];
  return {
    transactions: listed('Transactions', listOf(evm.listEvmAddressTransactions, of), transactionColumns(base)),
    'token-transfers': listed('Token transfers', listOf(evm.listEvmAddressTokenTransfers, of), transferColumns(base)),
    tokens: listed('Holdings', listOf(evm.listEvmAddressTokens, of), holdingColumns(base), 'It holds no token.'),
    internal: listed('Internal', listOf(evm.listEvmAddressInternalCalls, of), internalColumns(base)),
    withdrawals: listed('Withdrawals', listOf(evm.listEvmAddressWithdrawals, of), withdrawalColumns(base)),
    deposits: listed('Deposits', listOf(evm.listEvmAddressDeposits, of), depositColumns(base)),
    ...(isContract && {
      logs: listed('Logs', listOf(evm.listEvmAddressLogs, of), logs, 'It has emitted nothing yet.'),
    }),
  };
}

/** Lengths of the lists that have one. */
const countsOf = (found: Facts): Readonly<Record<string, number>> => ({
  transactions: found.transactions,
  'token-transfers': found.tokenTransfers,
  internal: found.internalCalls,
  deposits: found.deposits,
});

/** Sources, and forms to read and write. */
const CONTRACT = { part: 'contract', name: 'Contract' };

export function EvmAddress({ rollup, id: address, part, route }: PageProps) {
  const path = `${evmBase(rollup)}/addresses/${encodeURIComponent(address)}`;
  return (
    <Answer
      page="Address"
      route={evm.getEvmAddress}
      params={{ rollup, address }}
      show={(found) => {
        const { isContract } = found;
        const offered = lists(rollup, address, isContract);
        const counts = countsOf(found);
        const current = part || 'transactions';
        return (
          <>
            <Title>{isContract ? 'Contract' : 'Address'}</Title>
            <Overview base={evmBase(rollup)} found={found} />
            {part === '' && <History rollup={rollup} address={address} />}
            <Tabs
              base={path}
              label="About this address"
              current={current}
              tabs={[
                ...tabsOf(offered).map(({ name, part }) => ({
                  name: counts[part] ? `${name} (${formatCount(counts[part])})` : name,
                  part,
                })),
                ...(isContract ? [CONTRACT] : []),
              ]}
            />
            {isContract && part === CONTRACT.part && (
              <Contract
                rollup={rollup}
                address={address}
                base={`${path}/${CONTRACT.part}`}
                tab={route.parts[6] ?? ''}
              />
            )}
            {oneOf(offered, current)?.show({
              page: { path: part === '' ? `${path}/${current}` : route.path, cursor: route.cursor },
            })}
          </>
        );
      }}
    />
  );
}

function Overview({ base, found }: { readonly base: string; readonly found: Facts }) {
  const { creator, token, problem } = found;
  return (
    <FactList
      facts={[
        ['Address', <Id key="address" text={found.address} isWhole isAccount />],
        ['Balance', ether(found.balance)],
        ['Nonce', formatCount(found.nonce)],
        found.isContract && creator !== null
          ? [
              'Created by',
              <span key="creator">
                <Address base={base} text={creator} /> in {transactionOf(base, 'creationTransaction')(found)}
              </span>,
            ]
          : undefined,
        token === null ? undefined : ['Token', <TokenName key="token" base={base} token={token} />],
        ['First seen in', blockOf(base, 'firstBlock')(found)],
        ['Last seen in', blockOf(base, 'lastBlock')(found)],
        problem === null ? undefined : ['Incomplete', shown(problem)],
      ]}
    />
  );
}

const WEI = 10 ** 18;

/** Balance and nonce over time, if the node still has them. */
const History = ({ rollup, address }: { readonly rollup: string; readonly address: string }) => (
  <Answer
    route={evm.getEvmAddressHistory}
    params={{ rollup, address }}
    isOnce
    absent={null}
    show={({ points }) => {
      if (points.length < 2) return null;
      const balances = points.map(({ balance }) => Number(balance) / WEI);
      const nonces = points.map(({ nonce }) => nonce);
      return (
        <Charts
          labels={points.map(({ block }) => `Block ${block}`)}
          charts={[
            { title: 'Balance', note: 'in ETH', series: [{ name: 'Balance', values: balances }], format: significant },
            { title: 'Nonce', series: [{ name: 'Nonce', values: nonces }], format: significant },
          ]}
        />
      );
    }}
  />
);
