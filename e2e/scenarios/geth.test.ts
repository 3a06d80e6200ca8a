import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backendSuite } from '@switchyard/evm/backend-suite';
import {
  type GethChain,
  History,
  historyChain,
  historyGenesis,
  httpLink,
  openGethChain,
} from '@switchyard/evm/geth-testing';
import { TestAccount, testInput } from '@switchyard/evm/testing';
import { executorSuite } from '@switchyard/rollup/executor-suite';
import { Secret } from '@switchyard/service';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DEV_ADDRESSES, DEV_KEYS } from '../support/evm.ts';
import { createGeth, type GethOptions, type GethProcess, gethIsThere } from '../support/geth.ts';
import { freeOffset, PORTS, until } from '../support/network.ts';

/*
 * The stock back end over a real geth: the blocks of the embedded one, regardless of faults of geth in between.
 */

const genesis = historyGenesis();

async function startedGeth(options: Partial<GethOptions> = {}): Promise<GethProcess> {
  const text = options.genesis ?? genesis;
  const geth = await createGeth({ genesis: text, gasLimit: BigInt(JSON.parse(text).gasLimit), ...options });
  await geth.start();
  return geth;
}

const isThere = gethIsThere();

describe.skipIf(!isThere)('stock geth', () => {
  if (!isThere) return;

  backendSuite(
    'stock geth',
    async (text) => {
      const geth = await startedGeth({ genesis: text });
      const stock = openGethChain({ ipc: geth.ipc, genesis: text });
      const close = async () => {
        stock.close();
        await geth.dispose();
      };
      return { executor: stock.executor, chain: stock.chain, close };
    },
    { seeds: [1], blocks: 40 },
  );

  executorSuite('stock geth', async () => {
    const geth = await startedGeth();
    let stock = openGethChain({ ipc: geth.ipc, genesis });
    const [address, privateKey] = [DEV_ADDRESSES[0]?.toLowerCase(), DEV_KEYS[0]];
    const account = new TestAccount(
      { address: address as `0x${string}`, privateKey: privateKey ?? '0x' },
      { chainId: 1337n },
    );
    return {
      executor: stock.executor,
      async reopen() {
        stock.close();
        stock = openGethChain({ ipc: geth.ipc, genesis, database: stock.database });
        return stock.executor;
      },
      input(number) {
        // Valid on any parent: one of these nonces always fits.
        const transfers = [0n, 1n, 2n, 3n].map((nonce) => account.transfer(account.address, BigInt(number), { nonce }));
        const input = testInput(
          BigInt(number),
          transfers.map((data) => ({ kind: 'sequencedData', data })),
        );
        return { ...input, timestamp: { seconds: BigInt(1_700_000_000 + number), nanos: 7 * number } };
      },
      async close() {
        stock.close();
        await geth.dispose();
      },
    };
  });

  describe('trouble', () => {
    let offset = 0;
    const home = mkdtempSync(join(tmpdir(), 'switchyard-jwt-'));
    beforeAll(async () => {
      offset = await freeOffset();
    });
    afterAll(() => rmSync(home, { recursive: true, force: true }));

    const closing: (() => Promise<void> | void)[] = [];
    afterEach(async () => {
      for (const close of closing.splice(0).reverse()) await close();
    });

    async function gethFor(options: Partial<GethOptions> = {}): Promise<GethProcess> {
      const geth = await startedGeth(options);
      closing.push(() => geth.dispose());
      return geth;
    }
    function open(geth: GethProcess, database?: GethChain['database'], patienceMs = 60_000): GethChain {
      const stock = openGethChain({
        ipc: geth.ipc,
        genesis,
        patienceMs,
        ...(database === undefined ? {} : { database }),
      });
      closing.push(() => stock.close());
      return stock;
    }

    /** Executes blocks here and there; `before` is called before each. */
    async function inStep(stock: GethChain, blocks: number, before: (number: number) => void = () => {}) {
      const model = await historyChain();
      const history = new History(5, model.accounts);
      for (let number = 1; number <= blocks; number += 1) {
        const input = history.block(BigInt(number), model.state.at(BigInt(number - 1)), 4);
        const parent = model.chain.findHash(BigInt(number - 1)) ?? '';
        await model.executor.executeBatch(parent, [input], { firm: true });
        before(number);
        await stock.executor.executeBatch(parent, [input], { firm: true });
        expect({ number, hash: stock.chain.findHash(BigInt(number)) }).toEqual({
          number,
          hash: model.chain.findHash(BigInt(number)),
        });
      }
      return { model, history };
    }

    test.each([
      ['keeps the state of every block', { scheme: 'hash', gcmode: 'archive' }],
      ['forgets almost everything when it is killed', { scheme: 'path', gcmode: 'full' }],
    ] as const)('a geth that %s is killed in mid-block, and the chain resumes where it was', async (_, options) => {
      const geth = await gethFor(options);
      const stock = open(geth);
      let restarts: Promise<void> = Promise.resolve();
      await inStep(stock, 40, (number) => {
        if (number % 19 !== 0) return;
        restarts = restarts.then(async () => {
          await geth.stop('SIGKILL');
          await geth.start();
          const state = await until('geth is healed', () =>
            stock.trouble === undefined ? 'well' : /restart geth once/.exec(stock.trouble)?.[0],
          );
          if (state === 'well') return;
          await geth.stop();
          await geth.start();
        });
      });
      await restarts;
      expect(stock.trouble).toBeUndefined();
    });

    test('a geth that is ahead, by final blocks too, goes back to what is committed here', async () => {
      const geth = await gethFor();
      const first = open(geth);
      const { model } = await inStep(first, 40);
      first.close();
      // Another database, as after the loss of the first.
      const again = open(geth);
      await inStep(again, 3);
      expect(again.chain.findHash(3n)).toBe(model.chain.findHash(3n));
    });

    test('a geth with an empty data directory gets all blocks again', async () => {
      const stock = open(await gethFor());
      const { model, history } = await inStep(stock, 20);
      const empty = await gethFor();
      const next = open(empty, stock.database);
      const input = history.block(21n, model.state.at(20n), 6);
      const parent = model.chain.findHash(20n) ?? '';
      const { blocks } = await model.executor.executeBatch(parent, [input], { firm: true });
      expect((await next.executor.executeBatch(parent, [input], { firm: true })).blocks).toEqual(blocks);
    });

    test('a geth that was started with another genesis or gas limit is refused in one line', async () => {
      const other = genesis.replace('"0x6553f100"', '"0x6553f101"');
      expect(other).not.toBe(genesis);
      await expect(open(await gethFor({ genesis: other })).work()).rejects.toThrow(
        /expected a chain with genesis 0x.*, got 0x.*geth init/,
      );
      const stock = open(await gethFor({ gasLimit: 30_000_000n }));
      await expect(stock.work()).rejects.toThrow(
        /expected blocks with gas limit 12000000, got \d+; start geth with --miner.gaslimit 12000000/,
      );
      expect(stock.trouble).toContain('gas limit');
    });

    test('a geth in another place is driven over HTTP, with a token for its engine', async () => {
      const [rpc, engine] = [PORTS.evm, PORTS.evmWs].map((port) => port + offset);
      const file = join(home, 'jwt.hex');
      writeFileSync(file, '5a'.repeat(32), { mode: 0o600 });
      const args = ['--http', '--http.port', String(rpc), '--http.api', 'eth,web3,debug,testing'];
      await gethFor({ args: [...args, '--authrpc.port', String(engine), '--authrpc.jwtsecret', file] });
      const link = httpLink({
        rpcUrl: `http://127.0.0.1:${rpc}`,
        engineUrl: `http://127.0.0.1:${engine}`,
        jwtSecret: new Secret(new Uint8Array(32).fill(0x5a)),
      });
      const stock = openGethChain({ ipc: link, genesis });
      closing.push(() => stock.close());
      await inStep(stock, 5);
    });

    test('a geth that is not there is waited for, and the conductor is asked to retry', async () => {
      const geth = await gethFor();
      const stock = open(geth, undefined, 1_000);
      await inStep(stock, 2);
      await geth.stop();
      const working = stock.work();
      const { soft } = (await stock.executor.state()).commitments;
      await expect(stock.executor.execute(soft.hash, testInput(3n, []))).rejects.toThrow(
        'the execution client cannot be used',
      );
      expect(stock.trouble).toContain(geth.ipc);
      await geth.start();
      await until('geth is there', () => (stock.trouble === undefined ? true : undefined));
      await stock.executor.execute(soft.hash, testInput(3n, []));
      stock.close();
      await working;
    });
  });
});
