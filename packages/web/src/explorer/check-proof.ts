import type { Input } from '@switchyard/client/http-api';
import { stateValue } from '@switchyard/client/rollup-contract';
import { SignedSource } from '@switchyard/client/signed-blocks';
import { verifyState } from '@switchyard/client/verify-state';
import { explorer, rollups, type Submission } from '@switchyard/explorer/contract';
import { type RollupId, toHex, verifyCommit } from '@switchyard/protocol';
import { ask, askNode, BASE } from './api.ts';

/* Checks of proofs on their own. Whether the validators that a header names are those of the chain is not shown by them. */

const signedBy = ({ length }: readonly unknown[]) =>
  `more than two thirds of the power of the validators that its header names (${length}) have signed it`;

const evidenceOf = async (rollup: string, height: bigint) =>
  (await new SignedSource({ url: BASE }, rollup as RollupId).evidence(height))();

/** @throws {Rejected | Error} naming the mismatch. */
export async function provenSubmission({ rollup, position, sequencer: { height } }: Submission): Promise<string> {
  const { chainId } = await ask(explorer.getStatus, {});
  const { block, signed, validators } = await evidenceOf(rollup, BigInt(height));
  const { header } = signed;
  verifyCommit(chainId ?? '', validators, signed);
  if (block.rollups[0]?.transactions[position] === undefined) throw new Error('no such data');
  return `the data is in block ${height} under the data hash ${toHex(header.dataHash)}, and ${signedBy(validators)}.`;
}

/** @param answer The node's, with its proof. @throws {Rejected | Error} naming the mismatch. */
export async function provenRow(given: string, answer: Input): Promise<string> {
  const { table, value, proof } = stateValue.read(answer);
  const [entry] = proof?.entries ?? [];
  if (proof === undefined || entry === undefined) throw new Error('the node gives none');
  const prefix = `tables/${table}/`;
  if (!entry.key.startsWith(prefix)) throw new Error(`expected a key of ${prefix}, got ${entry.key}`);
  const [{ chainId }, { rollup }, status] = await Promise.all([
    ask(explorer.getStatus, {}),
    ask(rollups.getRollup, { rollup: given }),
    askNode(given, 'status'),
  ]);
  const { number, sequencerHeight } = proof.block;
  const evidence = await evidenceOf(rollup, sequencerHeight);
  const genesisHeight = status.at('sequencerGenesisBlockHeight').big();
  const facts = { chainId: chainId ?? '', rollup: rollup as RollupId, genesisHeight };
  const sequencer = { evidence, facts };
  const [stored] = verifyState(proof, { keys: [entry.key], sequencer }).values;
  const bytes = stored === undefined ? null : toHex(stored);
  if (bytes !== value) throw new Error(`expected the bytes ${value ?? 'of no row'}, got ${bytes ?? 'of no row'}`);
  const found = stored === undefined ? 'nothing' : `a row of ${stored.length} bytes`;
  return `the state after block ${number} has ${found} at ${entry.key}; the block is made from block ${sequencerHeight} of the sequencer, and ${signedBy(evidence.validators)}. The node states what the bytes mean, and that the state follows from the block.`;
}
