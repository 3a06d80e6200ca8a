import type { Address, Data } from '@switchyard/evm-machine/types';
import { addressOfKey, bytesToHex, hexToBytes } from '@switchyard/protocol/ethereum';
import { jsonRpcClient, type Links, outside } from '@switchyard/service';
import {
  hexData,
  hexQuantity,
  Input,
  list,
  mapped,
  object,
  optional,
  type Read,
  text,
} from '@switchyard/service/input';
import type { buildCancellation } from './transactions/cancel.ts';

/** A node's report of itself and of its chain. */
export interface EvmStatus {
  /** Version as `web3_clientVersion` returns it. */
  readonly client: string;
  readonly chainId: bigint;
  readonly latest: EvmBlock;
  /** Numbers of the blocks behind the tags; undefined while there is none. */
  readonly safe: bigint | undefined;
  readonly finalized: bigint | undefined;
  /** Transactions handed on and not yet in a block, and those with a nonce gap before them. */
  readonly pending: number;
  readonly queued: number;
}

export interface EvmBlock {
  readonly number: bigint;
  readonly hash: string;
  /** Seconds since 1970. */
  readonly timestamp: bigint;
  readonly gasLimit: bigint;
  readonly baseFee: bigint | undefined;
  readonly transactions: number;
  readonly withdrawals: readonly { readonly address: string; readonly gwei: bigint }[];
}

/** An entry of a sequencer block that became nothing, and why. */
export interface Refusal {
  readonly kind: string;
  readonly hash: string;
  readonly reason: string;
}

/** A running node as tools use it, over its JSON-RPC. Every method throws `JsonRpcError` if the node refuses. */
export interface EvmClient {
  status(): Promise<EvmStatus>;
  /** Balance at the newest block, in wei. */
  balance(address: string): Promise<bigint>;
  /** Transactions executed so far. */
  nonce(address: string): Promise<bigint>;
  block(number: bigint | 'latest' | 'safe' | 'finalized'): Promise<EvmBlock | undefined>;
  refusals(block: bigint): Promise<readonly Refusal[]>;
  /** The position of a transaction on its way, as `switchyard_transactionStatus` answers. */
  transactionStatus(hash: string): Promise<Readonly<Record<string, unknown>>>;
  /**
   * Signs the replacement of a transaction that the node holds, as `buildCancellation` has it. Nothing is sent.
   *
   * @param secret 32 bytes.
   */
  cancellation(hash: string, secret: Uint8Array): Promise<ReturnType<typeof buildCancellation>>;
  /**
   * Signs a call with the next nonce of the key's account, and fees of now with room to rise. Nothing is sent.
   *
   * @param secret 32 bytes.
   * @throws {JsonRpcError} with the reason if the call would revert.
   */
  signedCall(call: EvmCall, secret: Uint8Array): Promise<SignedCall>;
  /** @returns the hash. */
  send(raw: Uint8Array): Promise<string>;
  /** Calls any method. The result is as sent: parse it before use. */
  call(method: string, ...params: readonly unknown[]): Promise<unknown>;
  /** RLP of a block, as `debug_getRawBlock` has it; undefined for a future one. */
  rawBlock(number: bigint): Promise<Uint8Array | undefined>;
}

export interface EvmCall {
  readonly to: Address;
  /** Wei. */
  readonly value: bigint;
  readonly data: Data;
}

export interface SignedCall {
  readonly raw: Uint8Array;
  readonly from: Address;
  /** Wei that it takes at most, without its value. */
  readonly fee: bigint;
}

export interface EvmClientOptions {
  readonly url: string;
  readonly timeoutMs?: number;
  readonly links?: Links | undefined;
}

const withdrawal = mapped(object({ address: text, amount: hexQuantity }), ({ address, amount }) => ({
  address,
  gwei: amount,
}));

const evmBlock: Read<EvmBlock> = mapped(
  object({
    number: hexQuantity,
    hash: text,
    timestamp: hexQuantity,
    gasLimit: hexQuantity,
    baseFeePerGas: optional(hexQuantity),
    transactions: (input) => input.list(Infinity).length,
    withdrawals: optional(list(withdrawal), []),
  }),
  ({ baseFeePerGas, ...block }) => ({ ...block, baseFee: baseFeePerGas }),
);

const refusalList = optional(list(object({ kind: text, hash: text, reason: text })), []);
const rawBytes = mapped(hexData(), (hex) => new Uint8Array(Buffer.from(hex.slice(2), 'hex')));

/** A client for the methods that our command lines use; any Ethereum library does for the rest. */
export function evmClient({ url, timeoutMs = 10_000, links }: EvmClientOptions): EvmClient {
  const rpc = jsonRpcClient(url, { timeoutMs, links });
  const ask = async <T>(read: Read<T>, method: string, ...params: readonly unknown[]): Promise<T> =>
    read(new Input(await rpc.call(method, params), method));
  const block = (ref: bigint | string) =>
    ask(optional(evmBlock), 'eth_getBlockByNumber', typeof ref === 'bigint' ? hex(ref) : ref, false);
  return {
    async status() {
      const [client, chainId, latest, safe, finalized, pool] = await Promise.all([
        ask(text, 'web3_clientVersion'),
        ask(hexQuantity, 'eth_chainId'),
        block('latest'),
        block('safe'),
        block('finalized'),
        ask(object({ pending: hexQuantity, queued: hexQuantity }), 'txpool_status'),
      ]);
      if (latest === undefined) throw new Error(`${url} has no newest block`);
      return {
        client,
        chainId,
        latest,
        safe: safe?.number,
        finalized: finalized?.number,
        pending: Number(pool.pending),
        queued: Number(pool.queued),
      };
    },
    balance: (address) => ask(hexQuantity, 'eth_getBalance', address, 'latest'),
    nonce: (address) => ask(hexQuantity, 'eth_getTransactionCount', address, 'latest'),
    block,
    refusals: (number) => ask(refusalList, 'switchyard_getRefusals', hex(number)),
    transactionStatus: (hash) => ask((status) => status.object(), 'switchyard_transactionStatus', hash),
    async cancellation(hash, secret) {
      const [held, chainId, latest, { buildCancellation }] = await Promise.all([
        ask(optional(rawBytes), 'eth_getRawTransactionByHash', hash),
        ask(hexQuantity, 'eth_chainId'),
        block('latest'),
        outside(import('./transactions/cancel.ts')),
      ]);
      if (held === undefined) throw new Error(`the node does not have transaction ${hash} any more`);
      return buildCancellation(held, { chainId, baseFee: latest?.baseFee ?? 0n, privateKey: bytesToHex(secret) });
    },
    async signedCall({ to, value, data }, secret) {
      const from = addressOfKey(secret);
      const [chainId, nonce, gas, tip, latest, { signTransaction }] = await Promise.all([
        ask(hexQuantity, 'eth_chainId'),
        ask(hexQuantity, 'eth_getTransactionCount', from, 'pending'),
        ask(hexQuantity, 'eth_estimateGas', { from, to, value: hex(value), data }),
        ask(hexQuantity, 'eth_maxPriorityFeePerGas'),
        block('latest'),
        outside(import('./transactions/sign.ts')),
      ]);
      // Gas that is left over is not paid for.
      const gasLimit = (gas * 11n) / 10n;
      const maxFeePerGas = 2n * (latest?.baseFee ?? 0n) + tip;
      const fees = { maxFeePerGas, maxPriorityFeePerGas: tip, gasLimit };
      const raw = signTransaction({ chainId, nonce, to, value, data: hexToBytes(data), ...fees }, bytesToHex(secret));
      return { raw, from, fee: gasLimit * maxFeePerGas };
    },
    send: (raw) => ask(text, 'eth_sendRawTransaction', bytesToHex(raw)),
    call: (method, ...params) => rpc.call(method, params),
    rawBlock: (number) => ask(optional(rawBytes), 'debug_getRawBlock', hex(number)),
  };
}

export { DEV_ACCOUNTS, DEV_MNEMONIC } from './genesis/development-accounts.ts';
export { evmGenesisFile, type GenesisChoices } from './genesis/file.ts';
export { WITHDRAWER_ADDRESS, withdrawerStorage } from './withdrawer/predeploy.ts';
export {
  type BridgeContract,
  readBridgeContract,
  readWithdrawals,
  type WithdrawalEvent,
  type WithdrawalsQuery,
  withdrawalCall,
} from './withdrawer/withdrawals.ts';

const hex = (value: bigint) => `0x${value.toString(16)}`;
