import { messenger } from '@switchyard/messenger/client';
import { liveClient, liveHook } from '@switchyard/rollup/live';
import { openOutbox, sharedSockets } from '@switchyard/rollup/live/browser';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';

/** The rollup of the node that served this page. */
export const app = liveClient(messenger, {
  url: location.origin,
  outbox: await openOutbox({ name: 'switchyard-chat/outbox' }),
  socket: sharedSockets(),
});

export const useLive = liveHook(useSyncExternalStore);

export type Connection = 'connecting' | 'connected' | 'lost';

/** The connection to the node. After a loss it is `lost` until the next one is made. */
export function useConnection(): Connection {
  const { state } = useLive(app.connection);
  const last = useRef<Connection>('connecting');
  if (state === 'live' || state === 'read-only') last.current = 'connected';
  else if (state !== 'connecting') last.current = 'lost';
  return last.current;
}

/** Blocks come every few seconds, whether or not there is something in them. */
const STALLED_MS = 15_000;

/** Whether the node is connected and yet shows no new blocks. */
export function useStalled(isConnected: boolean, block: bigint | undefined): boolean {
  const [isStalled, setStalled] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each block starts it again
  useEffect(() => {
    setStalled(false);
    if (!isConnected) return;
    const timer = window.setTimeout(() => setStalled(true), STALLED_MS);
    return () => window.clearTimeout(timer);
  }, [isConnected, block]);
  return isStalled;
}
