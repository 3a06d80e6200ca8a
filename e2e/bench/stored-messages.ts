import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbStore } from '@switchyard/machine';
import { CHAIN, exampleFile, exampleGenesis, messenger } from '@switchyard/messenger/testing';
import {
  type AccountId,
  accountIdFromBytes,
  formatAddress,
  parseDenom,
  sha256,
  type TxHash,
  txHashOf,
} from '@switchyard/protocol';
import { RollupChain, type RollupTransaction } from '@switchyard/rollup/node';
import { testInput } from '@switchyard/rollup/testing';
import { freePort } from '@switchyard/service/testing';
import { until } from '../support/network.ts';
import { withProcess } from '../support/node-process.ts';
import { ask } from '../support/submitting.ts';

const ACCOUNTS = 100;
const feeAsset = parseDenom('nria');
const BLOCK_MESSAGES = 1_000;
const WORDS = ['some', 'ordinary', 'words', 'of', 'a', 'chat', 'as', 'people', 'write', 'them'];
/** In one of this many messages. */
export const RARE = { word: 'serendipity', every: 10_007 };
export const COMMON_WORD = 'ordinary';

export interface MessengerProcess {
  readonly url: string;
  /** Addresses with messages. */
  readonly addresses: readonly string[];
}

/** Runs a messenger node, alone, with this many messages in its database: it answers queries, and no block comes. */
export async function withMessages<T>(
  messages: number,
  { progress }: { readonly progress: (text: string) => void },
  use: (node: MessengerProcess) => Promise<T>,
): Promise<T> {
  progress(`writing ${messages} messages`);
  const home = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) =>
    accountIdFromBytes(sha256(Uint8Array.of(index)).subarray(0, 20)),
  );
  const addresses = accounts.map((account) => formatAddress(account));
  const funded = addresses.map((bech32m) => ({ address: { bech32m }, balance: { lo: 10 ** 12 } }));
  const changes = { accounts: funded, sequencer_chain_id: 'sequencer-test' };
  const genesis = join(home, 'genesis.json');
  writeFileSync(genesis, JSON.stringify({ ...exampleFile, ...changes }));
  const database = join(home, 'data');
  await write(database, changes, accounts, messages);

  const [http, execution] = await Promise.all([freePort(), freePort()]);
  const url = `http://127.0.0.1:${http}`;
  const settings = {
    HOME: home,
    GENESIS_FILEPATH: genesis,
    DB_FILEPATH: database,
    REST_ADDR: `127.0.0.1:${http}`,
    EXECUTION_GRPC_ADDR: `127.0.0.1:${execution}`,
    MAX_REQUESTS_PER_SECOND: '1000000',
    NO_METRICS: 'true',
  };
  try {
    return await withProcess('messenger', settings, async () => {
      const texts = async () => Number((await ask(`${url}/v1/status`)).body.texts);
      await until('the messages', async () => (await texts()) === messages + 1 || undefined);
      return use({ url, addresses });
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Executed by the messenger itself, from transactions that count as verified, so that a million takes no hour. */
async function write(
  directory: string,
  changes: object,
  accounts: readonly AccountId[],
  messages: number,
): Promise<void> {
  const store = openLmdbStore(directory);
  let verified = new Map<TxHash, RollupTransaction>();
  const rollup = messenger(exampleGenesis(changes));
  const { transactions: format } = rollup;
  const chain = await RollupChain.open(rollup, store, (hash) => verified.get(hash));
  for (let first = 0; first < messages; first += BLOCK_MESSAGES) {
    const numbers = Array.from({ length: Math.min(BLOCK_MESSAGES, messages - first) }, (_, index) => first + index);
    verified = new Map();
    const entries = numbers.map((number) => {
      const data = Buffer.from(`message ${number}`);
      const hash = txHashOf(data);
      const signer = accounts[number % accounts.length] as AccountId;
      const actions = [
        { kind: 'sendText' as const, text: toText(number), name: `user ${number % ACCOUNTS}`, feeAsset },
      ];
      const nonce = Math.floor(number / accounts.length);
      verified.set(hash, { hash, signer, nonce, chainId: CHAIN, actions, format });
      return { kind: 'sequencedData' as const, data };
    });
    const { soft, block } = chain.view;
    await chain.executeBatch(block.hash, [testInput(Number(soft) + 1, entries)], { firm: true });
  }
  await store.close();
}

function toText(number: number): string {
  const words = Array.from({ length: 8 }, (_, index) => WORDS[(number * 7 + index * 3) % WORDS.length]);
  return `${words.join(' ')} ${number}${number % RARE.every === 0 ? ` ${RARE.word}` : ''}`;
}
