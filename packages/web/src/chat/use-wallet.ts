import { parseAddress } from '@switchyard/protocol';
import { balances } from '@switchyard/rollup';
import { useEffect, useMemo, useRef } from 'react';
import { gains } from '../ui/coins.ts';
import { usePolled } from '../ui/polled.ts';
import { toast } from '../ui/toast.tsx';
import { findAccount } from './api.ts';
import { app, useLive } from './app.ts';

type WholeAccount = Awaited<ReturnType<typeof findAccount>>;
interface Read {
  readonly address: string;
  readonly account: WholeAccount;
}

const MAX_ASSETS = 100;
const RETRY_MS = 2_000;
/** Proofs exist from block 1 on. */
const getPause = (read: Read | undefined) => (read?.account.shown === undefined ? RETRY_MS : undefined);

/**
 * An account with its balances and their proofs, read again when a block has changed them; undefined until the node has answered.
 * Coins from elsewhere, by a transfer or as a deposit from the sequencer, are announced.
 */
export function useWallet(address: string | undefined, isConnected: boolean): WholeAccount | undefined {
  const rows = useMemo(() => {
    const within = address === undefined ? '' : `${parseAddress(address)}/`;
    const read = { within, limit: MAX_ASSETS };
    return app.live((_, { state }) => (within === '' ? [] : [...balances.range(state, read)]), { pending: false });
  }, [address]);
  const { value: turn } = useLive(rows);
  const ask = useMemo(() => {
    if (!isConnected || address === undefined) return undefined;
    return async () => ({ address, account: await findAccount(address) });
  }, [address, isConnected]);
  const { value: read } = usePolled(ask, getPause, turn);
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
