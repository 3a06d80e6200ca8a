/** A client that checks its node: it proves its transactions, or executes every block of the rollup. */
export type { ChainFacts, ChainStorage } from './chain-storage.ts';
export type { ChainHead, ChangedRow } from './executed-chain.ts';
export { type TrustedValidators, trustEvidence } from './trust-evidence.ts';
export { by, Decided, unproven, type Verdict, verdictOf } from './verdict.ts';
export { createVerifier, type Verifier, type VerifierOptions } from './verifier.ts';
