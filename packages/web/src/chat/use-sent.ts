import type { MessengerAction } from '@switchyard/messenger/client';
import { formatAddress } from '@switchyard/protocol';
import type { Sent, SentState } from '@switchyard/rollup/live';
import { useEffect, useReducer } from 'react';
import { toast } from '../ui/toast.tsx';
import { app, useLive } from './app.ts';
import type { Account } from './use-accounts.ts';

/** A transaction of this browser, and how far it is. */
export interface Outgoing extends SentState {
  readonly key: string;
  /** Undefined if another version of this page has made it. */
  readonly action: MessengerAction | undefined;
  /** Address of the account that signs it, and no other ever does. */
  readonly account: string;
  readonly sent: Sent<MessengerAction>;
}

/** The transactions of the accounts of this browser that no block has yet, and the newest of the others. */
export function useSent(accounts: readonly Account[], current: Account | undefined): readonly Outgoing[] {
  const all = useLive(app.sent);
  const [, render] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const ends = all.map((each) => each.subscribe(render));
    return () => {
      for (const end of ends) end();
    };
  }, [all]);
  const own = accounts.filter((each) => each.kind === 'own' || each === current);
  const keys = own.map(({ address, isProtected }) => `${address} ${isProtected}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the keys are those of the accounts
  useEffect(() => {
    for (const { signer } of own) void signer().then(app.sendFor);
  }, [keys]);
  return all.map((sent) => {
    const { key, account, actions } = sent;
    return { ...sent.get(), key, action: actions[0], account: formatAddress(account), sent };
  });
}

/** Sends an action in its turn. @param waitFor Reasons of refusals for which it waits. @returns whether it is on its way. */
export async function send(
  account: Account | undefined,
  action: MessengerAction,
  waitFor: readonly string[] = [],
): Promise<boolean> {
  try {
    if (account === undefined) throw new Error('its key is not in this browser');
    app.send([wellFormed(action)], { signer: await account.signer(), waitFor });
    return true;
  } catch (error) {
    toast(`This was not sent: ${error instanceof Error ? error.message : String(error)}.`, 'bad');
    return false;
  }
}

/** Half of a surrogate pair, which a page may be pasted, has no UTF-8 and is refused if it is signed. */
function wellFormed(action: MessengerAction): MessengerAction {
  if (action.kind !== 'sendText') return action;
  const [text, name] = [action.text, action.name].map((each) => each.replaceAll(/\p{Surrogate}/gu, '\ufffd'));
  return { ...action, text: text ?? '', name: name ?? '' };
}
