import type { Spender } from '@switchyard/client';
import type { TxHash } from '@switchyard/protocol';
import type { InFlight } from './in-flight.ts';
import { common, type Range, without } from './ranges.ts';

/** A nonce of which a block has decided. */
export interface Closing {
  readonly bundle: InFlight;
  /** Set if it was one of ours that executed. */
  readonly winner: { readonly transaction: TxHash; readonly height: bigint } | undefined;
  readonly included: readonly Range[];
  /** Free to go under another nonce. */
  readonly returned: readonly Range[];
}

/** The outcomes in the blocks of the bundles under way; none for those that are still open. */
export function closings(inFlight: readonly InFlight[], spenders: ReadonlyMap<number, Spender>): Closing[] {
  return inFlight.flatMap((bundle): Closing[] => {
    const spender = spenders.get(bundle.nonce);
    if (spender === undefined) return [];
    const winner =
      spender === 'foreign' ? undefined : bundle.candidates.find(({ hash }) => hash === spender.transaction);
    if (spender === 'foreign' || winner === undefined) {
      return [{ bundle, winner: undefined, included: [], returned: bundle.attached }];
    }
    // A bad item may have been taken out since this was signed.
    const included = common(winner.ranges, bundle.attached);
    return [{ bundle, winner: spender, included, returned: without(bundle.attached, included) }];
  });
}
