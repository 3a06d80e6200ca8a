import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sequencerClient } from '@switchyard/client';
import { Input, requestPath } from '@switchyard/client/rollup';
import { messenger as definition } from '@switchyard/messenger';
import { provenBalance, sequencerEvidence, verifyBalance } from '@switchyard/messenger/client/verify';
import { alice, bob, localNetwork, messenger } from '@switchyard/network';
import { fromHex, parseDenom, rollupIdFromBytes, txHashFromHex, withdrawalEventId } from '@switchyard/protocol';
import { signTransaction } from '@switchyard/rollup/client';
import type { AnyRollup } from '@switchyard/rollup/internal';
import { getPayment, payment } from '@switchyard/withdrawer/contract';
import { builtExample } from '../support/example-program.ts';
import type { HttpClient } from '../support/http-client.ts';
import { createNetwork, type Network, PORTS, root, until } from '../support/network.ts';
import { quantile } from '../support/statistics.ts';
import { ASSET, newSigner } from '../support/submitting.ts';
import { live } from './live.ts';
import { fundedAccounts, getStatus, nextText, patient, pause, submitBatch } from './load.ts';
import { type Measure, repeated, seconds } from './measure.ts';
import { THROUGHPUT_INTERVAL_MS } from './messenger.ts';
import { INSTANCE } from './network.ts';

const EXAMPLE = join(root, 'examples', 'counter');
/** A copy of the example, where it finds the packages of the repository. */
const COUNTER = join(root, '.cache', 'bench', 'counter');

/** Builds the tutorial's rollup. @returns its definition. @throws {Error} */
async function builtCounter(): Promise<AnyRollup> {
  await builtExample('counter', 'bench');
  const { href } = pathToFileURL(join(COUNTER, 'dist', 'counter.js'));
  // A file of this repository, which was type-checked with the same packages.
  const { counter } = (await import(href)) as { counter: AnyRollup };
  return counter;
}

/** A network with a process each for sequencer, composer, conductor and rollup, until `use` is done. */
async function withRollup<T>(name: 'messenger' | 'counter', use: (url: string) => Promise<T>): Promise<T> {
  const template = name === 'messenger' ? name : 'empty';
  const network = await createNetwork({
    ...{ instance: INSTANCE, isBare: true, init: ['--template', template, '--rollup-name', name] },
  });
  try {
    const pace = ['blockinterval', String(THROUGHPUT_INTERVAL_MS), '--instance', INSTANCE];
    const { status, stderr } = await network.switchyard('dev', 'setconfig', ...pace);
    if (status !== 0) throw new Error(stderr);
    if (name === 'counter') addCounter(network);
    await network.start();
    return await use(network.url('rollup'));
  } finally {
    await network.dispose();
  }
}

/** Created like in the tutorial. */
function addCounter({ home, offset }: Network): void {
  const directory = join(home, INSTANCE);
  cpSync(join(EXAMPLE, 'genesis.json'), join(directory, 'config', 'rollup_genesis.json'));
  const service = readFileSync(join(EXAMPLE, 'service.toml'), 'utf8');
  const placed = service.replaceAll('COUNTER', COUNTER).replace(`:${PORTS.rollup}`, `:${PORTS.rollup + offset}`);
  appendFileSync(join(directory, 'networks-config.toml'), placed);
}

/** Each lane has its accounts and sends its batches one after the other, so that nonces arrive in order. */
const LANES = 8;
const ACCOUNTS = 96;
/** Transactions that are executed before the measured ones. */
const WARM_UP = 2_000;

type Batches = readonly (readonly Uint8Array[])[];

/** The signed transactions of each lane. */
interface Load {
  readonly lanes: readonly Batches[];
  readonly count: number;
}

/** @param sign The next transaction of the account with this index. */
async function signed(transactions: number, sign: (account: number) => Promise<Uint8Array> | Uint8Array) {
  const own = ACCOUNTS / LANES;
  const rounds = Math.ceil(transactions / ACCOUNTS);
  const lanes = Array.from({ length: LANES }, (): Uint8Array[][] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [lane, batches] of lanes.entries()) {
      const isFull = (batches.at(-1)?.length ?? own * 8) >= own * 8;
      if (isFull) batches.push([]);
      for (let index = 0; index < own; index += 1) batches.at(-1)?.push(await sign(lane * own + index));
    }
  }
  return { lanes, count: rounds * ACCOUNTS };
}

/** Transactions a second, from the first submission to the last execution; signing is not included. */
async function executedPerSecond(node: HttpClient, { lanes, count }: Load, executed: () => Promise<number>) {
  const before = await executed();
  const elapsed = await seconds(async () => {
    await Promise.all(
      lanes.map(async (batches) => {
        for (const batch of batches) await submitBatch(node, batch);
      }),
    );
    while ((await executed()) - before < count) await pause(5);
  });
  const after = await executed();
  if (after - before !== count) throw new Error(`sent ${count} transactions, executed ${after - before}`);
  return count / elapsed;
}

async function messengerRate(url: string, transactions: number): Promise<number> {
  const node = patient(url);
  try {
    const { chainId } = await getStatus(node);
    const accounts = await fundedAccounts(node, chainId, ACCOUNTS);
    const load = await signed(transactions, (index) => {
      const account = accounts[index];
      if (account === undefined) throw new Error(`no account ${index}`);
      return nextText(account, chainId);
    });
    return await executedPerSecond(node, load, async () => Number((await getStatus(node)).texts));
  } finally {
    node.close();
  }
}

async function counterRate(counter: AnyRollup, url: string, transactions: number): Promise<number> {
  const node = patient(url);
  try {
    const { chainId } = await getStatus(node);
    const accounts = Array.from({ length: ACCOUNTS }, () => ({ signer: newSigner(), nonce: 0 }));
    const load = await signed(transactions, (index) => {
      const account = accounts[index];
      if (account === undefined) throw new Error(`no account ${index}`);
      const body = { nonce: account.nonce, chainId, actions: [{ kind: 'add', amount: 1n }] };
      account.nonce += 1;
      return signTransaction(counter, body, account.signer);
    });
    // Each transaction adds one.
    return await executedPerSecond(node, load, async () =>
      Number(new Input(await node.json('/v1/total'), 'total').at('total').big()),
    );
  } finally {
    node.close();
  }
}

async function inDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
  try {
    return await use(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const throughput: Measure = async (options) => {
  const counter = await builtCounter();
  const figures = {
    messenger: ['texts of the messenger, submitted to executed', '1/s'],
    counter: ['the same of the counter by schemas', '1/s'],
    ratio: ['counter over messenger', 'ratio', '>= 0.85'],
  } as const;
  const rates = {
    messenger: messengerRate,
    counter: (url: string, count: number) => counterRate(counter, url, count),
  };
  return repeated(options, 'throughput', figures, async (run) => {
    const found = { messenger: 0, counter: 0 };
    // Each is the first one in every second run.
    for (const name of run % 2 === 0 ? (['messenger', 'counter'] as const) : (['counter', 'messenger'] as const))
      found[name] = await withRollup(name, async (url) => {
        await rates[name](url, WARM_UP);
        return rates[name](url, options.transactions);
      });
    return { ...found, ratio: found.counter / found.messenger };
  });
};

const CODEC_CALLS = 100_000;

/** Microseconds that decoding a body and encoding it again takes. */
function codecTime(body: Uint8Array, again: (body: Uint8Array) => Uint8Array): number {
  const rounds = (count: number) => {
    for (let index = 0; index < count; index += 1)
      if (again(body).length !== body.length) throw new Error('encoding again gave another length');
  };
  rounds(CODEC_CALLS / 10);
  const before = process.cpuUsage();
  rounds(CODEC_CALLS);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CODEC_CALLS;
}

const codec: Measure = (options) => {
  const text = { text: 'a message of ordinary length to all', name: 'alice', feeAsset: parseDenom(ASSET) };
  const action = { kind: 'sendText', ...text };
  const body = definition.body.encode({ nonce: 7, chainId: 'messenger', actions: [action] });
  const figures = { time: ['decode and encode a text of the messenger', 'µs'] } as const;
  return repeated(options, 'codec', figures, async () => ({
    time: codecTime(body, (bytes) => definition.body.encode(definition.body.decode(bytes))),
  }));
};

const WITHDRAWALS = 20;

const withdrawal: Measure = (options) => {
  const figures = { p50: ['withdrawal executed to paid, local network, p50', 'ms', '<= 300'] } as const;
  return repeated(options, 'withdrawal', figures, () =>
    inDirectory(async (directory) => {
      await using network = await localNetwork({ rollups: [messenger()], withdrawals: true, directory });
      const client = network.client('messenger');
      await network.deposit({ rollup: 'messenger', to: alice.address, amount: 1_000_000n });
      await until('the deposit is credited', async () => (await client.deposits()).items.at(0));
      const times: number[] = [];
      for (let index = 0; index < WITHDRAWALS; index += 1) {
        const { hash } = await client.submitWithdrawal(bob.address, 100n);
        await client.waitFor(hash);
        const path = requestPath(getPayment, { eventId: withdrawalEventId(txHashFromHex(hash), 0) });
        const isPaid = async () => {
          const answer = await network.fetch('messenger-withdrawer', path);
          if (answer.status === 404) return undefined;
          return payment.read(new Input(await answer.json(), path)).state === 'paid' || undefined;
        };
        times.push(1_000 * (await seconds(() => until('the withdrawal is paid', isPaid, 60_000, 2))));
      }
      return { p50: quantile(times, 0.5) };
    }),
  );
};

const CHECKS = 200;

const proof: Measure = async (options) => {
  const figures = { p50: ["proof of a balance up to the sequencer's header, check, p50", 'ms', '<= 2'] } as const;
  await using network = await localNetwork({
    ...{ rollups: [messenger()], listen: { sequencer: { rpc: 0, grpc: 0 } } },
  });
  const client = network.client('messenger');
  await client.waitFor((await client.submitText('a block')).hash);
  const status = new Input((await client.status()).all, 'status');
  const facts = {
    chainId: status.at('sequencerChainId').text(),
    rollup: rollupIdFromBytes(fromHex(status.at('rollupId').text())),
    genesisHeight: status.at('sequencerGenesisBlockHeight').big(),
  };
  const shown = await provenBalance(client, alice.address, ASSET);
  const { rpc = '', grpc = '' } = network.urls.sequencer ?? {};
  const sequencer = sequencerClient({ rpcUrl: rpc, grpcUrl: grpc });
  const evidence = await sequencerEvidence(sequencer, shown.proof?.block.sequencerHeight ?? 0n, facts.rollup);
  sequencer.close();
  const check = () => verifyBalance(shown, { address: alice.address, asset: ASSET }, { evidence, facts });
  return repeated(options, 'proof', figures, async () => {
    const times: number[] = [];
    for (let index = 0; index < CHECKS; index += 1) times.push(1_000 * (await seconds(async () => check())));
    return { p50: quantile(times, 0.5) };
  });
};

/** The framework: its counter and codec in addition to those of the messenger, withdrawals and state proofs. */
export const framework = { throughput, codec, withdrawal, proof, live };
