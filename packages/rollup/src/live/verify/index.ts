/** Checks of a rollup's node by its client. */
export { type TrustedValidators, trustEvidence } from './trust-evidence.ts';
export { by, Decided, unproven, type Verdict, verdictOf } from './verdict.ts';
