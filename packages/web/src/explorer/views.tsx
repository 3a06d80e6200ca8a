import type { Input } from '@switchyard/client/http-api';
import { useState } from 'react';
import { ask, within, word } from './api.ts';
import { checkProof } from './check-proof.ts';
import { Answer, type Columns, FactList, Id, List, messageOf, When } from './parts.tsx';
import { shown } from './shown.ts';

const cell =
  (...names: readonly string[]) =>
  (row: Input) =>
    shown(word(within(row, ...names)));
const link = (kind: string, name: string) => (row: Input) => {
  const text = word(row.at(name));
  return text === '' ? '–' : <Id text={text} to={`/${kind}/${text}`} />;
};
const when = (name: string) => (row: Input) => <When at={row.at(name)} />;
const words = (input: Input) => input.list().map(word).join(', ');
const amounts = (input: Input) =>
  input.isPresent
    ? input
        .list()
        .map((each) => `${word(each.at('amount'))} ${shown(word(each.at('asset')))}`)
        .join(', ')
    : 'not known: the sequencer does not answer';
const result = (row: Input) =>
  word(row.at('code')) === '0' ? 'executed' : `refused: ${shown(word(row.at('reason')))}`;

const BLOCKS: Columns = [
  ['Height', link('blocks', 'height')],
  ['Time', when('time')],
  ['Transactions', cell('transactions')],
  ['Rollup data', (row) => `${word(row.at('submissions'))} (${word(row.at('submissionBytes'))} B)`],
  ['Deposits', cell('deposits')],
];
const TRANSACTIONS: Columns = [
  ['Hash', link('transactions', 'hash')],
  ['Block', link('blocks', 'height')],
  ['Signer', link('accounts', 'signer')],
  ['Actions', (row) => `${word(row.at('actionCount'))}: ${words(row.at('kinds'))}`],
  ['Result', result],
];
const outcome = (row: Input) => {
  const reason = word(within(row, 'execution', 'reason'));
  return `${word(row.at('state'))}${reason === '' ? '' : `: ${shown(reason)}`}`;
};

export function Home({ turn }: { readonly turn: number }) {
  return (
    <>
      <List title="Blocks" path="/blocks?limit=10" columns={BLOCKS} turn={turn} />
      <List title="Transactions" path="/transactions?limit=10" columns={TRANSACTIONS} turn={turn} />
    </>
  );
}

export function Block({ id, turn }: { readonly id: string; readonly turn: number }) {
  const rollups = (block: Input) =>
    block
      .at('rollups')
      .list()
      .map((each) => (
        <p key={word(each.at('rollup'))}>
          <Id text={word(each.at('rollup'))} to={`/rollups/${word(each.at('rollup'))}`} />{' '}
          {shown(word(each.at('name')))} {word(each.at('submissions'))} submissions, {word(each.at('bytes'))} B,{' '}
          {word(each.at('deposits'))} deposits
        </p>
      ));
  return (
    <Answer
      path={`/blocks/${id}`}
      turn={turn}
      show={(block) => (
        <>
          <h1>Block {word(block.at('height'))}</h1>
          <FactList
            facts={[
              ['Hash', <Id key="hash" text={word(block.at('hash'))} whole />],
              ['Time', <When key="time" at={block.at('time')} />],
              ['Proposer', <Id key="proposer" text={word(block.at('proposer'))} whole />],
              ['Size', `${word(block.at('size'))} B`],
              [
                'Signed by',
                block.at('commit').isPresent
                  ? `${word(within(block, 'commit', 'signed'))} of ${word(within(block, 'commit', 'validators'))} validators`
                  : 'known with the next block',
              ],
              ['Rollups', block.at('rollups').list().length === 0 ? 'none' : rollups(block)],
            ]}
          />
          <List title="Transactions" path={`/blocks/${word(block.at('height'))}/transactions`} columns={TRANSACTIONS} />
        </>
      )}
    />
  );
}

export function Transaction({ hash }: { readonly hash: string }) {
  return (
    <Answer
      path={`/transactions/${hash}`}
      show={(found) => (
        <>
          <h1>Sequencer transaction</h1>
          <FactList
            facts={[
              ['Hash', <Id key="hash" text={word(found.at('hash'))} whole />],
              ['Block', link('blocks', 'height')(found)],
              ['Time', <When key="time" at={found.at('time')} />],
              ['Signer', link('accounts', 'signer')(found)],
              ['Nonce', word(found.at('nonce'))],
              ['Result', result(found)],
              ['Fees', amounts(found.at('fees'))],
            ]}
          />
          <h2>
            Actions ({word(found.at('actionCount'))}, the first {found.at('actions').list().length} shown)
          </h2>
          {found
            .at('actions')
            .list()
            .map((action, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the position is what an action is known by
              <pre key={index}>{shown(JSON.stringify(action.value, undefined, 1)).replaceAll('\\u{a}', '\n')}</pre>
            ))}
        </>
      )}
    />
  );
}

export function Account({ address, turn }: { readonly address: string; readonly turn: number }) {
  return (
    <Answer
      path={`/accounts/${encodeURIComponent(address)}`}
      turn={turn}
      show={(account) => (
        <>
          <h1>Account</h1>
          <FactList
            facts={[
              ['Address', <Id key="address" text={word(account.at('address'))} whole />],
              ['Balances', amounts(account.at('balances'))],
              ['Nonce', word(account.at('nonce'))],
              ['Transactions', word(account.at('transactions'))],
              [
                'Bridge account of',
                shown(word(within(account, 'bridge', 'name'))) || word(within(account, 'bridge', 'rollup')),
              ],
            ]}
          />
          <List
            title="History"
            path={`/accounts/${encodeURIComponent(address)}/transactions`}
            columns={TRANSACTIONS}
            turn={turn}
          />
        </>
      )}
    />
  );
}

export function Bridges({ turn }: { readonly turn: number }) {
  const columns: Columns = [
    ['Account', link('accounts', 'address')],
    [
      'Rollup',
      (row) => <Id text={word(row.at('name')) || word(row.at('rollup'))} to={`/rollups/${word(row.at('rollup'))}`} />,
    ],
    ['Holds', (row) => amounts(row.at('balances'))],
    ['Deposits', cell('deposits')],
  ];
  return <List title="Bridge accounts" path="/bridges" columns={columns} turn={turn} />;
}

export function Validators({ turn }: { readonly turn: number }) {
  const columns: Columns = [
    ['Address', (row) => <Id text={word(row.at('address'))} />],
    ['Power', cell('power')],
    ['Proposed', cell('proposed')],
    ['Signed', cell('signed')],
    ['Missed', cell('missed')],
  ];
  return <List title="Validators" path="/validators" columns={columns} turn={turn} />;
}

export function Rollups({ turn }: { readonly turn: number }) {
  const columns: Columns = [
    [
      'Rollup',
      (row) => <Id text={word(row.at('name')) || word(row.at('rollup'))} to={`/rollups/${word(row.at('rollup'))}`} />,
    ],
    ['Submissions', cell('submissions')],
    ['Bytes', cell('bytes')],
    ['Deposits', cell('deposits')],
    ['Node', (row) => word(within(row, 'node', 'problem')) || (row.at('node').isPresent ? 'answers' : 'not followed')],
  ];
  return <List title="Rollups" path="/rollups" columns={columns} turn={turn} />;
}

export function Rollup({ id, turn }: { readonly id: string; readonly turn: number }) {
  const path = `/rollups/${encodeURIComponent(id)}`;
  return (
    <Answer
      path={path}
      turn={turn}
      show={(rollup) => (
        <>
          <h1>Rollup {shown(word(rollup.at('name')))}</h1>
          <FactList
            facts={[
              ['Id', <Id key="id" text={word(rollup.at('rollup'))} whole />],
              ['Newest block', word(within(rollup, 'node', 'soft'))],
              ['Final block', word(within(rollup, 'node', 'firm'))],
              [
                'Node',
                word(within(rollup, 'node', 'problem')) || (rollup.at('node').isPresent ? 'answers' : 'not followed'),
              ],
            ]}
          />
          <List
            title="Transactions"
            path={`${path}/transactions?limit=10`}
            turn={turn}
            columns={[
              [
                'Hash',
                (row) => <Id text={word(row.at('hash'))} to={`/rollups/${id}/transactions/${word(row.at('hash'))}`} />,
              ],
              ['Sequencer block', (row) => link('blocks', 'height')(row.at('sequencer'))],
              ['Size', (row) => `${word(row.at('size'))} B`],
              ['Outcome', outcome],
            ]}
          />
          <List
            title="Deposits"
            path={`${path}/deposits?limit=10`}
            turn={turn}
            columns={[
              ['Transaction', link('transactions', 'transaction')],
              ['Amount', (row) => `${word(row.at('amount'))} ${shown(word(row.at('asset')))}`],
              ['To', cell('destination')],
              ['Outcome', (row) => `${word(row.at('state'))} ${shown(word(row.at('reason')))}`],
            ]}
          />
          {rollup.at('node').isPresent && (
            <List
              title="Blocks"
              path={`${path}/blocks?limit=10`}
              turn={turn}
              columns={[
                ['Number', cell('number')],
                ['Time', when('time')],
                ['Sequencer block', link('blocks', 'sequencerHeight')],
                ['Executed', cell('executed')],
                ['Refused', cell('refused')],
              ]}
            />
          )}
          {word(rollup.at('name')) === 'messenger' && (
            <List
              title="Messages"
              path={`${path}/messages?limit=10`}
              turn={turn}
              columns={[
                ['From', cell('sender')],
                ['Message', cell('message')],
                ['Time', when('time')],
              ]}
            />
          )}
        </>
      )}
    />
  );
}

/** The way of one transaction through all processes. */
export function Trace({
  rollup,
  hash,
  turn,
}: {
  readonly rollup: string;
  readonly hash: string;
  readonly turn: number;
}) {
  return (
    <Answer
      path={`/trace/${hash}`}
      turn={turn}
      show={(trace) => (
        <>
          <h1>Transaction</h1>
          <Id text={hash} whole />
          {trace
            .at('submissions')
            .list()
            .map((each) => (
              <section
                key={`${word(each.at('rollup'))} ${word(within(each, 'sequencer', 'height'))} ${word(each.at('position'))}`}
              >
                <h2>
                  {shown(word(each.at('name'))) || 'Rollup'}: {outcome(each)}
                </h2>
                <ol className="trace">
                  <li>
                    Accepted by the composer <When at={within(each, 'accepted', 'at')} />
                  </li>
                  <li>
                    Bundled <When at={within(each, 'accepted', 'bundledAt')} />, in{' '}
                    {link('transactions', 'hash')(each.at('bundle'))}
                  </li>
                  <li>
                    Sequencer block {link('blocks', 'height')(each.at('sequencer'))}{' '}
                    <When at={within(each, 'sequencer', 'time')} />
                  </li>
                  <li>
                    Executed in block {word(within(each, 'execution', 'block')) || '–'}, seen{' '}
                    <When at={within(each, 'execution', 'seen')} />
                  </li>
                </ol>
                <Proof submission={each} />
              </section>
            ))}
          <p>
            <a href={`#/rollups/${rollup}`}>The rollup</a>
          </p>
        </>
      )}
    />
  );
}

function Proof({ submission }: { readonly submission: Input }) {
  const [state, setState] = useState<{ good: boolean; text: string }>();
  const rollup = word(submission.at('rollup'));
  const height = word(within(submission, 'sequencer', 'height'));
  const check = async () => {
    try {
      const chainId = word((await ask('/status')).at('chainId'));
      const proof = await ask(`/rollups/${rollup}/proof/${height}/${word(submission.at('position'))}`);
      const { dataHash, validators } = checkProof(proof, { chainId, rollup, height });
      const text = `Checked in this page: the data is in block ${height} under the data hash ${dataHash}, and more than two thirds of the power of the validators that its header names (${validators}) have signed it.`;
      setState({ good: true, text });
    } catch (error) {
      setState({ good: false, text: `The proof does not hold: ${messageOf(error)}` });
    }
  };
  return (
    <>
      <button type="button" onClick={() => void check()}>
        Check the inclusion proof
      </button>
      {state !== undefined && (
        <p className={`message ${state.good ? 'good' : 'bad'}`} role="status">
          {state.text}
        </p>
      )}
    </>
  );
}
