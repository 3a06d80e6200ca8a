import { type BalanceSheet, type Bridge as Facts, rollups, sequencer } from '@switchyard/explorer/contract';
import { Badge } from '../../ui/badge.tsx';
import { FactList } from '../../ui/facts.tsx';
import { shown } from '../../ui/shown.ts';
import type { Columns } from '../../ui/table.tsx';
import { ask, toList } from '../api.ts';
import { useLive } from '../live.tsx';
import { Answer, useAsked } from '../parts/answer.tsx';
import { amount, amounts, type Fact, Id, Link, rollupLink } from '../parts/cells.tsx';
import { Hint } from '../parts/hint.tsx';
import { Absent, Tiles, Title } from '../parts/layout.tsx';
import { type Lists, listed, Newest, Sections } from '../parts/list.tsx';
import type { PageProps } from '../route.ts';
import { DEPOSITS, WITHDRAWALS } from './columns.tsx';

/** A bridge account: what it holds and owes, and what went through it. */
export function Bridge({ id: address, part, route }: PageProps) {
  const base = `/bridges/${encodeURIComponent(address)}`;
  return (
    <Answer
      page="Bridge account"
      route={sequencer.getBridge}
      params={{ address }}
      absent={
        <Absent title="No bridge account">
          {shown(address)} is no bridge account.{' '}
          <a href={`#/accounts/${encodeURIComponent(address)}`}>See the account</a>
        </Absent>
      }
      show={(bridge) => {
        const all = toLists(bridge);
        return (
          <>
            <Title kind="Bridge account">{shown(bridge.name) || `of ${bridge.rollup.slice(0, 10)}…`}</Title>
            <Sections base={base} label="About this bridge account" lists={all} part={part} cursor={route.cursor}>
              <Sheet bridge={bridge} />
              <FactList
                facts={[
                  ['Account', <Id key="account" text={address} to={`/accounts/${address}`} isWhole />],
                  ['Rollup', rollupLink(bridge)],
                  ['Asset', shown(bridge.asset)],
                  ['Holds', amounts(bridge.balances)],
                  roleFact('Withdrawer', bridge.withdrawer),
                  roleFact('Roles are changed by', bridge.sudo),
                  ['Made in', <Link key="made" kind="transactions" id={bridge.transaction} />],
                ]}
              />
              <Newest lists={all} base={base} limit={10} />
            </Sections>
          </>
        );
      }}
    />
  );
}

const roleFact = (name: string, account: string | undefined): Fact =>
  account === undefined ? undefined : [name, <Link key="role" kind="accounts" id={account} />];

function toLists({ address, name }: Facts): Lists {
  const item = { address: address ?? '' };
  const without = <T,>(columns: Columns<T>) => columns.filter(([column]) => column !== 'From bridge');
  return {
    deposits: listed(
      'Deposits',
      toList(sequencer.listAccountDeposits, item),
      without(DEPOSITS),
      <Hint
        command={`switchyard sequencer bridge-lock ${item.address} --amount 5 --destination-chain-address ADDRESS --private-key-file FILE`}
      >
        Nothing was deposited yet. Bring an amount to {shown(name) || 'the rollup'}:
      </Hint>,
    ),
    withdrawals: listed(
      'Withdrawals',
      toList(sequencer.listAccountWithdrawals, item),
      without(WITHDRAWALS),
      <Hint>No withdrawal was paid yet.</Hint>,
    ),
  };
}

/** Holdings of the account against its debts, as its withdrawer has it. */
function Sheet({ bridge: { rollup, address } }: { readonly bridge: Facts }) {
  const { turn } = useLive();
  // There is none for a rollup without data in a block.
  const { value } = useAsked(`sheet ${rollup}`, () => ask(rollups.getRollup, { rollup }), turn);
  const sheet = value?.sheet ?? null;
  return sheet === null || sheet.bridge !== address ? null : <BalanceTiles sheet={sheet} />;
}

export function BalanceTiles({ sheet }: { readonly sheet: BalanceSheet }) {
  const { asset, isBalanced } = sheet;
  const units = (value: string) => {
    const text = amount({ asset, amount: value.replace('-', '') });
    return value.startsWith('-') ? `−${text}` : text;
  };
  return (
    <section aria-labelledby="sheet">
      <div className="head">
        <h2 id="sheet">Balance sheet</h2>
        <Badge tone={isBalanced ? 'good' : 'bad'}>
          {isBalanced ? 'it holds all that it owes' : 'something is missing'}
        </Badge>
      </div>
      <Tiles
        className="tiles sheet"
        tiles={[
          ['Locked', units(sheet.locked), 'balance of the account'],
          ['On the rollup', units(sheet.minted), 'deposited, not withdrawn'],
          ['Unpaid', units(sheet.unpaid), 'withdrawn and under way'],
          ['Uncredited', units(sheet.uncredited), 'refused deposits'],
          [sheet.surplus.startsWith('-') ? 'Missing' : 'Surplus', units(sheet.surplus), 'the rest'],
        ]}
      />
    </section>
  );
}
