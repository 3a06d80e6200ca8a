import { useEffect, useState, useSyncExternalStore } from 'react';
import { type Polled, usePolled } from '../ui/polled.ts';
import { askNetwork, type Network } from './api.ts';
import { isUnderWay } from './flow.ts';

const LOOK_MS = 2_000;
/** While a transaction is on its way to a block. */
const FOLLOW_MS = 400;

/** The present network. Each answer is work for all services, so a page that is not seen asks for nothing. */
export function useNetwork(): Polled<Network> {
  const isVisible = useSyncExternalStore(onVisibility, () => document.visibilityState === 'visible');
  const [everyMs, setEveryMs] = useState(LOOK_MS);
  const polled = usePolled(isVisible ? askNetwork : undefined, everyMs);
  const isSoon = isUnderWay(polled.value?.flow?.last, performance.timeOrigin + performance.now());
  useEffect(() => setEveryMs(isSoon ? FOLLOW_MS : LOOK_MS), [isSoon]);
  return polled;
}

function onVisibility(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed);
  return () => document.removeEventListener('visibilitychange', changed);
}
