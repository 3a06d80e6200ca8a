import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rollupIdFromName, sha256Hex } from '@switchyard/protocol';

/* A node whose blocks are made on request: more transactions than a benchmark has time to execute. */

export const BLOCK_TRANSACTIONS = 250;
const ANSWER_TRANSACTIONS = 2_000;
const ACCOUNTS = 20_000;
const TOKENS = 50;
/** Name of the rollup. */
export const FEED_NAME = 'bench';

const hex = (number: number) => `0x${number.toString(16)}`;
const makeHash = (text: string) => `0x${sha256Hex(Buffer.from(text))}`;
const accounts = Array.from({ length: ACCOUNTS }, (_, index) => makeHash(`account ${index}`).slice(0, 42));
const tokens = Array.from({ length: TOKENS }, (_, index) => makeHash(`token ${index}`).slice(0, 42));
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const word = (text: string) => text.padStart(64, '0');

export interface EvmFeed {
  readonly url: string;
  /** Each has part in many transactions. @param number Any; after this many they repeat. */
  account(number: number): string;
  token(number: number): string;
  hashOfTransaction(number: number): string;
  /** Adds blocks from now on, at this rate. @returns a function that ends it, and then how many transactions there are. */
  grow(transactionsPerSecond: number): () => number;
  close(): Promise<void>;
}

/** Every second transaction moves a token, the others move coins. */
export async function evmFeed(transactions: number): Promise<EvmFeed> {
  let newest = Math.ceil(transactions / BLOCK_TRANSACTIONS);
  const answer = (method: string, [first, second]: readonly unknown[]): unknown => {
    const number = Number(first);
    if (method === 'eth_getBlockByNumber') return { hash: makeHash(`block ${number}`) };
    if (method === 'eth_getBalance' || method === 'eth_getTransactionCount') return '0x1';
    if (method === 'eth_getCode') return '0x';
    if (method !== 'switchyard_getBlocks') return undefined;
    const most = Math.min(Number(second), ANSWER_TRANSACTIONS / BLOCK_TRANSACTIONS, newest - number + 1);
    return Array.from({ length: most }, (_, index) => block(number + index));
  };
  const respond = (request: { readonly id: number; readonly method: string; readonly params: readonly unknown[] }) => {
    const result = answer(request.method, request.params);
    const error = { code: -32_000, message: 'execution reverted' };
    return { jsonrpc: '2.0', id: request.id, ...(result === undefined ? { error } : { result }) };
  };
  const server = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    request.on('end', () => {
      const soft = { number: newest };
      const status = {
        rollup: FEED_NAME,
        rollupId: rollupIdFromName(FEED_NAME),
        chainId: 1,
        soft,
        firm: soft,
        lowestBlock: 1,
      };
      const body = request.method === 'GET' ? undefined : JSON.parse(Buffer.concat(chunks).toString('utf8'));
      const content = body === undefined ? status : Array.isArray(body) ? body.map(respond) : respond(body);
      response.setHeader('content-type', 'application/json').end(JSON.stringify(content));
    });
  });
  const url = await listening(server);
  return {
    url,
    account: (number) => accounts[number % ACCOUNTS] ?? '',
    token: (number) => tokens[number % TOKENS] ?? '',
    hashOfTransaction: (number) => makeHash(`transaction ${number}`),
    grow(transactionsPerSecond) {
      const timer = setInterval(
        () => {
          newest += 1;
        },
        (1_000 * BLOCK_TRANSACTIONS) / transactionsPerSecond,
      );
      return () => {
        clearInterval(timer);
        return newest * BLOCK_TRANSACTIONS;
      };
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function listening(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      // A TCP server that listens has such an address.
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
  });
}

function block(number: number) {
  const first = (number - 1) * BLOCK_TRANSACTIONS;
  return {
    number: hex(number),
    hash: makeHash(`block ${number}`),
    parentHash: makeHash(`block ${number - 1}`),
    timestamp: hex(1_700_000_000 + number),
    gasUsed: hex(BLOCK_TRANSACTIONS * 30_000),
    gasLimit: hex(30_000_000),
    baseFeePerGas: hex(1_000_000_000),
    size: hex(BLOCK_TRANSACTIONS * 120),
    parentBeaconBlockRoot: makeHash(`sequencer ${number}`),
    transactions: Array.from({ length: BLOCK_TRANSACTIONS }, (_, index) => transaction(first + index)),
    withdrawals: [],
    refused: [],
  };
}

function transaction(number: number) {
  const from = accounts[number % ACCOUNTS] ?? '';
  const to = accounts[(number * 7_919) % ACCOUNTS] ?? '';
  const token = number % 2 === 0 ? undefined : tokens[(number >> 1) % TOKENS];
  const amount = word((1 + (number % 1_000)).toString(16));
  const topics = [TRANSFER, `0x${word(from.slice(2))}`, `0x${word(to.slice(2))}`];
  return {
    hash: makeHash(`transaction ${number}`),
    submission: sha256Hex(Buffer.from(`submission ${number}`)),
    from,
    to: token ?? to,
    contractAddress: null,
    value: token === undefined ? hex(number) : '0x0',
    effectiveGasPrice: hex(1_000_000_001),
    gas: hex(60_000),
    gasUsed: hex(token === undefined ? 21_000 : 39_000),
    maxFeePerGas: hex(2_000_000_000),
    maxPriorityFeePerGas: '0x1',
    status: '0x1',
    type: '0x2',
    nonce: hex(Math.floor(number / ACCOUNTS)),
    input: token === undefined ? '0x' : `0xa9059cbb${word(to.slice(2))}${amount}`,
    logs: token === undefined ? [] : [{ address: token, topics, data: `0x${amount}` }],
    transfers:
      token === undefined
        ? []
        : [{ log: 0, item: 0, standard: 'erc20', token, from, to, amount: `0x${BigInt(`0x${amount}`).toString(16)}` }],
    internal: [],
  };
}
