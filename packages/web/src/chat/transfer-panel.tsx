import type { Account as MessengerAccount } from '@switchyard/messenger/client';
import { formatAddress, inWords, parseAnyAddress, parseDenom } from '@switchyard/protocol';
import { useState } from 'react';
import { assetName, formatCoins } from '../ui/coins.ts';
import { TextField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { shortId } from '../ui/short.ts';
import { isOver } from './mark.tsx';
import { addressProblem, amountProblem, readPayment } from './payment.ts';
import type { Account } from './use-accounts.ts';
import { type Outgoing, send } from './use-sent.ts';
import { visibleText } from './visible-text.ts';

interface TransferPanelProps {
  readonly current: Account;
  readonly balances: MessengerAccount['balances'] | undefined;
  readonly feeAsset: string;
  /** Assets that can go back to the sequencer, each with its smallest withdrawal. */
  readonly withdrawable: ReadonlyMap<string, bigint> | undefined;
  readonly outgoing: readonly Outgoing[];
  readonly retry: (one: Outgoing) => void;
}

/** Sends coins, and shows the outcomes of payments from this page. */
export function TransferPanel(props: TransferPanelProps) {
  const { current, balances = [], feeAsset, withdrawable, outgoing, retry } = props;
  const [to, setTo] = useState('');
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(feeAsset);
  const [isWithdrawal, setIsWithdrawal] = useState(false);
  /** An address is typed or pasted in pieces, so that it is wrong on the way. */
  const [isAddressDone, setAddressDone] = useState(false);
  const asset = balances.some((held) => held.asset === chosen) ? chosen : feeAsset;
  const held = balances.find((each) => each.asset === asset)?.amount ?? 0n;
  const canWithdraw = withdrawable?.has(asset) ?? false;
  const kind = isWithdrawal && canWithdraw ? 'withdraw' : 'transfer';
  const least = kind === 'withdraw' ? withdrawable?.get(asset) : undefined;
  const payment = readPayment(to, typed, held, asset, least);
  const wrongAddress = isAddressDone ? addressProblem(to) : undefined;
  const wrongAmount = amountProblem(typed, held, asset, least);

  const pay = () => {
    setAddressDone(true);
    if (payment === undefined) return;
    const paid = { to: parseAnyAddress(payment.to), amount: payment.amount, asset: parseDenom(asset) };
    const action =
      kind === 'transfer'
        ? ({ kind, ...paid, feeAsset: parseDenom(feeAsset) } as const)
        : ({ kind, ...paid, memo: '' } as const);
    void send(current, action);
    setTyped('');
  };
  return (
    <Form className="fields" noValidate submit={pay}>
      <TextField
        id="to"
        label="To address"
        problem={wrongAddress}
        className="address"
        maxLength={200}
        value={to}
        onChange={(event) => {
          setTo(event.currentTarget.value);
          setAddressDone(false);
        }}
        onBlur={() => setAddressDone(true)}
      />
      <TextField
        id="amount"
        label="Amount"
        problem={wrongAmount}
        hint={
          // The amount and recipient, as the page has read them.
          payment === undefined
            ? `This account holds ${formatCoins(held, asset)}.`
            : `${kind === 'withdraw' ? 'Withdraws' : 'Sends'} ${formatCoins(payment.amount, asset)} to ${shortId(payment.to)}${kind === 'withdraw' ? ' on the sequencer, less the fee of its payment' : ''}.`
        }
        inputMode="decimal"
        maxLength={100}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      >
        <select aria-label="Asset" value={asset} onChange={(event) => setChosen(event.currentTarget.value)}>
          {(balances.length > 0 ? balances : [{ asset: feeAsset }]).map((held) => (
            <option key={held.asset} value={held.asset}>
              {assetName(held.asset)}
            </option>
          ))}
        </select>
      </TextField>
      {canWithdraw && (
        <label className="check">
          <input
            type="checkbox"
            checked={isWithdrawal}
            onChange={(event) => setIsWithdrawal(event.currentTarget.checked)}
          />{' '}
          Withdraw to an account of the sequencer
        </label>
      )}
      <button type="submit" disabled={to.trim() === '' || typed.trim() === '' || wrongAmount !== undefined}>
        {kind === 'withdraw' ? 'Withdraw' : 'Send coins'}
      </button>
      <ul aria-label="Transfers" aria-live="polite">
        {outgoing
          .flatMap((one) =>
            one.action === undefined || one.action.kind === 'sendText' ? [] : [{ one, action: one.action }],
          )
          .slice(-5)
          .map(({ one, action: { kind, to, amount, asset } }) => (
            <li key={one.key}>
              {kind === 'withdraw' && 'Withdrawal of '}
              {formatCoins(amount, asset.text)} from {shortId(one.account)} to{' '}
              {shortId(formatAddress(to.account, to.prefix))}: {one.state}
              {one.reason !== undefined && `: ${visibleText(inWords(one.reason, [feeAsset, asset.text]))}`}{' '}
              {isOver(one.state) && (
                <button type="button" className="small" onClick={() => retry(one)}>
                  Send again
                </button>
              )}
            </li>
          ))}
      </ul>
    </Form>
  );
}
