/** A consensus node of Celestia over gRPC: the calls that paying for blobs takes, and the meaning of their errors. */
import { fromBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { type CelestiaAccount, formatCelestiaAddress } from '@switchyard/protocol/celestia';
import { Query as BlobQuery } from '../gen/celestia/blob/v1/query_pb.ts';
import { GasEstimator, TxPriority } from '../gen/celestia/core/v1/gas_estimation/gas_estimator_pb.ts';
import { Tx } from '../gen/celestia/core/v1/tx/tx_pb.ts';
import { Query as AuthQuery, BaseAccountSchema } from '../gen/cosmos/auth/v1beta1/query_pb.ts';
import { Query as BankQuery } from '../gen/cosmos/bank/v1beta1/query_pb.ts';
import { Service as NodeService } from '../gen/cosmos/base/node/v1beta1/query_pb.ts';
import { Service as ChainService } from '../gen/cosmos/base/tendermint/v1beta1/query_pb.ts';
import { BroadcastMode, Service as TxService } from '../gen/cosmos/tx/v1beta1/service_pb.ts';
import { DaUnavailable } from '../layer.ts';
import { type GasPrice, gasPriceFromNumber, parseGasPrice } from './gas-price.ts';

export interface ChainAccount {
  readonly number: bigint;
  /** Its transactions in blocks. */
  readonly sequence: bigint;
}

/** Answer of a node to a transaction. `code` is undefined if it answered with an error in place of a result. */
export interface BroadcastAnswer {
  readonly code: number | undefined;
  readonly text: string;
}

export interface TxStatus {
  readonly status: 'COMMITTED' | 'PENDING' | 'EVICTED' | 'REJECTED' | 'UNKNOWN';
  /** The height at which it is committed. */
  readonly height: bigint;
}

const STATUSES: readonly string[] = ['COMMITTED', 'PENDING', 'EVICTED', 'REJECTED', 'UNKNOWN'];
/** Characters of an answer's text that are kept for people. */
const MAX_TEXT = 500;

export type ConsensusNode = ReturnType<typeof consensusNode>;

/** All calls throw {@link DaUnavailable}, or an `Error` if settings are to be corrected. */
export function consensusNode(transport: Transport, url: string) {
  const chain = createClient(ChainService, transport);
  const node = createClient(NodeService, transport);
  const auth = createClient(AuthQuery, transport);
  const bank = createClient(BankQuery, transport);
  const blob = createClient(BlobQuery, transport);
  const gas = createClient(GasEstimator, transport);
  const txs = createClient(TxService, transport);
  const status = createClient(Tx, transport);

  async function ask<T>(signal: AbortSignal, call: Promise<T>, meant?: (error: ConnectError) => T | undefined) {
    try {
      return await call;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const failure = ConnectError.from(error);
      const answer = meant?.(failure);
      if (answer !== undefined) return answer;
      const { rawMessage, code } = failure;
      if (CONFIGURATION.has(code)) {
        throw new Error(`${url} is no consensus node of Celestia that may be used: ${rawMessage}`, { cause: error });
      }
      throw new DaUnavailable(`the consensus node at ${url}: ${rawMessage.slice(0, MAX_TEXT)}`, { cause: error });
    }
  }
  const unusable = (what: string) => new DaUnavailable(`the consensus node at ${url} returned no ${what}`);

  return {
    url,

    async chainId(signal: AbortSignal): Promise<string> {
      const { defaultNodeInfo } = await ask(signal, chain.getNodeInfo({}, { signal }));
      if (!defaultNodeInfo?.network) throw unusable('chain id');
      return defaultNodeInfo.network;
    },

    /** Height of the last block that was committed. */
    async height(signal: AbortSignal): Promise<bigint> {
      return (await ask(signal, node.status({}, { signal }))).height;
    },

    async account(account: CelestiaAccount, signal: AbortSignal): Promise<ChainAccount> {
      const address = formatCelestiaAddress(account);
      const { account: packed } = await ask(signal, auth.account({ address }, { signal }), ({ code }) => {
        if (code === Code.NotFound) throw new DaUnavailable(`the account ${address} was never funded`);
        return undefined;
      });
      if (packed?.typeUrl !== BASE_ACCOUNT) throw unusable(`plain account at ${address}`);
      const { accountNumber: number, sequence } = decoded(() => fromBinary(BaseAccountSchema, packed.value), unusable);
      return { number, sequence };
    },

    async balance(account: CelestiaAccount, signal: AbortSignal): Promise<bigint> {
      const request = { address: formatCelestiaAddress(account), denom: 'utia' };
      const { balance } = await ask(signal, bank.balance(request, { signal }));
      const amount = balance?.amount ?? '0';
      if (!/^\d{1,78}$/.test(amount)) throw unusable('balance');
      return BigInt(amount);
    },

    async gasTerms(signal: AbortSignal) {
      const [{ params: ofBlobs }, { params: ofTransactions }] = await Promise.all([
        ask(signal, blob.params({}, { signal })),
        ask(signal, auth.params({}, { signal })),
      ]);
      if (ofBlobs === undefined || ofTransactions === undefined) throw unusable('parameters');
      return {
        gasPerBlobByte: BigInt(ofBlobs.gasPerBlobByte),
        txSizeCostPerByte: ofTransactions.txSizeCostPerByte,
      };
    },

    /** The lowest that this node takes. */
    async minimumGasPrice(signal: AbortSignal): Promise<GasPrice> {
      const { minimumGasPrice } = await ask(signal, node.config({}, { signal }));
      // It is empty on a node that takes less than the chain does.
      const price = minimumGasPrice === '' ? 0n : parseGasPrice(minimumGasPrice);
      if (price === undefined) throw unusable('minimum gas price');
      return price;
    },

    /** Estimate from recent transactions. Undefined from a node that does not estimate. */
    async estimatedGasPrice(signal: AbortSignal): Promise<GasPrice | undefined> {
      const answer = await ask(
        signal,
        gas.estimateGasPrice({ txPriority: TxPriority.MEDIUM }, { signal }),
        ({ code }) => (code === Code.Unimplemented ? NO_ESTIMATE : undefined),
      );
      if (answer === NO_ESTIMATE) return undefined;
      const price = gasPriceFromNumber(answer.estimatedGasPrice);
      if (price === undefined) throw unusable('gas price');
      return price;
    },

    broadcast(bytes: Uint8Array, signal: AbortSignal): Promise<BroadcastAnswer> {
      const call = txs.broadcastTx({ txBytes: bytes, mode: BroadcastMode.SYNC }, { signal }).then(({ txResponse }) => {
        if (txResponse === undefined) throw unusable('result');
        return { code: txResponse.code, text: txResponse.rawLog.slice(0, MAX_TEXT) };
      });
      return ask<BroadcastAnswer>(signal, call, ({ code, rawMessage }) =>
        // The node reports in this form why it refuses the blobs of a transaction.
        code === Code.Unknown ? { code: undefined, text: rawMessage.slice(0, MAX_TEXT) } : undefined,
      );
    },

    /** @param id 64 hex digits. */
    async status(id: string, signal: AbortSignal): Promise<TxStatus> {
      const { status: name, height } = await ask(signal, status.txStatus({ txId: id.toUpperCase() }, { signal }));
      if (!isStatus(name)) throw unusable('known status');
      return { status: name, height };
    },
  };
}

const BASE_ACCOUNT = '/cosmos.auth.v1beta1.BaseAccount';
/** Not ways to be away: they stay, despite retries. */
const CONFIGURATION: ReadonlySet<Code> = new Set([Code.Unimplemented, Code.Unauthenticated, Code.PermissionDenied]);
const NO_ESTIMATE = { estimatedGasPrice: 0 };

function isStatus(name: string): name is TxStatus['status'] {
  return STATUSES.includes(name);
}

function decoded<T>(decode: () => T, unusable: (what: string) => Error): T {
  try {
    return decode();
  } catch {
    throw unusable('account that can be read');
  }
}
