import { textOf, within, word } from '../api.ts';
import { formatCount } from '../format.ts';
import { useLive } from '../live.tsx';
import { Answer } from '../parts/answer.tsx';
import { amounts, link, rollupLink } from '../parts/cells.tsx';
import { Id } from '../parts/id.tsx';
import { FactList, Title } from '../parts/layout.tsx';
import { List } from '../parts/list.tsx';
import type { Route } from '../route.ts';
import { DEPOSITS, TRANSACTIONS, WITHDRAWALS } from './columns.ts';

/** An account of the sequencer. */
export function Account({ address, route }: { readonly address: string; readonly route: Route }) {
  const { turn } = useLive();
  const path = `/accounts/${encodeURIComponent(address)}`;
  return (
    <Answer
      page="Account"
      path={path}
      turn={turn}
      show={(account) => (
        <>
          <Title>{word(account.at('isValidator')) === 'true' ? 'Validator account' : 'Account'}</Title>
          <FactList
            facts={[
              ['Address', <Id key="address" text={word(account.at('address'))} isWhole />],
              ['Balances', amounts(account.at('balances'))],
              ['Nonce', formatCount(textOf(account, 'nonce'))],
              ['Transactions', formatCount(textOf(account, 'transactions'))],
              ['First seen in', link('blocks', 'firstHeight')(account)],
              ['Last seen in', link('blocks', 'lastHeight')(account)],
              account.at('bridge').isPresent ? ['Bridge account of', rollupLink(within(account, 'bridge'))] : undefined,
            ]}
          />
          <List
            title="Transactions"
            path={`${path}/transactions`}
            columns={TRANSACTIONS}
            turn={turn}
            page={route}
            empty="None that the index knows: this account neither signed a transaction nor was named in one."
          />
          {(['deposits', 'withdrawals'] as const).map((part) => (
            <List
              key={part}
              title={part === 'deposits' ? 'Deposits' : 'Withdrawals'}
              path={`${path}/${part}?limit=25`}
              columns={[['Rollup', rollupLink], ...(part === 'deposits' ? DEPOSITS : WITHDRAWALS)]}
              turn={turn}
              isHiddenEmpty
            />
          ))}
        </>
      )}
    />
  );
}
