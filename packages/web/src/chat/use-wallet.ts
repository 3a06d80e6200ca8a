import { useEffect, useRef, useState } from 'react';
import { gains } from '../ui/coins.ts';
import { toast } from '../ui/toast.tsx';
import { findAccount } from './api.ts';

type WholeAccount = Awaited<ReturnType<typeof findAccount>>;

interface Read {
  readonly address: string;
  readonly account: WholeAccount;
}

/**
 * An account with its balances, read again with each block; undefined until the node has answered. What arrives from elsewhere,
 * by a transfer or as a deposit from the sequencer, is shown for a moment.
 *
 * @param turn Changes with each block.
 */
export function useWallet(address: string | undefined, isConnected: boolean, turn: unknown): WholeAccount | undefined {
  const [read, setRead] = useState<Read>();
  const last = useRef<Read>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` is there to read again
  useEffect(() => {
    if (!isConnected || address === undefined) return;
    let isOver = false;
    findAccount(address).then(
      (account) => {
        if (isOver) return;
        const before = last.current?.address === address ? last.current.account.balances : account.balances;
        const gained = gains(before, account.balances);
        if (gained.length > 0) toast(`You received ${gained.join(' and ')}.`, 'good');
        last.current = { address, account };
        setRead(last.current);
      },
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [address, isConnected, turn]);
  return read?.address === address ? read?.account : undefined;
}
