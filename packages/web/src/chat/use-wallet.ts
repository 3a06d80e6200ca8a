import type { Account } from '@switchyard/messenger/client';
import { useEffect, useState } from 'react';
import { gains } from '../ui/coins.ts';
import { accountOf } from './api.ts';

export interface Wallet {
  /** The node's whole answer, for checks. */
  readonly account: Awaited<ReturnType<typeof accountOf>> | undefined;
  /** Undefined until the node has answered. */
  readonly balances: Account['balances'] | undefined;
  /** Text about the last amount that arrived from elsewhere: a transfer, or a deposit from the sequencer. */
  readonly notice: string;
}

export interface LiveWallet extends Wallet {
  readonly dismiss: () => void;
}

const UNKNOWN: Wallet = { account: undefined, balances: undefined, notice: '' };

/** Balances of an account, read again with each block. @param turn Changes with each block. */
export function useWallet(address: string | undefined, isConnected: boolean, turn: unknown): LiveWallet {
  const [read, setRead] = useState<{ readonly address: string; readonly wallet: Wallet }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` is there to read again
  useEffect(() => {
    if (!isConnected || address === undefined) return;
    let isOver = false;
    accountOf(address).then(
      (account) => {
        const { balances } = account;
        if (isOver) return;
        setRead((before) => {
          const known = before?.address === address ? before.wallet : UNKNOWN;
          const gained = known.balances === undefined ? [] : gains(known.balances, balances);
          const notice = gained.length > 0 ? `You received ${gained.join(' and ')}.` : known.notice;
          return { address, wallet: { account, balances, notice } };
        });
      },
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [address, isConnected, turn]);
  return {
    ...(read !== undefined && read.address === address ? read.wallet : UNKNOWN),
    dismiss: () => setRead((before) => before && { ...before, wallet: { ...before.wallet, notice: '' } }),
  };
}
