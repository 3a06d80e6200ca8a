import { type Claim, isFree } from './claim.ts';

export interface LimitBounds {
  /** How long an address waits for its next claim; 0: not at all. */
  readonly windowMs: number;
  /** Claims that one client may make in that time, for any addresses. */
  readonly clientClaims: number;
  /** Claims that all clients together may make in that time. */
  readonly allClaims: number;
}

export interface Limited {
  readonly who: 'address' | 'client' | 'all';
  /** When it may claim again, on the clock of `now`. */
  readonly again: number;
}

interface Asked extends Pick<Claim, 'address' | 'client'> {
  readonly now: number;
  readonly since: (claim: Claim) => number;
}

/**
 * Why this address or client has to wait; undefined if it does not. A claim that failed before it cost anything does not count.
 *
 * @param claims Newest first.
 * @param asked `now` and `since`, the moment a claim was made, are of the monotonic clock.
 */
export function limited(
  claims: Iterable<Claim>,
  { address, client, now, since }: Asked,
  { windowMs, clientClaims, allClaims }: LimitBounds,
): Limited | undefined {
  if (windowMs === 0) return undefined;
  let [ofClient, ofAll] = [0, 0];
  for (const claim of claims) {
    const again = since(claim) + windowMs;
    if (again <= now) return undefined;
    if (isFree(claim)) continue;
    if (claim.address === address) return { who: 'address', again };
    // The oldest counting one is the first to be forgotten.
    ofAll += 1;
    if (ofAll === allClaims) return { who: 'all', again };
    if (claim.client !== client) continue;
    ofClient += 1;
    if (ofClient === clientClaims) return { who: 'client', again };
  }
  return undefined;
}
