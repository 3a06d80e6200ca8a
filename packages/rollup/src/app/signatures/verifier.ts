import type { Envelope } from '@switchyard/protocol';
import { isStrictlySigned } from '../transaction.ts';

/** Looks at many signatures at once, for the intake. */
export interface SignatureVerifier {
  /** For each, in order, whether libsodium accepts its signature. */
  verify(envelopes: readonly Envelope[]): Promise<readonly boolean[]>;
}

/** In the thread that asks. */
export const inlineVerifier: SignatureVerifier = {
  verify: async (envelopes) => envelopes.map(isStrictlySigned),
};
