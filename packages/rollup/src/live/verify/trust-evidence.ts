import { type SequencerEvidence, type SequencerFacts, verifyEvidence } from '@switchyard/client/verify-state';
import type { Validator } from '@switchyard/protocol';
import { by, Decided } from './verdict.ts';

/** Validators of the sequencer that are trusted: the first ones seen, and later ones for which enough of those before have signed. */
export interface TrustedValidators {
  /** The place that keeps them, in messages. */
  readonly keeper?: string;
  readonly known: readonly Validator[] | undefined;
  /** Called with those of a header that was verified. */
  trust(validators: readonly Validator[]): void;
}

/**
 * Checks a signed header of the sequencer. Its validators are trusted from now on, if enough of those from before have signed.
 *
 * @param from Who gave it. @throws {Decided}
 */
export function trustEvidence(
  evidence: SequencerEvidence,
  facts: Omit<SequencerFacts, 'validators'>,
  trusted: TrustedValidators,
  from: string,
): void {
  const { known, keeper = 'this client' } = trusted;
  try {
    verifyEvidence(evidence, { ...facts, validators: known });
  } catch {
    by(from, () => verifyEvidence(evidence, { ...facts, validators: undefined }));
    const reason = `the sequencer has other validators than ${keeper} knows, as after a new start of a test network`;
    throw new Decided({ kind: 'unproven', reason, trust: () => trusted.trust(evidence.validators) });
  }
  trusted.trust(evidence.validators);
}
