import { randomBytes } from 'node:crypto';
import { txHashOf, verifyStrict } from '@switchyard/protocol';
import { createNetwork, type Network, until } from '../support/network.ts';
import { quantile } from '../support/statistics.ts';
import { newSigner } from '../support/submitting.ts';
import { watched } from '../support/usage.ts';
import { bytesPerSecond } from './bytes.ts';
import { type Account, follow, fundedAccounts, getStatus, nextText, patient, pause, sustain } from './load.ts';
import { type Measure, repeated, seconds } from './measure.ts';
import { INSTANCE, withNetwork } from './network.ts';

const SERVICES = ['sequencer', 'composer', 'conductor', 'rollup'] as const;
const RESTART_BLOCKS = 10_000;
/** Block interval of the throughput runs: longer blocks cost less each, and latency is not measured. */
export const THROUGHPUT_INTERVAL_MS = 100;

const ready: Measure = (options) =>
  repeated(options, 'ready', { start: ['dev run to ready, new instance', 's', '<= 5'] }, async () => {
    const network = await createNetwork({ instance: INSTANCE });
    try {
      return { start: await seconds(() => network.start()) };
    } finally {
      await network.dispose();
    }
  });

const restart: Measure = (options) =>
  withNetwork({ intervalMs: 10 }, async (network) => {
    options.progress(`restart: making ${RESTART_BLOCKS} blocks`);
    await sustain(network, { seconds: 3600, untilBlocks: RESTART_BLOCKS, textsPerSecond: 200 });
    const figures = { start: [`dev run to ready, ${RESTART_BLOCKS} blocks stored`, 's', '<= 10'] } as const;
    return repeated(options, 'restart', figures, async () => {
      await network.stop();
      return { start: await seconds(() => network.start()) };
    });
  });

const latency: Measure = async (options) => {
  const quiet = { p50: ['text submitted to readable, idle, p50', 'ms', '<= 100'] } as const;
  const idle = await withNetwork({}, (network) =>
    repeated(options, 'latency, idle', quiet, async () => {
      const seen = await latencies(network, { count: 20, everyMs: () => 1_500 + Math.random() * 2_000 });
      return { p50: quantile(seen, 0.5) };
    }),
  );
  const busy = {
    p50: ['the same at 500 texts/s, 10 ms blocks, p50', 'ms', '<= 30'],
    p99: ['the same at 500 texts/s, 10 ms blocks, p99', 'ms', '<= 100'],
  } as const;
  return withNetwork({ intervalMs: 10 }, async (network) => [
    ...idle,
    ...(await repeated(options, 'latency, 500 texts/s', busy, async () => {
      const seen = await latencies(network, { count: 5_000, everyMs: () => 2 });
      return { p50: quantile(seen, 0.5), p99: quantile(seen, 0.99) };
    })),
  ]);
};

/** Enough accounts that the text of each is nearly always answered before its next turn; if not, the next one waits. */
const SINGLE_SENDERS = 500;

/** Submits single texts at the given distances and measures, for each, the milliseconds until it can be read. */
export async function latencies(
  network: Network,
  { count, everyMs }: { count: number; everyMs: () => number },
): Promise<number[]> {
  const node = patient(network.url('rollup'));
  const sentAt = new Map<string, number>();
  const measured: number[] = [];
  const { chainId } = await getStatus(node);
  const accounts = await fundedAccounts(node, chainId, SINGLE_SENDERS);
  const stop = await follow(`${node.url}/v1/streams/messages`, (events) => {
    const now = performance.now();
    for (const [, hash = ''] of events.matchAll(/"hash":"([0-9a-f]{64})"/g)) {
      const start = sentAt.get(hash);
      if (start === undefined || !sentAt.delete(hash)) continue;
      measured.push(now - start);
    }
  });
  try {
    let due = performance.now();
    const answers = new Map<Account, Promise<void>>();
    for (let index = 0; index < count; index += 1) {
      due += everyMs();
      const wait = due - performance.now();
      if (wait > 0) await pause(wait);
      const account = accounts[index % accounts.length];
      if (account === undefined) throw new Error('no accounts');
      // The order of an account's texts is its own to keep.
      await answers.get(account);
      const body = nextText(account, chainId);
      sentAt.set(txHashOf(body), performance.now());
      const submitted = node.call({ method: 'POST', path: '/v1/transactions', body });
      const answer = submitted.then(({ status, text }) => {
        if (status !== 202) throw new Error(`submit: ${status} ${text}`);
      });
      answers.set(account, answer);
    }
    await Promise.all(answers.values());
    await until('all texts can be read', () => measured.length === count || undefined);
    return measured;
  } finally {
    stop();
    node.close();
  }
}

const throughput: Measure = (options) =>
  withNetwork({ intervalMs: THROUGHPUT_INTERVAL_MS }, (network) => {
    const memory = (service: string) => [`resident memory after each run, ${service}`, 'MiB', '<= 200'] as const;
    const figures = {
      texts: ['textsPerSecond, submitted to executed', 'texts/s', '>= 6000'],
      verifications: ['signature verifications, one core', '1/s'],
      ratio: ['texts per verification of one core', 'ratio'],
      sequencer: memory('sequencer'),
      composer: memory('composer'),
      conductor: memory('conductor'),
      rollup: memory('rollup'),
    } as const;
    return repeated(options, 'throughput', figures, async () => {
      const verifications = signatureRate();
      const load = () => sustain(network, { seconds: options.seconds });
      const { result, used, text } = await watched(network, SERVICES, load);
      options.progress(`${result.texts} texts in ${result.elapsed.toFixed(1)} s; ${text}`);
      return {
        texts: result.textsPerSecond,
        verifications,
        ratio: result.textsPerSecond / verifications,
        sequencer: used.sequencer.residentMiB,
        composer: used.composer.residentMiB,
        conductor: used.conductor.residentMiB,
        rollup: used.rollup.residentMiB,
      };
    });
  });

/** Native ed25519 verifications per second on one core, of messages as long as a signed text's body. */
function signatureRate(milliseconds = 1_000): number {
  const signer = newSigner();
  const message = new Uint8Array(randomBytes(100));
  const signature = signer.sign(message);
  const start = performance.now();
  let count = 0;
  for (; performance.now() - start < milliseconds; count += 1)
    if (!verifyStrict(signature, message, signer.publicKey)) throw new Error('a good signature did not verify');
  return (count * 1_000) / (performance.now() - start);
}

const bytes: Measure = (options) =>
  withNetwork({ intervalMs: THROUGHPUT_INTERVAL_MS }, (network) => {
    const figures = { rate: ['rollup data sequenced, 1 KB submissions', 'MB/s', '>= 10'] } as const;
    return repeated(options, 'bytes', figures, async () => ({ rate: await bytesPerSecond(network, { seconds: 10 }) }));
  });

/** The whole stack under load; each measure has a network of its own. */
export const messenger = { ready, restart, latency, throughput, bytes };
