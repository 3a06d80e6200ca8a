/** Checks of the node's answers against the sequencer's signed headers, which the explorer has. Loaded when they are wanted. */
import { contractApi, httpApi } from '@switchyard/client/http-api';
import { type Evidence, explorer as index, type Proof, rollups } from '@switchyard/explorer/contract';
import type { ProvenAccount, Text } from '@switchyard/messenger/client';
import {
  getProvenMessage,
  provenBalance,
  type SequencerEvidence,
  type SequencerFacts,
  type StateExpectation,
  verifyAccount,
  verifyBalance,
  verifyEvidence,
  verifyMessage,
} from '@switchyard/messenger/client/verify';
import type { RollupId } from '@switchyard/protocol';
import { toInclusion, toRollupData, toSignedHeader } from '../../inclusion-json.ts';
import { type NodeStatus, node } from '../api.ts';
import { trustedValidators, trustValidators } from './trusted.ts';
import type { Verdict } from './verdict.ts';

type Known = Pick<NodeStatus, 'rollupId' | 'sequencer' | 'explorer' | 'nativeAsset'>;

/** Ends a check. */
class Decided extends Error {
  constructor(readonly verdict: Verdict) {
    super(verdict.kind);
  }
}

const NODE = `The node at ${location.origin}`;
const explorerAt = (url: string) => `The explorer at ${url}`;

/** Whether the nonce and the balances are in the state that a block of the sequencer led to. */
export const checkAccount = (shown: ProvenAccount | undefined, address: string, known: Known): Promise<Verdict> =>
  verdictOf(async () => {
    if (shown?.proof === undefined) return unproven('the node gives no proof');
    const { block } = by(NODE, () => verifyAccount(shown, address));
    if (known.explorer === undefined) return unproven('no explorer is known that has the headers');
    const sequencer = await getSequencer(known.explorer, known, block.sequencerHeight);
    by(NODE, () => verifyAccount(shown, address, sequencer));
    // A list may leave out what it does not want seen.
    if (!shown.balances.some(({ asset }) => asset === known.nativeAsset))
      await checkNone(address, known, known.explorer);
    await compareBlock(known.explorer, known, block);
    return { kind: 'verified', block: block.number };
  });

async function checkNone(address: string, known: Known, explorer: string): Promise<void> {
  const asset = known.nativeAsset;
  const value = await provenBalance(node, address, asset);
  const height = value.proof?.block.sequencerHeight ?? 0n;
  const sequencer = height === 0n ? undefined : await getSequencer(explorer, known, height);
  by(NODE, () => verifyBalance(value, { address, asset }, sequencer));
}

/** Whether the sequencer ordered these words, signed by this account. */
export const checkMessage = (message: Text, known: Known): Promise<Verdict> =>
  verdictOf(async () => {
    if (known.explorer === undefined) return unproven('no explorer is known that has the headers');
    const proven = await getProvenMessage(node, message.id);
    if (proven.inclusion === undefined) return unproven('the node gives no proof');
    const { block, position } = proven.inclusion;
    const place = { rollup: known.rollupId, height: Number(block.sequencerHeight), position };
    const ask = asking(known.explorer);
    const { height } = await ask(index.getStatus, {});
    if (BigInt(height) < block.sequencerHeight) return unproven('the explorer has not read its block yet');
    const proof: Proof = await ask(rollups.getInclusionProof, place);
    const from = explorerAt(known.explorer);
    const inclusion = by(from, () => toInclusion(proof, known.rollupId));
    const signed = by(from, () => toSignedHeader(proof));
    const facts = trusted({ ...signed, data: inclusion }, known, from);
    by(NODE, () => verifyMessage(message, proven, { ...signed, inclusion }, facts));
    return { kind: 'verified', block: block.number };
  });

async function getSequencer(explorer: string, known: Known, height: bigint): Promise<StateExpectation['sequencer']> {
  const place = { rollup: known.rollupId, height: Number(height) };
  const answer: Evidence = await asking(explorer)(rollups.getSequencerEvidence, place);
  const from = explorerAt(explorer);
  const evidence = by(from, () => ({ ...toSignedHeader(answer), data: toRollupData(answer, known.rollupId) }));
  const facts = trusted(evidence, known, from);
  return { evidence, facts };
}

/** The explorer may follow another node of the rollup, which has executed the block too. */
async function compareBlock(
  explorer: string,
  { rollupId: rollup }: Known,
  { number, hash }: { readonly number: bigint; readonly hash: string },
): Promise<void> {
  const ask = asking(explorer);
  const { rollups: heads } = await ask(index.getStatus, {});
  const head = heads.find((each) => each.rollup === rollup);
  if (head === undefined || BigInt(head.number) < number) return;
  const indexed = await ask(rollups.getRollupBlock, { rollup, number: Number(number) });
  if (indexed.hash !== hash) {
    const problem = `block ${number} is ${hash} for the one and ${indexed.hash} for the other`;
    throw new Decided({ kind: 'false', by: `${NODE} or ${explorerAt(explorer).toLowerCase()}`, problem });
  }
}

const asking = (url: string) => contractApi(httpApi('explorer', { url }));

/** Checks a sequencer block on its own. Its validators are trusted from now on, if enough of those from before have signed. */
function trusted(evidence: SequencerEvidence, known: Known, from: string): SequencerFacts {
  const { chainId, genesisHeight } = known.sequencer;
  // The node's own; if it belongs to another rollup, nothing fits.
  const rollup = known.rollupId as RollupId;
  const facts = { chainId, rollup, genesisHeight, validators: trustedValidators(chainId) };
  try {
    verifyEvidence(evidence, facts);
  } catch {
    by(from, () => verifyEvidence(evidence, { ...facts, validators: undefined }));
    const reason = 'the sequencer has other validators than this browser knows, as after a new start of a test network';
    throw new Decided({ kind: 'unproven', reason, trust: () => trustValidators(chainId, evidence.validators) });
  }
  trustValidators(chainId, evidence.validators);
  return facts;
}

const unproven = (reason: string): Verdict => ({ kind: 'unproven', reason });

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function by<T>(who: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw new Decided({ kind: 'false', by: who, problem: messageOf(error) });
  }
}

const verdictOf = (check: () => Promise<Verdict>): Promise<Verdict> =>
  check().catch((error: unknown) => (error instanceof Decided ? error.verdict : unproven(messageOf(error))));
