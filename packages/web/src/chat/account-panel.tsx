import { MAX_NAME_BYTES, type Account as MessengerAccount } from '@switchyard/messenger/client';
import { isInvisible } from '@switchyard/protocol/hidden-characters';
import { randomSeed } from '@switchyard/rollup/live/browser';
import { useState } from 'react';
import { Digits } from '../ui/amount.tsx';
import { formatCoins } from '../ui/coins.ts';
import { CopyButton } from '../ui/copy.tsx';
import { Form } from '../ui/form.tsx';
import { shortId } from '../ui/short.ts';
import { ExportKey, ImportKey } from './key-transfer.tsx';
import type { Account, Accounts } from './use-accounts.ts';
import type { Verdict } from './verify/verdict.ts';
import { visibleName } from './visible-text.ts';

interface AccountPanelProps {
  readonly accounts: Accounts;
  readonly current: Account;
  readonly balances: MessengerAccount['balances'] | undefined;
  /** About the balances. */
  readonly verdict: Verdict | undefined;
  readonly isConnected: boolean;
  /** In the explorer. */
  readonly url: string | undefined;
}

/** The account that writes: name, address, balances, and the other accounts of this browser. */
export function AccountPanel({ accounts, current, balances, verdict, isConnected, url }: AccountPanelProps) {
  const { all, choose, rename, add, protect } = accounts;
  const options = (isDevelopment: boolean) =>
    all
      .filter(({ kind }) => (kind === 'development') === isDevelopment)
      .map(({ address, name }) => (
        <option key={address} value={address}>
          {visibleName(name)} {shortId(address)}
        </option>
      ));
  return (
    <div className="fields">
      <p className="row">
        <code className="address">{current.address}</code>
        <CopyButton text={current.address} what="address" />
        {url !== undefined && <a href={url}>In the explorer</a>}
      </p>
      <p>
        Holds:{' '}
        {balances === undefined ? (
          'not known'
        ) : (
          <Digits text={balances.map(({ asset, amount }) => formatCoins(amount, asset)).join(' · ') || 'nothing'} />
        )}
        {!isConnected && balances !== undefined && ' (as last seen)'}
      </p>
      {verdict !== undefined && verdict.kind !== 'false' && (
        <p>
          {verdict.kind === 'verified'
            ? `Verified in this page: the state of block ${verdict.block} has them, and the sequencer's validators have signed what it was made from.`
            : `Not verified: ${verdict.reason}.`}{' '}
          {verdict.kind === 'unproven' && verdict.trust !== undefined && (
            <button type="button" className="plain" onClick={verdict.trust}>
              Trust these validators
            </button>
          )}
        </p>
      )}
      {current.kind === 'development' ? (
        <p className="problem">
          The key of this development account is public: anyone can write and pay with it. It must never hold anything
          of value.
        </p>
      ) : (
        <NameForm key={current.address} name={current.name} rename={rename} />
      )}
      <label>
        Write with{' '}
        <select value={current.address} onChange={(event) => choose(event.currentTarget.value)}>
          {options(false)}
          <optgroup label="Development accounts: their keys are public">{options(true)}</optgroup>
        </select>
      </label>
      {current.seed !== undefined && <ExportKey key={current.address} address={current.address} seed={current.seed} />}
      {current.isProtected === false && (
        <Form className="row" submit={protect}>
          <button type="submit" className="plain small">
            Protect with a passkey
          </button>
        </Form>
      )}
      <ImportKey add={add} />
      <button type="button" className="plain small" onClick={() => void add(randomSeed())}>
        Make another key
      </button>
    </div>
  );
}

const utf8 = new TextEncoder();

function NameForm({ name, rename }: { readonly name: string; readonly rename: Accounts['rename'] }) {
  const [typed, setTyped] = useState(name);
  const chosen = typed.trim();
  const bytes = utf8.encode(chosen).length;
  const isTooLong = bytes > MAX_NAME_BYTES;
  const isUsable = !isInvisible(chosen) && !isTooLong;
  return (
    <Form className="row" submit={() => isUsable && rename(chosen)}>
      <label>
        Name{' '}
        <input
          value={typed}
          dir="auto"
          onChange={(event) => setTyped(event.currentTarget.value)}
          aria-invalid={isTooLong}
        />
      </label>
      <button type="submit" disabled={!isUsable || chosen === name}>
        Save name
      </button>
      {isTooLong && (
        <span className="problem" role="alert">
          {bytes} of at most {MAX_NAME_BYTES} bytes
        </span>
      )}
    </Form>
  );
}
