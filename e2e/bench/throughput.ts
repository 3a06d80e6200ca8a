import type { Network } from '../support/network.ts';
import { type Account, fundedAccounts, Node, nextText, submitBatch } from './load.ts';

const ACCOUNTS = 100;
/** Accounts are divided among lanes; a lane sends one batch after another, so an account's nonces arrive in order. */
const LANES = 8;
const ROUNDS_PER_BATCH = 8;

export interface SustainOptions {
  readonly seconds: number;
  /** Stop once so many sequencer blocks exist. */
  readonly untilBlocks?: number;
  /** Hold back to this rate instead of going as fast as the stack takes it. */
  readonly textsPerSecond?: number;
}

interface Executed {
  readonly texts: number;
  readonly sequencerHeight: number;
}

async function executed(node: Node): Promise<Executed> {
  const status = await node.json('/v1/status');
  return { texts: Number(status.texts), sequencerHeight: Number(status.sequencerHeight) };
}

/** Submits texts for a time and waits until the last is executed. The rate counts from the first submission to the last execution. */
export async function sustain(
  network: Network,
  options: SustainOptions,
): Promise<{ texts: number; elapsed: number; textsPerSecond: number }> {
  const node = new Node(network.url('rollup'));
  try {
    const chainId = String((await node.json('/v1/status')).chainId);
    const accounts = await fundedAccounts(node, chainId, ACCOUNTS);
    const first = await executed(node);
    const start = performance.now();
    let sent = 0;
    let done = false;

    const pause = () => {
      if (options.textsPerSecond === undefined) return 0;
      return (sent / options.textsPerSecond) * 1_000 - (performance.now() - start);
    };
    const lane = async (mine: readonly Account[]) => {
      while (!done && performance.now() - start < options.seconds * 1_000) {
        const batch: Uint8Array[] = [];
        const rounds = options.textsPerSecond === undefined ? ROUNDS_PER_BATCH : 1;
        const senders = options.textsPerSecond === undefined ? mine : mine.slice(0, 1);
        for (let round = 0; round < rounds; round += 1)
          for (const account of senders) batch.push(nextText(account, chainId));
        await submitBatch(node, batch);
        sent += batch.length;
        const wait = pause();
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      }
    };
    const lanes = Array.from({ length: LANES }, (_, index) =>
      lane(accounts.filter((_account, at) => at % LANES === index)),
    );
    const watch = async () => {
      while (options.untilBlocks !== undefined && !done) {
        done = (await executed(node)).sequencerHeight >= options.untilBlocks;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    };
    await Promise.all([...lanes, options.untilBlocks === undefined ? undefined : watch()]);

    while ((await executed(node)).texts - first.texts < sent) await new Promise((resolve) => setTimeout(resolve, 10));
    const elapsed = (performance.now() - start) / 1_000;
    const { texts } = await executed(node);
    if (texts - first.texts !== sent) throw new Error(`sent ${sent} texts, executed ${texts - first.texts}`);
    return { texts: sent, elapsed, textsPerSecond: sent / elapsed };
  } finally {
    node.close();
  }
}
