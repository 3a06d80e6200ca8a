/*
 * Checks answers of a rollup node against a signed header of the sequencer. This file also runs in web pages.
 *
 * Proven is that the value is in the state with this root, that the root is in the hash of the rollup block, and that this
 * block names a sequencer block which its validators have signed, whose data for the rollup is known by its root. That the
 * state root follows from this data is the node's claim: a reader that executes the data, or compares the block's hash
 * with that of other nodes, checks it.
 */
import {
  blockHashFromHex,
  equalBytes,
  type FilteredBlock,
  fromHex,
  headerHash,
  proveRollupData,
  Rejected,
  type RollupDataProof,
  type RollupId,
  rollupBlockHash,
  type SignedHeader,
  type StateProof,
  toHex,
  type Validator,
  validatorSetHash,
  verifyCommit,
  verifyFilteredBlock,
  verifyRollupData,
  verifyStateProof,
} from '@switchyard/protocol';
import type { ProvenBlock, StateProofAnswer } from '../rollup/rollup-contract.ts';
import { isBackedBy } from './validator-trust.ts';

/** A sequencer block, as far as it concerns one rollup: the header, who signed it, and the root of the rollup's data. */
export interface SequencerEvidence {
  readonly signed: SignedHeader;
  readonly validators: readonly Validator[];
  readonly data: RollupDataProof;
}

/** Facts that a reader has from elsewhere, such as the rollup's genesis. */
export interface SequencerFacts {
  readonly chainId: string;
  readonly rollup: RollupId;
  /** Height before that of the first block of the rollup. */
  readonly genesisHeight: bigint;
  /** Validators that a reader trusts. Without them, the validators in the header are taken on trust. */
  readonly validators?: readonly Validator[] | undefined;
}

/** Facts of a sequencer header whose commit was checked. */
export interface VerifiedHeader {
  readonly height: bigint;
  readonly hash: string;
  /** Root over the rollup's data in the block, in hex; undefined if it has none. */
  readonly dataRoot: string | undefined;
  readonly validatorsHash: string;
  /** Whether the validators are trusted, or only taken from the header. */
  readonly isTrusted: boolean;
}

/** Values under a state root that was checked. */
export interface VerifiedState {
  readonly block: ProvenBlock;
  /** In the order of the keys; undefined for a key without a value. */
  readonly values: readonly (Uint8Array | undefined)[];
  readonly header: VerifiedHeader | undefined;
}

/** Facts that an answer is checked against. */
export interface StateExpectation {
  /** Keys of the state that were requested, in order. */
  readonly keys: readonly string[];
  /** Without it, the answer is checked only up to the hash of the rollup block. */
  readonly sequencer?: { readonly evidence: SequencerEvidence; readonly facts: SequencerFacts };
}

/**
 * Checks an answer with its proofs, up to the signed header if there is evidence. @throws {Rejected} naming the mismatch.
 * @example
 * ```ts
 * const evidence = await sequencerEvidence(sequencer, proof.block.sequencerHeight, facts.rollup);
 * const { values, header } = verifyState(proof, { keys: ['tables/total/_'], sequencer: { evidence, facts } });
 * ```
 */
export function verifyState(answer: StateProofAnswer, { keys, sequencer }: StateExpectation): VerifiedState {
  const { block, entries } = answer;
  verifyRollupBlock(block);
  const root = fromHex(block.stateRoot);
  const values = keys.map((key, index) => {
    const entry = entries[index];
    if (entry?.key !== key)
      throw invalid(block, 'a proof of another key', { expected: key, got: entry?.key ?? 'none' });
    const value = entry.value === null ? undefined : fromHex(entry.value);
    const { keyHash = '', valueHash = '' } = entry.other ?? {};
    const other = entry.other === null ? undefined : { keyHash: fromHex(keyHash), valueHash: fromHex(valueHash) };
    const proof: StateProof = { siblings: entry.siblings.map(fromHex), other };
    if (!verifyStateProof(root, key, value, proof)) {
      throw invalid(block, 'the value is not under the state root', { key, got: entry.value ?? 'no value' });
    }
    return value;
  });
  if (entries.length !== keys.length) {
    throw invalid(block, 'more proofs than keys', { expected: keys.length, got: entries.length });
  }
  const header = sequencer && verifySequenced(block, sequencer.evidence, sequencer.facts);
  return { block, values, header };
}

/** Checks that the parts of a block have its hash. See the example of {@link verifyEvidence}. @throws {Rejected} */
export function verifyRollupBlock(block: ProvenBlock): void {
  const { number, hash, parentHash, sequencerBlockHash } = block;
  const computed = rollupBlockHash({
    number,
    // All of 32 bytes, so that no byte counts to another part.
    contentHash: hashBytes(block.contentHash),
    parentHash: blockHashFromHex(parentHash),
    sequencerBlockHash: blockHashFromHex(sequencerBlockHash),
    stateRoot: hashBytes(block.stateRoot),
    receiptsHash: hashBytes(block.receiptsHash),
  });
  if (computed !== hash) throw invalid(block, 'its parts do not have its hash', { expected: hash, got: computed });
}

/** Checks that a rollup block is made from this sequencer block. See the example of {@link verifyEvidence}. @throws {Rejected} */
export function verifySequenced(
  block: ProvenBlock,
  evidence: SequencerEvidence,
  facts: SequencerFacts,
): VerifiedHeader {
  const header = verifyEvidence(evidence, facts);
  const height = facts.genesisHeight + block.number;
  if (header.height !== height) {
    throw invalid(block, 'a header of another height', { expected: height, got: header.height });
  }
  if (header.hash !== block.sequencerBlockHash) {
    throw invalid(block, 'it names another sequencer block than the signed one', {
      expected: header.hash,
      got: block.sequencerBlockHash,
    });
  }
  return header;
}

/**
 * Checks a sequencer block on its own, regardless of a rollup node's claims. @throws {Rejected}
 * @example
 * ```ts
 * const { isTrusted } = verifyEvidence(evidence, facts);
 * verifyRollupBlock(proof.block);
 * verifySequenced(proof.block, evidence, facts);
 * ```
 */
export function verifyEvidence(
  { signed, validators, data }: SequencerEvidence,
  { chainId, rollup, validators: trusted }: SequencerFacts,
): VerifiedHeader {
  const { header } = signed;
  const fault = (problem: string) => new Rejected('malformed', { sequencerBlock: header.height, problem });
  verifyCommit(chainId, validators, signed);
  const isSame = trusted !== undefined && equalBytes(validatorSetHash(trusted), header.validatorsHash);
  if (trusted !== undefined && !isSame && !isBackedBy(trusted, validators, signed.commit)) {
    throw fault('too few of the trusted validators have signed it');
  }
  if (data.rollup !== rollup) throw fault('data of another rollup');
  if (!verifyRollupData(data, header.dataHash)) throw fault('the data of the rollup is not under its data hash');
  return {
    height: header.height,
    hash: toHex(headerHash(header)),
    dataRoot: data.dataRoot && toHex(data.dataRoot),
    validatorsHash: toHex(header.validatorsHash),
    isTrusted: trusted !== undefined,
  };
}

/** A node of the sequencer. */
export interface EvidenceSource {
  filteredBlock(height: bigint, rollup: RollupId, signal?: AbortSignal): Promise<FilteredBlock>;
  commit(height: bigint, signal?: AbortSignal): Promise<SignedHeader>;
  validators(height: bigint, signal?: AbortSignal): Promise<readonly Validator[]>;
}

/** Reads the evidence for a height from a node, whose proofs alone it checks. See the example of {@link verifyState}. */
export async function sequencerEvidence(
  sequencer: EvidenceSource,
  height: bigint,
  rollup: RollupId,
  signal?: AbortSignal,
): Promise<SequencerEvidence> {
  const [block, signed, validators] = await Promise.all([
    sequencer.filteredBlock(height, rollup, signal),
    sequencer.commit(height, signal),
    sequencer.validators(height, signal),
  ]);
  verifyFilteredBlock(block, [rollup]);
  return { signed, validators, data: proveRollupData(block, rollup) };
}

/** @throws {Rejected} if these are not 32 bytes. */
const hashBytes = (hex: string): Uint8Array => fromHex(blockHashFromHex(hex));

function invalid(
  { number }: ProvenBlock,
  problem: string,
  facts: Readonly<Record<string, string | number | bigint>>,
): Rejected {
  return new Rejected('malformed', { block: number, problem, ...facts });
}
