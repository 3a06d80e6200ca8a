import { createHash } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import type { Network } from '../support/network.ts';
import { fundedAccounts, Node, nextText } from './load.ts';

/** Calls `seen` with the transaction hash of every text that becomes readable. @returns how to stop. */
function follow(url: string, seen: (hash: string) => void): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const outgoing = get(
      `${url}/v1/events`,
      { agent: false, headers: { accept: 'text/event-stream' } },
      (incoming: IncomingMessage) => {
        if (incoming.statusCode !== 200) reject(new Error(`GET /v1/events: ${incoming.statusCode}`));
        let rest = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => {
          const lines = (rest + chunk).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) {
            const hash = line.startsWith('data:') ? /"hash":"([0-9a-f]{64})"/.exec(line)?.[1] : undefined;
            if (hash !== undefined) seen(hash);
          }
        });
        incoming.on('error', () => undefined);
        resolve(() => outgoing.destroy());
      },
    );
    outgoing.on('error', reject);
  });
}

/** So many that each one's text is nearly always answered before its next turn; if not, the next one waits. */
const ACCOUNTS = 500;

/** Submits single texts at the given distances and measures, for each, the milliseconds until it can be read. */
export async function latencies(
  network: Network,
  options: { count: number; everyMs: () => number },
): Promise<number[]> {
  const node = new Node(network.url('rollup'));
  const sentAt = new Map<string, number>();
  const measured: number[] = [];
  let finish: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const chainId = String((await node.json('/v1/status')).chainId);
  const accounts = await fundedAccounts(node, chainId, ACCOUNTS);
  const stop = await follow(node.url, (hash) => {
    const start = sentAt.get(hash);
    if (start === undefined) return;
    sentAt.delete(hash);
    measured.push(performance.now() - start);
    if (measured.length === options.count) finish();
  });
  try {
    let due = performance.now();
    const answers: Promise<unknown>[] = [];
    const answerOf = new Map<string, Promise<unknown>>();
    for (let index = 0; index < options.count; index += 1) {
      due += options.everyMs();
      const wait = due - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      const account = accounts[index % accounts.length];
      if (account === undefined) throw new Error('no accounts');
      // The order of an account's texts is its own to keep.
      await answerOf.get(account.address);
      const bytes = nextText(account, chainId);
      sentAt.set(createHash('sha256').update(bytes).digest('hex'), performance.now());
      const answer = node.call('POST', '/v1/transactions', bytes).then(({ status, text }) => {
        if (status !== 202) throw new Error(`submit: ${status} ${text}`);
      });
      answerOf.set(account.address, answer);
      answers.push(answer);
    }
    await Promise.all(answers);
    await all;
    return measured;
  } finally {
    stop();
    node.close();
  }
}
