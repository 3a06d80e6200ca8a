import { textOf, within, word } from '../api.ts';
import { formatCount } from '../format.ts';
import { useLive } from '../live.tsx';
import { Answer } from '../parts/answer.tsx';
import { amount, amounts, link, text, when } from '../parts/cells.tsx';
import { Id } from '../parts/id.tsx';
import { Absent, FactList, Title } from '../parts/layout.tsx';
import { type Columns, List } from '../parts/list.tsx';
import { shown } from '../shown.ts';
import { MESSAGES } from './columns.ts';

/** An account of a rollup of the framework, as far as the rollup's own API has accounts. */
export function RollupAccount({ rollup, address }: { readonly rollup: string; readonly address: string }) {
  const { turn } = useLive();
  const base = `/rollups/${encodeURIComponent(rollup)}`;
  const path = `${base}/accounts/${encodeURIComponent(address)}`;
  const history: Columns = [
    ['Kind', text('kind')],
    ['Time', when('time')],
    ['From', link(`${base.slice(1)}/accounts`, 'from')],
    ['To', link(`${base.slice(1)}/accounts`, 'to')],
    ['Amount', amount],
    ['Transaction', link(`${base.slice(1)}/transactions`, 'hash')],
  ];
  return (
    <Answer
      page="Rollup account"
      path={path}
      turn={turn}
      absent={<Absent title="No such account">The node of this rollup has no account {shown(address)}.</Absent>}
      show={(account) => (
        <>
          <Title>Rollup account</Title>
          <FactList
            facts={[
              ['Address', <Id key="address" text={word(within(account, 'address')) || address} isWhole />],
              [
                'Rollup',
                <a key="rollup" href={`#${base}`}>
                  {shown(rollup.length > 20 ? `${rollup.slice(0, 10)}…` : rollup)}
                </a>,
              ],
              ['Balances', amounts(within(account, 'balances'))],
              ['Nonce', formatCount(textOf(account, 'nonce'))],
              [
                'On the sequencer',
                <a key="sequencer" href={`#/accounts/${encodeURIComponent(address)}`}>
                  the account of the same key
                </a>,
              ],
            ]}
          />
          <List
            title="Transfers and deposits"
            path={`${path}/history?limit=25`}
            columns={history}
            turn={turn}
            isOptional
          />
          <List
            title="Messages"
            path={`${base}/messages?limit=25&sender=${encodeURIComponent(address)}`}
            columns={MESSAGES(base).filter(([name]) => name !== 'Address')}
            turn={turn}
            isOptional
          />
        </>
      )}
    />
  );
}
