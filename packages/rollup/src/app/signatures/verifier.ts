import type { SignedEnvelope } from '../definition.ts';
import { isStrictlySigned } from '../transaction.ts';

/** Looks at many signatures at once, for the intake. */
export interface SignatureVerifier {
  /** For each, in order, whether its signature is good. */
  verify(envelopes: readonly SignedEnvelope[]): Promise<readonly boolean[]>;
}

/** In the thread that asks. */
export const inlineVerifier: SignatureVerifier = {
  verify: async (envelopes) => envelopes.map(isStrictlySigned),
};
