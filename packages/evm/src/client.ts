import { jsonRpcClient } from '@switchyard/service';

/** What a node reports of itself and of its chain. */
export interface EvmStatus {
  /** As `web3_clientVersion` has it. */
  readonly client: string;
  readonly chainId: bigint;
  readonly latest: EvmBlock;
  /** Numbers of the blocks behind the tags; undefined while there is none. */
  readonly safe: bigint | undefined;
  readonly finalized: bigint | undefined;
  /** Transactions that are on their way, and those that wait for a nonce before them. */
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

/** What tools need of a running node, over its JSON-RPC. Every method throws `JsonRpcError` where the node refuses. */
export interface EvmClient {
  status(): Promise<EvmStatus>;
  /** Of the newest block, in wei. */
  balance(address: string): Promise<bigint>;
  /** Transactions executed so far. */
  nonce(address: string): Promise<bigint>;
  block(number: bigint | 'latest' | 'safe' | 'finalized'): Promise<EvmBlock | undefined>;
  refusals(block: bigint): Promise<readonly Refusal[]>;
  /** Where a transaction is on its way, as `switchyard_transactionStatus` answers. */
  transactionStatus(hash: string): Promise<Readonly<Record<string, unknown>>>;
  /** RLP of a block, as `debug_getRawBlock` has it; undefined for one that is not there yet. */
  rawBlock(number: bigint): Promise<Uint8Array | undefined>;
}

export interface EvmClientOptions {
  readonly url: string;
  readonly timeoutMs?: number;
}

/** A client for the methods that our command lines use; any Ethereum library does for the rest. */
export function evmClient({ url, timeoutMs = 10_000 }: EvmClientOptions): EvmClient {
  const rpc = jsonRpcClient(url, { timeoutMs });
  const block = async (ref: bigint | string) => {
    const found = await rpc.call('eth_getBlockByNumber', [typeof ref === 'bigint' ? hex(ref) : ref, false]);
    return found === null ? undefined : blockOf(found);
  };
  return {
    async status() {
      const [client, chainId, latest, safe, finalized, pool] = await Promise.all([
        rpc.call('web3_clientVersion', []),
        rpc.call('eth_chainId', []),
        block('latest'),
        block('safe'),
        block('finalized'),
        rpc.call('txpool_status', []),
      ]);
      if (latest === undefined) throw new Error(`${url} has no newest block`);
      return {
        client: String(client),
        chainId: quantity('chain id', chainId),
        latest,
        safe: safe?.number,
        finalized: finalized?.number,
        pending: Number(quantity('pending', member(pool, 'pending'))),
        queued: Number(quantity('queued', member(pool, 'queued'))),
      };
    },
    balance: async (address) => quantity('balance', await rpc.call('eth_getBalance', [address, 'latest'])),
    nonce: async (address) => quantity('nonce', await rpc.call('eth_getTransactionCount', [address, 'latest'])),
    block,
    async refusals(number) {
      const list = await rpc.call('switchyard_getRefusals', [hex(number)]);
      return (Array.isArray(list) ? list : []).map((entry: unknown) => ({
        kind: String(member(entry, 'kind')),
        hash: String(member(entry, 'hash')),
        reason: String(member(entry, 'reason')),
      }));
    },
    async transactionStatus(hash) {
      const status = await rpc.call('switchyard_transactionStatus', [hash]);
      if (!isObject(status)) throw new Error(`${url} returned no status of ${hash}`);
      return status;
    },
    async rawBlock(number) {
      const raw = await rpc.call('debug_getRawBlock', [hex(number)]);
      if (raw === null) return undefined;
      if (typeof raw !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(raw))
        throw new Error(`${url} returned no bytes of block ${number}`);
      return new Uint8Array(Buffer.from(raw.slice(2), 'hex'));
    },
  };
}

export { DEV_ACCOUNTS, DEV_MNEMONIC } from './dev-accounts.ts';
export { evmGenesisFile, type GenesisChoices } from './genesis-file.ts';
export { parseRecipient } from './rules.ts';

const hex = (value: bigint) => `0x${value.toString(16)}`;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const member = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

/** @throws {Error} on what is no quantity of Ethereum's JSON-RPC. */
function quantity(what: string, value: unknown): bigint {
  if (typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value)) return BigInt(value);
  throw new Error(`${what}: expected a quantity such as 0x10, got ${JSON.stringify(value)}`);
}

function blockOf(found: unknown): EvmBlock {
  const transactions = member(found, 'transactions');
  const withdrawals = member(found, 'withdrawals');
  const baseFee = member(found, 'baseFeePerGas');
  return {
    number: quantity('number', member(found, 'number')),
    hash: String(member(found, 'hash')),
    timestamp: quantity('timestamp', member(found, 'timestamp')),
    gasLimit: quantity('gasLimit', member(found, 'gasLimit')),
    baseFee: baseFee === undefined ? undefined : quantity('baseFeePerGas', baseFee),
    transactions: Array.isArray(transactions) ? transactions.length : 0,
    withdrawals: (Array.isArray(withdrawals) ? withdrawals : []).map((entry: unknown) => ({
      address: String(member(entry, 'address')),
      gwei: quantity('amount', member(entry, 'amount')),
    })),
  };
}
