import { useSyncExternalStore } from 'react';
import { type Polled, usePolled } from '../ui/polled.ts';
import { askNetwork, type Network } from './api.ts';
import { isUnderWay } from './flow.ts';

const LOOK_MS = 2_000;
/** While a transaction is on its way to a block. */
const FOLLOW_MS = 400;

/** The present network. Each answer is work for all services, so a page that is not seen asks for nothing. */
export function useNetwork(): Polled<Network> {
  const isVisible = useSyncExternalStore(onVisibility, () => document.visibilityState === 'visible');
  return usePolled(isVisible ? askNetwork : undefined, pauseAfter);
}

const pauseAfter = (network: Network | undefined): number =>
  isUnderWay(network?.flow?.last, performance.timeOrigin + performance.now()) ? FOLLOW_MS : LOOK_MS;

function onVisibility(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed);
  return () => document.removeEventListener('visibilitychange', changed);
}
