import type { Claim } from './claim.ts';

export interface LimitBounds {
  /** How long an address waits for its next claim; 0: not at all. */
  readonly windowMs: number;
  /** Claims that one client may make in that time, for whatever addresses. */
  readonly clientClaims: number;
}

export interface Limited {
  readonly who: 'address' | 'client';
  /** When it may claim again, in milliseconds since 1970. */
  readonly again: number;
}

/**
 * Why this address or client has to wait; undefined where it has not to. A claim that failed does not count.
 *
 * @param claims Newest first.
 */
export function limited(
  claims: Iterable<Claim>,
  { address, client, now }: { readonly address: string; readonly client: string; readonly now: number },
  { windowMs, clientClaims }: LimitBounds,
): Limited | undefined {
  if (windowMs === 0) return undefined;
  let ofClient = 0;
  for (const claim of claims) {
    const again = claim.at + windowMs;
    if (again <= now) return undefined;
    if (claim.end?.kind === 'failed') continue;
    if (claim.address === address) return { who: 'address', again };
    if (claim.client !== client) continue;
    ofClient += 1;
    // The oldest of those that count is the first to be forgotten.
    if (ofClient === clientClaims) return { who: 'client', again };
  }
  return undefined;
}
