/** Checks of the node's answers against the sequencer's signed headers, which the explorer has. Loaded when they are wanted. */
import { contractApi, httpApi } from '@switchyard/client/http-api';
import { SignedSource } from '@switchyard/client/signed-blocks';
import { explorer as index, rollups } from '@switchyard/explorer/contract';
import type { ProvenAccount, Text } from '@switchyard/messenger/client';
import {
  getProvenMessage,
  provenBalance,
  verifyAccount,
  verifyBalance,
  verifyMessage,
} from '@switchyard/messenger/client/verify';
import { proveInclusion, type RollupId } from '@switchyard/protocol';
import { by, Decided, trustEvidence, unproven, type Verdict, verdictOf } from '@switchyard/rollup/live/verify';
import { type NodeStatus, node } from '../api.ts';
import { trustedValidators } from './trusted.ts';

type Known = Pick<NodeStatus, 'rollupId' | 'sequencer' | 'explorer' | 'nativeAsset'>;

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
    const { height } = await asking(known.explorer)(index.getStatus, {});
    if (BigInt(height) < block.sequencerHeight) return unproven('the explorer has not read its block yet');
    const { evidence, facts, rollup } = await getSequencer(known.explorer, known, block.sequencerHeight);
    const inclusion = by(NODE, () => proveInclusion(evidence.block, rollup, position));
    const { signed, validators } = evidence;
    by(NODE, () => verifyMessage(message, proven, { signed, validators, inclusion }, facts));
    return { kind: 'verified', block: block.number };
  });

/** The signed block at a height. Its validators are trusted from now on, if enough of those from before have signed. */
async function getSequencer(explorer: string, known: Known, height: bigint) {
  const from = explorerAt(explorer);
  const { chainId, genesisHeight } = known.sequencer;
  // The node's own; if it belongs to another rollup, nothing fits.
  const rollup = known.rollupId as RollupId;
  const read = await new SignedSource({ url: explorer }, rollup).evidence(height);
  const evidence = by(from, read);
  const validators = trustedValidators(chainId);
  trustEvidence(evidence, { chainId, rollup, genesisHeight }, validators, from);
  return { evidence, facts: { chainId, rollup, genesisHeight, validators: validators.known }, rollup };
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
