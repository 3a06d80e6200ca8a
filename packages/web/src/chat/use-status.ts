import { useEffect, useState } from 'react';
import { repeat } from '../ui/repeat.ts';
import { type NodeStatus, nodeStatus } from './api.ts';

const LOOK_MS = 1_000;
/** For a page in the background, whose messages still come by the stream. */
const HIDDEN_LOOK_MS = 5_000;
/** Blocks come every few seconds, whether or not there is something in them. */
const STALLED_MS = 15_000;

const isSame = (before: NodeStatus | undefined, after: NodeStatus): boolean =>
  before?.soft === after.soft && before.firm === after.firm && before.chainId === after.chainId;

/**
 * The chain's name and how far it is, and whether the node is connected and yet shows no new blocks. It is polled instead of
 * streamed: browsers open only six connections to one node, and each tab needs one for messages.
 */
export function useStatus(isConnected: boolean, onStalled: () => void) {
  const [status, setStatus] = useState<NodeStatus>();
  const [isStalled, setStalled] = useState(false);
  useEffect(() => {
    if (!isConnected) return;
    return repeat(async (isOver) => {
      const answer = await nodeStatus().catch(() => undefined);
      // Setting an equal answer again would render everything again.
      if (answer !== undefined && !isOver()) setStatus((before) => (isSame(before, answer) ? before : answer));
      return document.visibilityState === 'hidden' ? HIDDEN_LOOK_MS : LOOK_MS;
    });
  }, [isConnected]);

  const soft = status?.soft;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each block starts it again
  useEffect(() => {
    setStalled(false);
    if (!isConnected) return;
    const timer = window.setInterval(() => {
      setStalled(true);
      onStalled();
    }, STALLED_MS);
    return () => window.clearInterval(timer);
  }, [isConnected, soft, onStalled]);
  return { status, isStalled };
}
