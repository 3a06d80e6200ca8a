import { Code, ConnectError } from '@connectrpc/connect';
import { type BlockReader, findInBlocks, type ProofSource, type SequencerClient } from '@switchyard/client';
import {
  type Denom,
  encodeTransactionBody,
  formatAddress,
  parseDenom,
  rollupIdFromName,
  type Signer,
  type TxHash,
} from '@switchyard/protocol';
import type { Bundle } from './records.ts';

/** Transaction that used a nonce: one of ours, or a foreign one. */
export type Spender = { readonly transaction: TxHash; readonly height: bigint } | 'foreign';

export interface Settled {
  /** Transactions of the account that are executed; the next free nonce. */
  readonly accountNonce: number;
  readonly height: bigint;
  /** For those of the nonces asked about of which it is certain. */
  readonly spenders: ReadonlyMap<number, Spender>;
}

export interface Checked {
  readonly code: number;
  readonly log: string;
}

/** Part of a sequencer that the composer needs. Every call has a deadline and may fail at any moment. */
export interface Sequencer {
  chainId(signal: AbortSignal): Promise<string>;
  settled(bundles: readonly Bundle[], signal: AbortSignal): Promise<Settled>;
  broadcast(transaction: Uint8Array, signal: AbortSignal): Promise<Checked>;
  /** Balance of the paying account in the fee asset. */
  balance(signal: AbortSignal): Promise<bigint>;
  feeRate(signal: AbortSignal): Promise<FeeRate>;
}

/** One node, which reports its height and can prove it. */
export interface SequencerNode extends Sequencer, ProofSource {
  height(signal: AbortSignal): Promise<bigint>;
}

/** Cost of submissions in the fee asset; undefined where the sequencer does not take that asset. */
export type FeeRate = { readonly base: bigint; readonly perByte: bigint } | undefined;

/** Blocks after which a spent nonce whose transaction is not found counts as used by a foreign one. */
const CERTAIN_AFTER_BLOCKS = 3n;

/** A sequencer behind its RPC and gRPC. */
export function remoteSequencer(
  client: Omit<SequencerClient, keyof BlockReader> & BlockReader,
  payer: Signer,
  feeAsset: Denom,
  prefix: string,
): SequencerNode {
  const address = formatAddress(payer.account, prefix);
  const firstMissed = new Map<number, bigint>();
  /** The newest height at which a nonce was free, for those that this process has seen free. */
  const unspentAt = new Map<number, bigint>();
  let hasNodeService = true;

  /** One committed snapshot shows which transaction spent each nonce. */
  const asked = async (bundles: readonly Bundle[], signal: AbortSignal): Promise<Settled> => {
    const nonces = bundles.map(({ nonce }) => nonce);
    const { accountNonce, height, spenders } = await client.nonceSpender(address, nonces, signal);
    const found = new Map<number, Spender>();
    for (const { nonce, hash, height: at } of spenders) {
      const ours = bundles.find((bundle) => bundle.nonce === nonce)?.candidates.some((each) => each.hash === hash);
      found.set(nonce, ours === true ? { transaction: hash, height: at } : 'foreign');
    }
    return { accountNonce, height, spenders: found };
  };

  /**
   * A sequencer without our service: looks for every candidate, in the node's index and then in the blocks since the nonce was
   * seen free. Where it was not, a nonce counts as used by a foreign transaction after some blocks without an index entry.
   */
  const searched = async (bundles: readonly Bundle[], signal: AbortSignal): Promise<Settled> => {
    const { nonce: accountNonce, height } = await client.nonce(address, signal);
    const found = new Map<number, Spender>();
    for (const { nonce, candidates } of bundles) {
      if (nonce >= accountNonce) {
        unspentAt.set(nonce, height);
        continue;
      }
      const free = unspentAt.get(nonce);
      for (const { hash } of candidates) {
        const result =
          (await client.tx(hash, signal)) ??
          (free === undefined ? undefined : await findInBlocks(client, hash, { from: free + 1n, to: height }, signal));
        if (result?.code === 0) found.set(nonce, { transaction: hash, height: result.height });
      }
      const since = firstMissed.get(nonce) ?? height;
      firstMissed.set(nonce, since);
      if (!found.has(nonce) && height >= since + CERTAIN_AFTER_BLOCKS) found.set(nonce, 'foreign');
      if (!found.has(nonce)) continue;
      firstMissed.delete(nonce);
      unspentAt.delete(nonce);
    }
    return { accountNonce, height, spenders: found };
  };

  return {
    chainId: (signal) => client.genesisChainId(signal),
    height: (signal) => client.latestHeight(signal),
    commit: (height, signal) => client.commit(height, signal),
    validators: (height, signal) => client.validators(height, signal),
    broadcast: (transaction, signal) => client.broadcastSync(transaction, signal),
    async settled(bundles, signal) {
      if (!hasNodeService) return searched(bundles, signal);
      try {
        return await asked(bundles, signal);
      } catch (error) {
        if (!(error instanceof ConnectError) || error.code !== Code.Unimplemented) throw error;
        hasNodeService = false;
        return searched(bundles, signal);
      }
    },
    async balance(signal) {
      const { balances } = await client.balances(address, signal);
      return balances.find(({ asset }) => parseDenom(asset).id === feeAsset.id)?.amount ?? 0n;
    },
    async feeRate(signal) {
      const allowed = await client.allowedFeeAssets(signal);
      if (!allowed.some((asset) => parseDenom(asset).id === feeAsset.id)) return undefined;
      const cost = async (bytes: number): Promise<bigint> => {
        const action = { kind: 'rollupDataSubmission', rollup: rollupIdFromName(''), feeAsset } as const;
        const actions = [{ ...action, data: new Uint8Array(bytes) }];
        const [fee] = await client.fee(encodeTransactionBody({ nonce: 0, chainId: '', actions }), signal);
        return fee?.amount ?? 0n;
      };
      const [one, two] = [await cost(1), await cost(2)];
      return { base: one - (two - one), perByte: two - one };
    },
  };
}
