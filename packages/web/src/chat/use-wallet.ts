import type { Account } from '@switchyard/messenger/client';
import { useEffect, useRef, useState } from 'react';
import { gains } from '../ui/coins.ts';
import { toast } from '../ui/toast.tsx';
import { findAccount } from './api.ts';

export interface Wallet {
  /** The node's whole answer, for checks. */
  readonly account: Awaited<ReturnType<typeof findAccount>> | undefined;
  /** Undefined until the node has answered. */
  readonly balances: Account['balances'] | undefined;
}

const UNKNOWN: Wallet = { account: undefined, balances: undefined };

interface Read {
  readonly address: string;
  readonly wallet: Wallet;
}

/**
 * Balances of an account, read again with each block. What arrives from elsewhere, by a transfer or as a deposit from the
 * sequencer, is shown for a moment.
 *
 * @param turn Changes with each block.
 */
export function useWallet(address: string | undefined, isConnected: boolean, turn: unknown): Wallet {
  const [read, setRead] = useState<Read>();
  const last = useRef<Read>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` is there to read again
  useEffect(() => {
    if (!isConnected || address === undefined) return;
    let isOver = false;
    findAccount(address).then(
      (account) => {
        if (isOver) return;
        const { balances } = account;
        const before = last.current?.address === address ? last.current.wallet.balances : undefined;
        const gained = before === undefined ? [] : gains(before, balances);
        if (gained.length > 0) toast(`You received ${gained.join(' and ')}.`, 'good');
        last.current = { address, wallet: { account, balances } };
        setRead(last.current);
      },
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [address, isConnected, turn]);
  return read !== undefined && read.address === address ? read.wallet : UNKNOWN;
}
