import { InvalidAmount, inWords, parseAnyAddress, Rejected } from '@switchyard/protocol';
import { useState } from 'react';
import { assetName, formatCoins, parseCoins } from '../ui/coins.ts';
import { shortId } from '../ui/short.ts';
import type { Account } from './keys/accounts.ts';
import type { OutgoingQueue } from './use-outgoing.ts';
import type { Wallet } from './use-wallet.ts';
import { visibleText } from './visible-text.ts';

interface TransferPanelProps {
  readonly current: Account;
  readonly balances: Wallet['balances'];
  readonly feeAsset: string;
  /** Assets that can go back to the sequencer. */
  readonly withdrawable: readonly string[];
  readonly outgoing: OutgoingQueue;
}

/** Sends coins, and shows what became of what was sent from this page. */
export function TransferPanel({ current, balances = [], feeAsset, withdrawable, outgoing }: TransferPanelProps) {
  const [to, setTo] = useState('');
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(feeAsset);
  const [isWithdrawal, setIsWithdrawal] = useState(false);
  const [problem, setProblem] = useState('');
  const asset = balances.some((held) => held.asset === chosen) ? chosen : feeAsset;
  const held = balances.find((each) => each.asset === asset)?.amount ?? 0n;
  const order = orderOf(to.trim(), typed, held, asset);
  const transfers = outgoing.all.filter(({ intent }) => intent.kind !== 'text');
  const canWithdraw = withdrawable.includes(asset);
  const kind = isWithdrawal && canWithdraw ? 'withdrawal' : 'transfer';

  const send = () => {
    if (typeof order === 'string') return setProblem(order);
    setProblem('');
    outgoing.send(current.address, { kind, asset, ...order });
    setTyped('');
  };
  return (
    <details className="panel">
      <summary>Send coins</summary>
      <form
        className="fields"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <label>
          To address{' '}
          <input
            className="address"
            autoComplete="off"
            spellcheck={false}
            value={to}
            onChange={(event) => setTo(event.currentTarget.value)}
          />
        </label>
        <label>
          Amount{' '}
          <input
            inputMode="decimal"
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        <label>
          Of{' '}
          <select value={asset} onChange={(event) => setChosen(event.currentTarget.value)}>
            {(balances.length > 0 ? balances : [{ asset: feeAsset }]).map((held) => (
              <option key={held.asset} value={held.asset}>
                {assetName(held.asset)}
              </option>
            ))}
          </select>
        </label>
        {canWithdraw && (
          <label>
            <input
              type="checkbox"
              checked={isWithdrawal}
              onChange={(event) => setIsWithdrawal(event.currentTarget.checked)}
            />{' '}
            Withdraw to an account of the sequencer
          </label>
        )}
        <button type="submit" disabled={to.trim() === '' || typed.trim() === ''}>
          {kind === 'withdrawal' ? 'Withdraw' : 'Send coins'}
        </button>
        {/* The amount and recipient, as the page has read them. */}
        <p className="hint" aria-live="polite">
          {typeof order !== 'string' &&
            `${kind === 'withdrawal' ? 'Withdraws' : 'Sends'} ${formatCoins(order.amount, asset)} to ${shortId(order.to)}${kind === 'withdrawal' ? ' on the sequencer' : ''}.`}
        </p>
        {problem !== '' && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <ul aria-label="Transfers" aria-live="polite">
          {transfers.slice(-5).map(
            ({ key, state, intent, reason, account }) =>
              intent.kind !== 'text' && (
                <li key={key}>
                  {intent.kind === 'withdrawal' && 'Withdrawal of '}
                  {formatCoins(intent.amount, intent.asset)} from {shortId(account)} to {shortId(intent.to)}: {state}
                  {reason !== undefined && `: ${visibleText(inWords(reason, [feeAsset, intent.asset]))}`}{' '}
                  {state === 'refused' && (
                    <button type="button" onClick={() => outgoing.retry(key)}>
                      Send again
                    </button>
                  )}
                </li>
              ),
          )}
        </ul>
      </form>
    </details>
  );
}

/** Reads a transfer from what was typed, or returns why it is none. */
function orderOf(to: string, typed: string, held: bigint, asset: string): { to: string; amount: bigint } | string {
  try {
    parseAnyAddress(to);
    const amount = parseCoins(typed, asset);
    return amount > held ? `this account holds ${formatCoins(held, asset)}` : { to, amount };
  } catch (error) {
    if (error instanceof InvalidAmount) return `amount: ${error.message}`;
    if (error instanceof Rejected) return 'the address is not complete, or has a typing error';
    throw error;
  }
}
