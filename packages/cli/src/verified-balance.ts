/** A balance of the messenger that is checked up to a header which the sequencer's validators have signed. */
import { sequencerClient } from '@switchyard/client';
import { type RollupClient, RollupRefused, rollupClient } from '@switchyard/client/rollup';
import {
  provenBalance,
  type SequencerFacts,
  sequencerEvidence,
  verifyBalance,
  verifyEvidence,
} from '@switchyard/messenger/client/verify';
import { fromHex, Rejected, rollupIdFromBytes } from '@switchyard/protocol';
import { Failure } from '@switchyard/service/failure';
import { Input } from '@switchyard/service/input';
import { askAgain } from './ask-again.ts';

/** Source of the evidence for a check. */
export interface CheckWith {
  /** A node of the sequencer. */
  readonly rpcUrl: string;
  readonly grpcUrl: string;
  /** Hash of the validator set that has to have signed; without it, that of the header. */
  readonly validatorsHash: string | undefined;
  /** Other nodes of the rollup. */
  readonly otherUrls: readonly string[];
}

export interface CheckedBalance {
  readonly balance: bigint;
  readonly block: { readonly number: bigint; readonly hash: string; readonly stateRoot: string };
  readonly header: { readonly height: bigint; readonly hash: string; readonly validatorsHash: string };
  /** Other nodes that have the same block. */
  readonly agreeing: number;
}

/** @throws {Failure} naming the mismatch, and the source of the answer. */
export async function verifiedBalance(
  node: RollupClient,
  nodeUrl: string,
  { address, asset }: { readonly address: string; readonly asset: string },
  { rpcUrl, grpcUrl, validatorsHash, otherUrls }: CheckWith,
): Promise<CheckedBalance> {
  const status = new Input((await askAgain(() => node.status())).all, 'status');
  const facts: SequencerFacts = {
    chainId: status.at('sequencerChainId').text(),
    rollup: rollupIdFromBytes(fromHex(status.at('rollupId').text())),
    genesisHeight: status.at('sequencerGenesisBlockHeight').big(),
  };
  const shown = await askAgain(() => provenBalance(node, address, asset));
  const height = shown.proof?.block.sequencerHeight ?? facts.genesisHeight;
  const sequencer = sequencerClient({ rpcUrl, grpcUrl });
  try {
    const evidence = await askAgain(() => sequencerEvidence(sequencer, height, facts.rollup));
    by(rpcUrl, () => verifyEvidence(evidence, facts));
    const checked = by(nodeUrl, () => verifyBalance(shown, { address, asset }, { evidence, facts }));
    const { header } = checked;
    if (header === undefined) throw new Error('no header was checked');
    if (validatorsHash !== undefined && header.validatorsHash !== validatorsHash) {
      throw new Failure(`${rpcUrl}: expected validators with hash ${validatorsHash}, got ${header.validatorsHash}`);
    }
    const agreeing = await agreement(checked.block, nodeUrl, otherUrls);
    return { balance: checked.amount, block: checked.block, header, agreeing };
  } finally {
    sequencer.close();
  }
}

/** How many of the nodes have this block. @throws {Failure} if one has another. */
async function agreement(
  { number, hash }: { readonly number: bigint; readonly hash: string },
  nodeUrl: string,
  urls: readonly string[],
): Promise<number> {
  let agreeing = 0;
  for (const url of urls) {
    const other = await askAgain(() => rollupClient({ url }).block(number)).catch((error: unknown) => {
      // It has not executed the block yet, or keeps it no longer.
      if (error instanceof RollupRefused) return undefined;
      throw error;
    });
    if (other === undefined) continue;
    if (other.hash !== hash) {
      throw new Failure(`block ${number} is ${hash} at ${nodeUrl}, and ${other.hash} at ${url}: one of them is wrong`);
    }
    agreeing += 1;
  }
  return agreeing;
}

function by<T>(url: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    throw new Failure(`${url}: the answer does not hold: ${error.message}`, error);
  }
}
