import { randomBytes } from 'node:crypto';
import { signTransaction } from '@switchyard/evm/testing';
import { encodeDeployData, encodeFunctionData, getContractAddress, type Hex, parseAbi } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { CHAIN_ID, compileToken, devAddress, devKey } from '../support/evm.ts';
import { HttpClient } from '../support/http-client.ts';
import { until } from '../support/network.ts';
import { pause } from './load.ts';

/** An Ethereum node under measurement, over connections that stay open. */
export class Endpoint extends HttpClient {
  constructor(
    readonly name: string,
    url: string,
  ) {
    super(url, { timeoutMs: 600_000 });
  }

  async blockNumber(): Promise<number> {
    return Number(await this.rpc('eth_blockNumber'));
  }

  /** Sends a transaction and asks for its receipt until there is one. */
  async sendAndWait(raw: string, everyMs: number): Promise<void> {
    const hash = await this.rpc('eth_sendRawTransaction', raw);
    while ((await this.rpc('eth_getTransactionReceipt', hash)) === null) await pause(everyMs);
  }
}

interface Account {
  readonly key: Hex;
  readonly address: Hex;
  nonce: bigint;
}

/** Signed transactions in the order in which they are sent: those of one account stay in one lane. */
export type Load = readonly (readonly string[])[];

const ACCOUNTS = 100;
/** A lane sends one batch after another, so an account's nonces arrive in order. */
const LANES = 25;
const BATCH = 100;
const FEES = { maxFeePerGas: 100n * 10n ** 9n, maxPriorityFeePerGas: 1n };
const GIVEN = 90n * 10n ** 18n;

/** Accounts that are the same on every node of a run, so that the same transactions do for all. */
export class Senders {
  readonly #accounts: readonly Account[] = Array.from({ length: ACCOUNTS }, () => {
    const key: Hex = `0x${randomBytes(32).toString('hex')}`;
    return { key, address: privateKeyToAccount(key).address.toLowerCase() as Hex, nonce: 0n };
  });
  #developer = 0n;
  #token: Hex | undefined;

  /** Transfers of coins to the accounts. They have to be sent to each node first. */
  funding(): Load {
    return [
      this.#accounts.map(({ address }) => this.#sign(developer, { to: address, value: GIVEN, gasLimit: 21_000n })),
    ];
  }

  /** Transactions that make a token and give each account some of it. */
  async tokenFunding(): Promise<Load> {
    const { abi, bytecode } = await compileToken();
    const code = encodeDeployData({ abi, bytecode, args: ['Coin', 'CN', 10n ** 30n] });
    this.#token = getContractAddress({ from: devAddress(0), nonce: this.#developer }).toLowerCase() as Hex;
    const made = this.#sign(developer, { data: toBytes(code), gasLimit: 3_000_000n });
    return [[made, ...this.#accounts.map(({ address }) => this.#tokens(developer, address, 10n ** 24n))]];
  }

  get token(): Hex {
    if (this.#token === undefined) throw new Error('no token was made');
    return this.#token;
  }

  /** Plain transfers, each to an address that has nothing yet. */
  transfers(count: number): Load {
    return this.#load(count, (account) => {
      const to: Hex = `0x${randomBytes(20).toString('hex')}`;
      return this.#sign(account, { to, value: 1n, gasLimit: 21_000n });
    });
  }

  /** Transfers of the token among the accounts. */
  tokenTransfers(count: number): Load {
    return this.#load(count, (account, index) => {
      const to = this.#accounts[(index * 7 + 1) % ACCOUNTS]?.address ?? account.address;
      return this.#tokens(account, to, 1n);
    });
  }

  /** One transfer of the token, from the first account. */
  tokenTransfer(): string {
    const [first] = this.#accounts;
    if (first === undefined) throw new Error('there are no accounts');
    return this.#tokens(first, first.address, 1n);
  }

  get addresses(): readonly Hex[] {
    return this.#accounts.map(({ address }) => address);
  }

  #load(count: number, next: (account: Account, index: number) => string): Load {
    const lanes: string[][] = Array.from({ length: LANES }, () => []);
    for (let index = 0; index < count; index += 1) {
      const account = this.#accounts[index % ACCOUNTS];
      if (account !== undefined) lanes[(index % ACCOUNTS) % LANES]?.push(next(account, index));
    }
    return lanes;
  }

  #tokens(account: Account | typeof developer, to: Hex, amount: bigint): string {
    const data = encodeFunctionData({ abi: TRANSFER, functionName: 'transfer', args: [to, amount] });
    return this.#sign(account, { to: this.token, data: toBytes(data), gasLimit: 80_000n });
  }

  #sign(account: Account | typeof developer, fields: Fields): string {
    const nonce = account === developer ? this.#developer++ : (account as Account).nonce++;
    return signed(account.key, { nonce, ...fields });
  }
}

interface Fields {
  readonly to?: Hex;
  readonly value?: bigint;
  readonly data?: Uint8Array;
  readonly gasLimit: bigint;
}

/** A transaction of the local chain as sent. */
export function signed(key: Hex, fields: Fields & { readonly nonce: bigint }): Hex {
  return `0x${Buffer.from(signTransaction({ chainId: BigInt(CHAIN_ID), ...FEES, ...fields }, key)).toString('hex')}`;
}

const developer = { key: devKey(0) };
const TRANSFER = parseAbi(['function transfer(address to, uint256 value) returns (bool)']);

const toBytes = (hex: Hex) => new Uint8Array(Buffer.from(hex.slice(2), 'hex'));

/** Sends everything in all lanes at once and waits until the last is in a block. @returns transactions per second. */
export async function include(node: Endpoint, load: Load): Promise<number> {
  const bodies = load.map((lane) => batches(lane));
  const total = load.reduce((sum, lane) => sum + lane.length, 0);
  const included = await counter(node);
  const start = performance.now();
  await Promise.all(bodies.map((lane) => sendAll(node, lane)));
  await until(
    `${total} transactions in blocks of ${node.name}`,
    async () => (await included()) >= total || undefined,
    600_000,
  );
  return total / ((performance.now() - start) / 1_000);
}

function batches(lane: readonly string[]): string[] {
  return Array.from({ length: Math.ceil(lane.length / BATCH) }, (_, index) => {
    const part = lane.slice(index * BATCH, (index + 1) * BATCH);
    return JSON.stringify(
      part.map((raw, id) => ({ jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [raw] })),
    );
  });
}

async function sendAll(node: Endpoint, bodies: readonly string[]): Promise<void> {
  for (const body of bodies) {
    for (;;) {
      // Answers to a batch, by the protocol.
      const answers = JSON.parse((await node.post(body)).text) as { error?: { message: string } }[];
      const refused = answers.find(
        ({ error }) => error !== undefined && !/already known|already imported/.test(error.message),
      );
      if (refused === undefined) break;
      if (!/full|busy|limit/i.test(refused.error?.message ?? ''))
        throw new Error(`${node.name}: ${refused.error?.message}`);
      await pause(50);
    }
  }
}

/** Counts the transactions in blocks from now on. */
async function counter(node: Endpoint): Promise<() => Promise<number>> {
  let next = (await node.blockNumber()) + 1;
  let seen = 0;
  return async () => {
    const newest = await node.blockNumber();
    for (; next <= newest; next += 1) {
      seen += Number(await node.rpc('eth_getBlockTransactionCountByNumber', `0x${next.toString(16)}`));
    }
    return seen;
  };
}
