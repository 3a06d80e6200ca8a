import {
  type BlockReader,
  type ProofSource,
  type SequencerClient,
  type Settled,
  settledSearch,
} from '@switchyard/client';
import {
  type Denom,
  encodeTransactionBody,
  formatAddress,
  parseDenom,
  rollupIdFromName,
  type Signer,
} from '@switchyard/protocol';
import { errorLine } from '@switchyard/service';
import type { Bundle } from '../queue/records.ts';

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

/** Cost of submissions in the fee asset; undefined if the sequencer does not take that asset. */
export type FeeRate = { readonly base: bigint; readonly perByte: bigint } | undefined;

/** A sequencer behind its RPC and gRPC. */
export function remoteSequencer(
  client: Omit<SequencerClient, keyof BlockReader> & BlockReader,
  payer: Signer,
  feeAsset: Denom,
  prefix: string,
): SequencerNode {
  const address = formatAddress(payer.account, prefix);
  return {
    chainId: (signal) => client.genesisChainId(signal),
    height: (signal) => client.latestHeight(signal),
    commit: (height, signal) => client.commit(height, signal),
    validators: (height, signal) => client.validators(height, signal),
    broadcast: (transaction, signal) => client.broadcastSync(transaction, signal),
    settled: settledSearch(client, address),
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

/** A call to the sequencer failed, which is waited out. Any other failure ends the composer. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** Wraps a sequencer so that all its failures are {@link Unreachable}. */
export function waitedOut(sequencer: Sequencer): Sequencer {
  const ask = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (cause) {
      throw new Unreachable(errorLine(cause), { cause });
    }
  };
  return {
    chainId: (signal) => ask(sequencer.chainId(signal)),
    settled: (bundles, signal) => ask(sequencer.settled(bundles, signal)),
    broadcast: (transaction, signal) => ask(sequencer.broadcast(transaction, signal)),
    balance: (signal) => ask(sequencer.balance(signal)),
    feeRate: (signal) => ask(sequencer.feeRate(signal)),
  };
}
