import { useEffect, useState } from 'react';
import { usePolled } from '../ui/polled.ts';
import { type NodeStatus, nodeStatus } from './api.ts';

const LOOK_MS = 1_000;
/** For a page in the background, whose messages still come by the stream. */
const HIDDEN_LOOK_MS = 5_000;
/** Blocks come every few seconds, whether or not there is something in them. */
const STALLED_MS = 15_000;

const pause = () => (document.visibilityState === 'hidden' ? HIDDEN_LOOK_MS : LOOK_MS);

let last: NodeStatus | undefined;

/** The last answer again if there is no difference: another one would render everything again. */
async function look(): Promise<NodeStatus> {
  const now = await nodeStatus();
  if (last?.soft !== now.soft || last.firm !== now.firm || last.chainId !== now.chainId) last = now;
  return last;
}

/**
 * The chain's name and how far it is, and whether the node is connected and yet shows no new blocks. It is polled instead of
 * streamed: browsers open only six connections to one node, and each tab needs one for messages.
 */
export function useStatus(isConnected: boolean, onStalled: () => void) {
  const { value: status } = usePolled(isConnected ? look : undefined, pause);
  const [isStalled, setStalled] = useState(false);
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
