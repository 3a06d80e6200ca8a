import { createMemoryStore } from '@switchyard/machine';
import { TransportFailure, useTime } from '@switchyard/service';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { action, defineRollup, query } from '../define/definition.ts';
import { refusal } from '../define/refusals.ts';
import { table } from '../define/table.ts';
import { address, u32 } from '../schema/scalars.ts';
import { list, record } from '../schema/shapes.ts';
import { FakeComposer } from '../testing/fake-composer.ts';
import { LiveSocket } from '../testing/live-socket.ts';
import { signers } from '../testing/tally.ts';
import { getFetch, testRollup } from '../testing/test-rollup.ts';
import { liveClient } from './client.ts';
import { memoryOutbox } from './outbox.ts';
import type { Sent } from './sent.ts';

/* Two clients act while answers and connections are lost, nodes restart, and other transactions take their nonces. */

const MOST_OF_SLOT = 3;
const full = refusal('full', { slot: u32 });
/** How often each action was executed, by its id. */
const runs = table({ name: 'runs', key: u32, value: u32, absent: 0 });
const slots = table({
  name: 'slots',
  key: u32,
  value: record({ owner: address, taken: u32 }),
  indexes: { owner: { key: [address], of: ({ owner }) => [owner] } },
});
const board = defineRollup({
  name: 'board',
  tables: [runs, slots],
  refusals: [full],
  actions: {
    take: action({
      fields: { id: u32, slot: u32 },
      execute({ id, slot }, { state, signer }) {
        const { taken } = slots.get(state, slot) ?? { taken: 0 };
        if (taken === MOST_OF_SLOT) throw full({ slot });
        slots.put(state, slot, { owner: signer, taken: taken + 1 });
        runs.put(state, id, runs.get(state, id) + 1);
      },
    }),
    clear: action({ fields: { slot: u32 }, execute: ({ slot }, { state }) => slots.delete(state, slot) }),
  },
  queries: {
    all: query({
      answer: { rows: list(record({ slot: u32, owner: address, taken: u32 }), { maxItems: 100 }) },
      handle: (_, { state }) => ({
        rows: slots.range(state, { limit: 100 }).map(([slot, { owner, taken }]) => ({ slot, owner, taken })),
      }),
    }),
    of: query({
      parameters: { owner: address },
      answer: { slots: list(u32, { maxItems: 100 }) },
      handle: ({ owner }, { state }) => ({
        slots: Array.from(slots.by(state, 'owner', [owner], { limit: 100 }), ([slot]) => slot),
      }),
    }),
    runs: query({
      answer: { ids: list(record({ id: u32, times: u32 }), { maxItems: 200 }) },
      handle: (_, { state }) => ({
        ids: runs.range(state, { limit: 200 }).map(([id, times]) => ({ id, times })),
      }),
    }),
  },
});
const genesis = JSON.stringify({ rollup_name: 'board', sequencer_chain_id: 'sequencer-0' });

/** Pauses are a hundred times shorter. */
let time: ReturnType<typeof useTime> | undefined;
beforeAll(() => {
  time = useTime((present) => ({
    ...present,
    after: (ms, fire, isIdle) => present.after(ms < 15_000 ? ms / 100 : ms, fire, isIdle),
  }));
});
afterAll(() => time?.giveBack());

async function start() {
  const [store, composer] = [createMemoryStore(), new FakeComposer()];
  const begin = () => testRollup(board, genesis, { store, composer });
  let node = await begin();
  let [lost, isDown] = [0, false];
  const sockets: LiveSocket[][] = [[], [], []];
  const outboxes = signers.map(() => memoryOutbox());
  const open = (at: number) =>
    liveClient(board, {
      url: 'http://node',
      ...(at < 2 && { signer: signers[at], outbox: outboxes[at] as never }),
      socket() {
        if (isDown) throw new Error('the node is down');
        const socket = new LiveSocket(node, `client ${at}`);
        sockets[at]?.push(socket);
        return socket;
      },
      async fetch(url, init) {
        if (isDown) throw new TransportFailure('the node is down');
        const answer = await getFetch(node)(url, init);
        if (init.method !== 'POST' || lost === 0) return answer;
        lost -= 1;
        throw new TransportFailure('the answer is lost');
      },
    });
  const watch = (app: ReturnType<typeof open>) => {
    const live = app.live((ask) => [
      ask.all(),
      ...signers.map(({ account }) => ask.of({ owner: account })),
      ask.runs(),
    ]);
    return { app, live, stop: live.subscribe(() => undefined) };
  };
  const clients = [0, 1, 2].map((at) => watch(open(at)));
  const asked = async () =>
    Promise.all([
      node.client.query.all(),
      ...signers.map(({ account }) => node.client.query.of({ owner: account })),
      node.client.query.runs(),
    ]);
  return {
    clients,
    asked,
    composer,
    node: () => node,
    lose(answers: number) {
      lost += answers;
    },
    cut(at: number) {
      for (const socket of sockets[at]?.splice(0) ?? []) socket.close(1_006);
    },
    async restart() {
      isDown = true;
      await node.stop();
      for (const each of sockets) for (const socket of each.splice(0)) socket.close(1_006);
      node = await begin();
      isDown = false;
    },
    reload(at: number) {
      clients[at]?.stop();
      clients[at]?.app.close();
      clients[at] = watch(open(at));
    },
    async stop() {
      for (const { app, stop } of clients) {
        stop();
        app.close();
      }
      await node.stop();
    },
  };
}

const client = fc.nat(1);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('take' as const), at: client, slot: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('clear' as const), at: client, slot: fc.nat(3) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('block' as const), isFirm: fc.boolean() }) },
  fc.record({ kind: fc.constant('outrun' as const), at: client }),
  fc.record({ kind: fc.constant('lose' as const), answers: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    kind: fc.constant('composer' as const),
    mode: fc.constantFrom('lost' as const, 'down' as const, 'up' as const),
  }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat(2) }),
  fc.record({ kind: fc.constant('reload' as const), at: client }),
  fc.record({ kind: fc.constant('restart' as const) }),
  fc.record({ kind: fc.constant('turns' as const), turns: fc.nat(30) }),
);

/** Lets timers and promises run. */
const pass = async (turns: number) => {
  for (let at = 0; at < turns; at += 1) await new Promise((resolve) => setTimeout(resolve, 0));
};

async function eventually(isSo: () => boolean | Promise<boolean>, what: () => unknown): Promise<void> {
  for (let turn = 0; turn < 300; turn += 1) {
    if (await isSo()) return;
    await pass(1);
  }
  throw new Error(
    `never so: ${JSON.stringify(what(), (_, value) => (typeof value === 'bigint' ? String(value) : value))}`,
  );
}

test('each action is executed at most once, none that was accepted is lost, and nothing optimistic remains', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const world = await start();
      const sent = new Map<number, Sent>();
      let [ids, foreign] = [0, 1_000];
      for (const each of steps) {
        switch (each.kind) {
          case 'take':
            ids += 1;
            sent.set(ids, world.clients[each.at]?.app.submit.take({ id: ids, slot: each.slot }) as Sent);
            break;
          case 'clear':
            world.clients[each.at]?.app.submit.clear({ slot: each.slot });
            break;
          case 'block':
            await world.node().block({ firm: each.isFirm });
            break;
          case 'outrun': {
            foreign += 1;
            const [signer] = [signers[each.at] ?? signers[0]];
            const other = { id: foreign, slot: 9 };
            await world
              .node()
              .client.submit.take(other, signer, { until: 'accepted' })
              .catch(() => undefined);
            break;
          }
          case 'lose':
            world.lose(each.answers);
            break;
          case 'composer':
            world.composer.mode = each.mode;
            break;
          case 'cut':
            world.cut(each.at);
            break;
          case 'reload':
            world.reload(each.at);
            break;
          case 'restart':
            world.composer.mode = 'up';
            await world.restart();
            break;
          case 'turns':
            await pass(each.turns);
        }
      }
      world.composer.mode = 'up';
      const open = () =>
        world.clients
          .flatMap(({ app }) => app.sent.get())
          .filter(({ get }) => ['waiting', 'shown', 'accepted'].includes(get().state));
      await eventually(
        async () => {
          await pass(5);
          await world.node().block();
          return open().length === 0;
        },
        () => open().map(({ get }) => get()),
      );
      await world.node().block();
      const rows = await world.asked();
      await eventually(
        () =>
          world.clients.every(({ live }) => JSON.stringify(shown(live.get().value)) === JSON.stringify(shown(rows))),
        () => [rows, ...world.clients.map(({ app, live }) => [app.connection.get(), live.get()])],
      );
      const { ids: executed } = await world.node().client.query.runs();
      const times = new Map(executed.map(({ id, times: count }) => [id, count]));
      for (const count of times.values()) expect(count).toBe(1);
      // After a reload, another object has the outcome.
      for (const { app } of world.clients)
        for (const { actions, get } of app.sent.get()) {
          const [{ id } = { id: 0 }] = actions as unknown as readonly { id?: number }[];
          if (id !== undefined && get().state !== 'unknown')
            expect([id, times.has(id)]).toEqual([id, ['executed', 'firm'].includes(get().state)]);
        }
      await world.stop();
    }),
    { numRuns: 6, endOnFailure: true },
  );
}, 120_000);

const shown = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each)));
