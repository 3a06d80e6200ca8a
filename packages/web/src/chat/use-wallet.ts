import { useEffect, useMemo, useRef } from 'react';
import { gains } from '../ui/coins.ts';
import { usePolled } from '../ui/polled.ts';
import { toast } from '../ui/toast.tsx';
import { findAccount } from './api.ts';

type WholeAccount = Awaited<ReturnType<typeof findAccount>>;

/**
 * An account with its balances, read again with each block; undefined until the node has answered. What arrives from elsewhere,
 * by a transfer or as a deposit from the sequencer, is shown for a moment.
 *
 * @param turn Changes with each block.
 */
export function useWallet(address: string | undefined, isConnected: boolean, turn: unknown): WholeAccount | undefined {
  const ask = useMemo(() => {
    if (!isConnected || address === undefined) return undefined;
    return async () => ({ address, account: await findAccount(address) });
  }, [address, isConnected]);
  const { value: read } = usePolled(ask, undefined, turn);
  const last = useRef<typeof read>(undefined);
  useEffect(() => {
    const before = last.current;
    last.current = read;
    if (read === undefined || before?.address !== read.address) return;
    const gained = gains(before.account.balances, read.account.balances);
    if (gained.length > 0) toast(`You received ${gained.join(' and ')}.`, 'good');
  }, [read]);
  return read?.address === address ? read?.account : undefined;
}
