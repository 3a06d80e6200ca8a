import { FactList } from '../../ui/facts.tsx';
import { formatCount } from '../../ui/format.ts';
import { shown } from '../../ui/shown.ts';
import type { Columns } from '../../ui/table.tsx';
import { type Entry, getAccount, getHistory, getMessages } from '../api.ts';
import { Loaded } from '../parts/answer.tsx';
import { amount, amounts, Id, link, rollupFact, text, when } from '../parts/cells.tsx';
import { Title } from '../parts/layout.tsx';
import { listed } from '../parts/list.tsx';
import type { PageProps } from '../route.ts';
import { MESSAGES } from './columns.tsx';

const HISTORY: Columns<Entry> = [
  ['Kind', text('kind')],
  ['Time', when('time')],
  ['From', link('./accounts', 'from')],
  ['To', link('./accounts', 'to')],
  ['Amount', amount],
  ['Transaction', link('./transactions', 'hash')],
];
const OWN_MESSAGES = MESSAGES.filter(([name]) => name !== 'Address');
const OPTIONAL = { limit: 25, isOptional: true } as const;

/** An account of a rollup of the framework, as far as the rollup's own API has accounts. */
export function RollupAccount({ rollup, id: address }: PageProps) {
  return (
    <Loaded
      page="Rollup account"
      name={`${rollup} account ${address}`}
      load={() => getAccount(rollup, address)}
      absent={`The node of this rollup has no account ${shown(address)}.`}
      show={(account) => (
        <>
          <Title>Rollup account</Title>
          <FactList
            facts={[
              ['Address', <Id key="address" text={account.address || address} isWhole isAccount />],
              rollupFact(rollup),
              ['Balances', amounts(account.balances ?? null)],
              ['Nonce', formatCount(account.nonce)],
              [
                'On the sequencer',
                <a key="sequencer" href={`#/accounts/${encodeURIComponent(address)}`}>
                  the account of the same key
                </a>,
              ],
            ]}
          />
          {listed('Transfers and deposits', getHistory(rollup, address), HISTORY).show(OPTIONAL)}
          {listed('Messages', getMessages(rollup, address), OWN_MESSAGES).show(OPTIONAL)}
        </>
      )}
    />
  );
}
