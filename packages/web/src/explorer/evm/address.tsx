import { type EvmLog, evm, type EvmAddress as Facts } from '@switchyard/explorer/contract';
import { ETHER } from '@switchyard/protocol/values';
import { FactList } from '../../ui/facts.tsx';
import { formatCount, significant } from '../../ui/format.ts';
import { shown } from '../../ui/shown.ts';
import type { Columns } from '../../ui/table.tsx';
import { toList } from '../api.ts';
import { Charts, chartOf } from '../charts/chart.tsx';
import { Contract } from '../contract/contract.tsx';
import { Answer } from '../parts/answer.tsx';
import { Id, inBlock } from '../parts/cells.tsx';
import { Title } from '../parts/layout.tsx';
import { type Lists, listed, Sections } from '../parts/list.tsx';
import type { PageProps } from '../route.ts';
import { ether } from './amounts.ts';
import {
  Address,
  block,
  DEPOSITS,
  evmBase,
  HOLDINGS,
  INTERNAL_CALLS,
  TokenName,
  TRANSACTIONS,
  TRANSFERS,
  transaction,
  WITHDRAWALS,
} from './columns.tsx';
import { Log } from './transaction.tsx';

const LOGS: Columns<EvmLog> = [
  ['Transaction', transaction('transaction')],
  ['Block', block('block')],
  ['Log', (log) => <Log log={log} />, 'words'],
];

function lists(rollup: string, address: string, isContract: boolean): Lists {
  const item = { rollup, address };
  return {
    transactions: listed('Transactions', toList(evm.listEvmAddressTransactions, item), TRANSACTIONS),
    'token-transfers': listed('Token transfers', toList(evm.listEvmAddressTokenTransfers, item), TRANSFERS),
    tokens: listed('Holdings', toList(evm.listEvmAddressTokens, item), HOLDINGS, 'It holds no token.'),
    internal: listed('Internal', toList(evm.listEvmAddressInternalCalls, item), INTERNAL_CALLS),
    withdrawals: listed('Withdrawals', toList(evm.listEvmAddressWithdrawals, item), WITHDRAWALS),
    deposits: listed('Deposits', toList(evm.listEvmAddressDeposits, item), DEPOSITS),
    ...(isContract && {
      logs: listed('Logs', toList(evm.listEvmAddressLogs, item), LOGS, 'It has emitted nothing yet.'),
    }),
  };
}

export function EvmAddress({ rollup, id: address, part, route }: PageProps) {
  const path = `${evmBase(rollup)}/addresses/${encodeURIComponent(address)}`;
  return (
    <Answer
      page="Address"
      route={evm.getEvmAddress}
      params={{ rollup, address }}
      show={(found) => {
        const { isContract, transactions, tokenTransfers, internalCalls: internal, deposits } = found;
        const contract = { rollup, address, base: `${path}/contract`, tab: route.parts[6] ?? '' };
        const offered: Lists = {
          ...lists(rollup, address, isContract),
          ...(isContract && { contract: { title: 'Contract', show: () => <Contract {...contract} /> } }),
        };
        return (
          <>
            <Title>{isContract ? 'Contract' : 'Address'}</Title>
            <Overview {...found} />
            {part === '' && <History rollup={rollup} address={address} />}
            <Sections
              base={path}
              label="About this address"
              lists={offered}
              counts={{ transactions, 'token-transfers': tokenTransfers, internal, deposits }}
              part={part}
              cursor={route.cursor}
            />
          </>
        );
      }}
    />
  );
}

function Overview({ creator, token, problem, ...found }: Facts) {
  return (
    <FactList
      facts={[
        ['Address', <Id key="address" text={found.address} isWhole isAccount />],
        ['Balance', ether(found.balance)],
        ['Nonce', formatCount(found.nonce)],
        found.isContract &&
          creator !== null && [
            'Created by',
            <span key="creator">
              <Address text={creator} /> in {transaction('creationTransaction')(found)}
            </span>,
          ],
        token === null ? undefined : ['Token', <TokenName key="token" token={token} />],
        ['First seen', inBlock(found.firstBlock, './evm/blocks')],
        ['Last seen', inBlock(found.lastBlock, './evm/blocks')],
        problem === null ? undefined : ['Incomplete', shown(problem)],
      ]}
    />
  );
}

const WEI = 10 ** ETHER.decimals;

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
            chartOf('Balance', balances, { note: `in ${ETHER.symbol}`, format: significant }),
            chartOf('Nonce', nonces, { format: significant }),
          ]}
        />
      );
    }}
  />
);
