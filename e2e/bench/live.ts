import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { action, defineRollup, table, text, u32 } from '@switchyard/rollup';
import { signTransaction } from '@switchyard/rollup/client';
import { toRollup } from '@switchyard/rollup/node';
import { testNode } from '@switchyard/rollup/testing';
import { serveHttp } from '@switchyard/service';
import { acceptWebSockets } from '@switchyard/service/json-rpc';
import { until } from '../support/network.ts';
import { newSigner } from '../support/submitting.ts';
import { pause } from './load.ts';
import { type Measure, repeated } from './measure.ts';

const LISTENERS = 1_000;
const TEXTS_A_SECOND = 500;
const BLOCK_MS = 100;
const texts = table({ name: 'texts', key: u32, value: text({ maxBytes: 200 }) });
const wall = defineRollup({
  name: 'wall',
  tables: [texts],
  actions: {
    write: action({
      fields: { id: u32, words: text({ maxBytes: 200 }) },
      execute: ({ id, words }, { state }) => texts.put(state, id, words),
    }),
  },
});

/** Microseconds of CPU time of the node for the texts of some seconds, and rows that were delivered. */
async function measured(listeners: number, seconds: number) {
  const node = await testNode(toRollup(wall, JSON.stringify({ rollup_name: 'wall', sequencer_chain_id: 'x' })), {
    bounds: { maxStreams: 2 * LISTENERS },
  });
  const http = await serveHttp({
    listen: { host: '127.0.0.1', port: 0 },
    app: node.app,
    name: 'X',
    maxConnections: 2 * LISTENERS,
  });
  const close = acceptWebSockets(http, { server: node.live, path: '/v1/live' });
  const clients = fork(new URL('./live-clients.js', import.meta.url), [
    ...[`${http.url.replace('http', 'ws')}/v1/live`, String(listeners), texts.name],
  ]);
  try {
    const chainId = node.node.genesis.chainId;
    const signers = Array.from({ length: 50 }, newSigner);
    const blocks: Uint8Array[][] = [];
    const ofBlock = (TEXTS_A_SECOND * BLOCK_MS) / 1_000;
    for (let id = 0; id < TEXTS_A_SECOND * seconds; id += 1) {
      const [signer, nonce] = [signers[id % signers.length] ?? newSigner(), Math.floor(id / signers.length)];
      const actions = [{ kind: 'write', id, words: 'a message of ordinary length to all who listen' }];
      if (id % ofBlock === 0) blocks.push([]);
      blocks.at(-1)?.push(await signTransaction(wall, { nonce, chainId, actions }, signer));
    }
    await until('all clients follow', async () => (await ask(clients)).whole >= listeners || undefined);
    const before = { cpu: process.cpuUsage(), rows: (await ask(clients)).rows };
    let due = performance.now();
    for (const data of blocks) {
      await node.block({ data });
      due += BLOCK_MS;
      await pause(Math.max(0, due - performance.now()));
    }
    const wanted = before.rows + listeners * TEXTS_A_SECOND * seconds;
    await until('all rows are delivered', async () => (await ask(clients)).rows >= wanted || undefined);
    const { user, system } = process.cpuUsage(before.cpu);
    return { cpu: user + system, rows: (await ask(clients)).rows - before.rows, rss: process.memoryUsage().rss };
  } finally {
    clients.disconnect();
    close();
    await http.close();
    await node.stop();
  }
}

async function ask(clients: ChildProcess): Promise<{ readonly whole: number; readonly rows: number }> {
  if (clients.exitCode !== null) throw new Error(`the clients ended with ${clients.exitCode}`);
  clients.send('how many');
  // It is our own message.
  return (await once(clients, 'message'))[0] as { readonly whole: number; readonly rows: number };
}

/** Clients that follow the rows of a table over WebSockets. */
export const live: Measure = (options) => {
  const figures = {
    row: ['1,000 listeners at 500 texts/s: CPU time of the node for a delivered row', 'µs', '<= 15'],
    rss: ['the same, resident memory of node and bench', 'MB'],
  } as const;
  const seconds = Math.min(20, options.seconds);
  return repeated(options, 'live', figures, async () => {
    const alone = await measured(0, seconds);
    const { cpu, rows, rss } = await measured(LISTENERS, seconds);
    return { row: (cpu - alone.cpu) / rows, rss: rss / 1_048_576 };
  });
};
