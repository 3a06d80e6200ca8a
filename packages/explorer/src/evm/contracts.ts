import type { IndexStore } from '../store/store.ts';
import type { Decoder } from './decode/decoder.ts';
import type { Compilers } from './verify/compilers.ts';
import type { VerifiedContracts } from './verify/verified-contracts.ts';
import type { Verifier } from './verify/verifier.ts';

/** Access to what is known of contracts beyond the chain, and to the parts that add to it. */
export interface Contracts {
  readonly store: Pick<IndexStore, 'read'>;
  readonly verified: VerifiedContracts;
  readonly verifier: Verifier;
  readonly decoder: Decoder;
  readonly compilers: Compilers;
  readonly signal: AbortSignal;
}
