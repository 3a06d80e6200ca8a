import { closeSync, cpSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { findStores } from '@switchyard/storage';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { damageStore, type Random, seeded } from '../support/damage.ts';
import { createNetwork, type Network, until } from '../support/network.ts';
import { ALICE, ask, getAddress } from '../support/submitting.ts';

/*
 * Files of all stores of a network with both rollups are damaged, by a seed. Starts have to name the damage before
 * anything is served from it, and the commands that they print have to bring back a network that answers as before.
 *
 * `npm run corrupt`; SWITCHYARD_CORRUPTIONS: how many (3). SWITCHYARD_SEED: which (1).
 */

const COUNT = Number(process.env.SWITCHYARD_CORRUPTIONS ?? '3');
const SEED = Number(process.env.SWITCHYARD_SEED ?? '1');
const TEXTS = ['one', 'two', 'three'];
const KEY = '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90';

let network: Network;
let data: string;
let pristine: string;
let expected: unknown;
let blocks = 0;

const submit = async (text: string): Promise<void> => {
  const sent = await network.rollupCli('submit', 'text', text, 'alice', '--private-key', KEY);
  expect(sent, sent.stderr).toMatchObject({ status: 0 });
};

async function ethereum(method: string, ...params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  return (await ask(network.url('evm'), init)).body.result;
}

/** The first blocks as clients see them: both rollups, and the sequencer. */
async function view(): Promise<unknown> {
  const { stdout } = await network.rollupCli('query', 'texts', '--json');
  const heights = Array.from({ length: blocks }, (_, index) => index + 1);
  return {
    texts: JSON.parse(stdout) as unknown,
    balance: (await ask(`${network.url('rollup')}/get_account_balance/${getAddress(ALICE)}/nria`)).body,
    messenger: await Promise.all(
      heights.map(async (height) => (await ask(`${network.url('rollup')}/v1/blocks/${height}`)).body),
    ),
    evm: await Promise.all(heights.map((height) => ethereum('eth_getBlockByNumber', `0x${height.toString(16)}`, true))),
    sequencer: await Promise.all(
      heights.map(async (height) => (await ask(`${network.url('rpc')}/block?height=${height}`)).body.result.block_id),
    ),
  };
}

/** Until both rollups have as many blocks as the view compares. */
async function reached(): Promise<void> {
  await until(
    'both rollups have all blocks',
    async () => {
      const evm = Number(await ethereum('eth_blockNumber'));
      const { number } = (await ask(`${network.url('rollup')}/v1/status`)).body.soft as { number: number };
      return (evm >= blocks && number >= blocks) || undefined;
    },
    60_000,
  );
}

beforeAll(async () => {
  network = await createNetwork({ init: ['--template', 'messenger,evm'], isBare: true });
  data = join(network.home, network.instance, 'data');
  pristine = join(network.home, 'pristine');
  await network.start();
  for (const text of TEXTS) await submit(text);
  blocks = 0;
  const soft = (await ask(`${network.url('rollup')}/v1/status`)).body.soft as { number: number };
  blocks = soft.number;
  await reached();
  expected = await view();
  await network.stop();
  const saved = await network.switchyard('dev', 'snapshot', 'save', 'whole', '--instance', network.instance);
  expect(saved, saved.stderr).toMatchObject({ status: 0 });
  cpSync(data, pristine, { recursive: true });
}, 240_000);

afterAll(() => network?.dispose());

/** The data before any damage. */
function putBack(): void {
  rmSync(data, { recursive: true });
  cpSync(pristine, data, { recursive: true });
}

/** Starts it; returns its output if that failed. */
async function startFailure(): Promise<string | undefined> {
  try {
    await network.start();
    return undefined;
  } catch (error) {
    await network.stop();
    return String(error);
  }
}

/** Runs every repair command that a failed start has printed. @returns the directories that they repaired. */
async function repairAsPrinted(failure: string, round: string): Promise<string[]> {
  expect(failure, round).toMatch(/is damaged: .*; repair it with `switchyard repair \S+`/);
  expect(failure, round).toContain('exit code 65');
  const named = [...failure.matchAll(/repair it with `switchyard repair (\S+)`/g)].map(
    ([, directory = '']) => directory,
  );
  const repaired: string[] = [];
  for (const directory of new Set(named)) {
    const ran = await network.switchyard('repair', directory);
    expect(ran, `${round}: ${ran.stderr}`).toMatchObject({ status: 0 });
    repaired.push(...[...ran.stdout.matchAll(/^repaired (\S+) /gm)].map(([, repairedOne = '']) => repairedOne));
  }
  expect(repaired, round).not.toEqual([]);
  return repaired;
}

/** Up to `count` stores of the network, each damaged once, by their directories. */
function damageSome(count: number, random: Random): ReadonlyMap<string, string> {
  const stores = findStores(data);
  const damaged = new Map<string, string>();
  while (damaged.size < count && stores.length > 0) {
    const [store] = stores.splice(random(stores.length), 1);
    if (store !== undefined) damaged.set(store.directory, damageStore(store, random));
  }
  return damaged;
}

test(
  `${COUNT} damaged files are found before they are served, and repaired by the printed command`,
  async () => {
    const random = seeded(SEED);
    let found = 0;
    let harmless = 0;
    while (found < COUNT) {
      putBack();
      const damaged = damageSome(COUNT - found, random);
      const round = [...damaged.values()].join('; ');
      const repaired = new Set<string>();
      for (let starts = 0; ; starts += 1) {
        const failure = await startFailure();
        if (failure === undefined) break;
        // Each start finds at least one more.
        expect(starts, `${round}: ${failure}`).toBeLessThan(damaged.size);
        for (const directory of await repairAsPrinted(failure, round)) repaired.add(directory);
      }
      // Damage that was not found hit bytes that mean nothing: nothing may differ, and no check may object.
      await reached();
      expect(await view(), round).toEqual(expected);
      await network.stop();
      const verified = await network.switchyard('verify', data);
      expect(verified, `${round}: ${verified.stdout}`).toMatchObject({ status: 0 });
      const hits = [...damaged.keys()].filter((directory) => repaired.has(directory)).length;
      found += hits;
      harmless += damaged.size - hits;
      expect(harmless, round).toBeLessThan(COUNT + 10);
      process.stdout.write(
        `corruption: ${found} of ${COUNT} found and repaired, ${harmless} without effect, seed ${SEED}\n`,
      );
    }
  },
  120_000 + COUNT * 60_000,
);

// Defect: Solo sequencer began a new chain if blocks were missing and their index was repaired
test('no chain is begun anew where the files of blocks and state are gone', async () => {
  putBack();
  for (const store of ['engine', 'app']) rmSync(join(data, 'sequencer', store, 'data.mdb'));
  for (
    let failure = await startFailure(), starts = 0;
    failure !== undefined;
    failure = await startFailure(), starts += 1
  ) {
    expect(starts, failure).toBeLessThan(3);
    await repairAsPrinted(failure, 'blocks and state gone');
  }
  await reached();
  expect(await view()).toEqual(expected);
  await network.stop();
}, 240_000);

test('damage below a running process stops it, and is not started again', async () => {
  putBack();
  await network.start();
  await reached();
  const file = join(data, 'rollup', 'data.mdb');
  const bytes = readFileSync(file);
  // In place, byte by byte: the process has mapped this file, and writes to it.
  const open = openSync(file, 'r+');
  for (let at = bytes.indexOf('three'); at >= 0; at = bytes.indexOf('three', at + 1)) {
    writeSync(open, Buffer.from('T'), 0, 1, at);
  }
  closeSync(open);
  const { stdout } = await network.rollupCli('query', 'texts', '--json');
  expect(stdout).not.toContain('Three');
  const failed = await until('the rollup is given up', async () => {
    const { stdout: status } = await network.switchyard('dev', 'status', '--instance', network.instance, '--json');
    const { services } = JSON.parse(status) as { services: { name: string; state: string; reason?: string }[] };
    return services.find(({ state }) => state === 'failed');
  });
  expect(failed.reason).toContain('its data on disk is damaged');
  expect(network.output()).toContain('repair it with `switchyard repair');
  await network.stop();
});
