import { sequencer } from '@switchyard/explorer/contract';
import { FactList } from '../../ui/facts.tsx';
import { formatCount } from '../../ui/format.ts';
import { toList } from '../api.ts';
import { Answer } from '../parts/answer.tsx';
import { amounts, Id, inBlock, rollupLink } from '../parts/cells.tsx';
import { Title } from '../parts/layout.tsx';
import { listed } from '../parts/list.tsx';
import type { PageProps } from '../route.ts';
import { DEPOSITS, TRANSACTIONS, WITHDRAWALS } from './columns.tsx';

const NONE = 'None that the index knows: this account neither signed a transaction nor was named in one.';
const ROLLUP = ['Rollup', rollupLink] as const;
const MOVED = { limit: 25, empties: 'nothing' } as const;

/** An account of the sequencer. */
export function Account({ id: address, route }: PageProps) {
  return (
    <Answer
      page="Account"
      route={sequencer.getAccount}
      params={{ address }}
      show={(account) => (
        <>
          <Title>{account.isValidator ? 'Validator account' : 'Account'}</Title>
          <FactList
            facts={[
              ['Address', <Id key="address" text={account.address ?? ''} isWhole isAccount />],
              ['Balances', amounts(account.balances)],
              ['Nonce', formatCount(account.nonce)],
              ['Transactions', formatCount(account.transactions)],
              ['First seen', inBlock(account.firstHeight)],
              ['Last seen', inBlock(account.lastHeight)],
              account.bridge !== null && [
                'Bridge account of',
                <span key="bridge">
                  {rollupLink(account.bridge)} · <a href={`#/bridges/${account.address}`}>balance sheet</a>
                </span>,
              ],
            ]}
          />
          {listed('Transactions', toList(sequencer.listAccountTransactions, { address }), TRANSACTIONS, NONE).show({
            page: route,
          })}
          {listed('Deposits', toList(sequencer.listAccountDeposits, { address }), [ROLLUP, ...DEPOSITS]).show(MOVED)}
          {listed('Withdrawals', toList(sequencer.listAccountWithdrawals, { address }), [ROLLUP, ...WITHDRAWALS]).show(
            MOVED,
          )}
        </>
      )}
    />
  );
}
