import { createMemoryStore, type Store } from '@switchyard/machine';
import { fromHex } from '@switchyard/protocol';
import { silentLogger } from '@switchyard/service';
import { memoryLogger } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { journal, KINDS, texts } from './tables.ts';
import { ALICE, alice, BOB, bob, deposit, messengerNode, text, transfer } from './testing/messenger.ts';

/* A store as nodes wrote it before logs: rows by hand, since the code that wrote them is gone. */

const u16 = (value: number) => [value >> 8, value & 255];
const big = (value: bigint, bytes: number) => fromHex(value.toString(16).padStart(2 * bytes, '0'));
const header = ({ block, time }: { readonly block: bigint; readonly time: { seconds: bigint; nanos: number } }) => [
  ...big(block, 8),
  ...big(time.seconds, 8),
  ...big(BigInt(time.nanos), 4),
];
const key = (prefix: string, id: bigint) => `${prefix}${id.toString(16).padStart(16, '0')}`;

/** Rows of up to 64 entries of one block. */
function inRows<E extends { readonly block: bigint }>(entries: readonly E[]): E[][] {
  const rows: E[][] = [];
  for (const entry of entries) {
    const last = rows.at(-1);
    if (last === undefined || last.length === 64 || last[0]?.block !== entry.block) rows.push([entry]);
    else last.push(entry);
  }
  return rows;
}

async function toFormer(store: Store): Promise<void> {
  const snapshot = store.snapshot();
  const [posted, moved] = [texts, journal].map((log) =>
    (log as typeof texts).range(snapshot, { limit: 10_000 }).map(([, entry]) => entry),
  ) as unknown as [ReturnType<typeof texts.get>[], ReturnType<typeof journal.get>[]];
  const state = store.begin();
  for (const prefix of ['index/rows/', 'index/built/'])
    for (const [each] of snapshot.range({ prefix, limit: 10_000 })) state.delete(each);
  for (const row of inRows(posted.flatMap((each) => each ?? []))) {
    const records = row.flatMap(({ transaction, sender, name, text: words }) => {
      const [named, written] = [Buffer.from(name), Buffer.from(words)];
      return [...transaction, ...fromHex(sender), ...u16(named.length), ...u16(written.length), ...named, ...written];
    });
    const [first] = row;
    if (first !== undefined) state.put(key('index/texts/', first.id), Uint8Array.from([...header(first), ...records]));
  }
  for (const row of inRows(moved.flatMap((each) => each ?? []))) {
    const records = row.flatMap(({ kind, transaction, from, to, asset, amount }) => [
      ...[KINDS.indexOf(kind), ...transaction, ...fromHex(from), ...fromHex(to), ...fromHex(asset)],
      ...big(amount, 16),
    ]);
    const [first] = row;
    const count = big(BigInt(row.length), 4);
    if (first !== undefined)
      state.put(key('index/journal/', first.id), Uint8Array.from([...header(first), ...count, ...records]));
  }
  state.put('index/text-count/00000000', big(BigInt(posted.length), 8));
  state.put('index/journal-count/00000000', big(BigInt(moved.length), 8));
  state.put('index/text-terms/indexed/00000000', new Uint8Array(24));
  await store.commit(store.seal(state, (store.head().height ?? 0n) + 1n));
}

/** A store that dies with a commit. */
const endingAfter = (store: Store, commits: number): Store => {
  let left = commits;
  return {
    ...{ snapshot: () => store.snapshot(), head: () => store.head(), close: () => store.close() },
    ...{
      begin: (layer) => store.begin(layer),
      seal: (overlay, height) => store.seal(overlay, height),
      drop: () => store.drop(),
    },
    async commit(layer) {
      if (left === 0) throw new Error('killed');
      left -= 1;
      await store.commit(layer);
    },
  };
};

const PATHS = [
  ...[
    '/v1/texts?limit=1000',
    '/recent',
    '/v1/messages?limit=5',
    '/v1/messages?q=word7',
    '/get_text_from_id/3',
    '/v1/texts/0',
  ],
  ...[`/v1/messages?sender=${BOB}`, `/v1/messages?sender=${ALICE}&q=word3`, '/v1/messages/5'],
  ...[`/v1/accounts/${ALICE}/history`, `/v1/accounts/${BOB}/history?limit=3`, '/v1/tables/journal?limit=200'],
];

/** Signed once: more texts than a segment of the index has, some in each block. */
const BLOCKS = Array.from({ length: 3 }, (_, block) => ({
  data: [
    ...Array.from({ length: 180 }, (__, at) => {
      const nonce = block * 181 + at;
      const words = at % 3 === 0 ? `wörd${at} 中文 word${at}` : `word${at % 9}`;
      return text(nonce, alice, words, `näme ${at % 4}`);
    }),
    transfer(block * 181 + 180, alice, BOB, 5n),
    text(block, bob, `from bob ${block}`),
  ],
  deposits: [deposit({ amount: BigInt(block + 1) })],
}));

async function filled(options = {}) {
  const store = createMemoryStore();
  const node = await messengerNode({ store, ...options });
  for (const block of BLOCKS) await node.block(block);
  const answers = await Promise.all(PATHS.map(async (path) => (await node.get(path)).text));
  await node.stop();
  return { store, answers };
}

test.each([
  ['keeps all blocks', 0, {}],
  ['has pruned most of them', 1, { retention: { blocks: 2n, ageMs: undefined, least: 1n } }],
])(
  'a node whose store is from before logs and that %s answers as before, wherever it ends in between',
  async (_, first, options) => {
    for (let commits = first; ; commits += 2) {
      const { store, answers } = await filled(options);
      await toFormer(store);
      const { root } = store.snapshot();
      const { log, lines } = memoryLogger();
      const killed = await messengerNode({ store: endingAfter(store, commits), log: silentLogger, ...options }).then(
        async (node) => void (await node.stop()),
        (error) => error,
      );
      store.drop();
      const node = await messengerNode({ store, log, ...options });
      expect(await Promise.all(PATHS.map(async (path) => (await node.get(path)).text))).toEqual(answers);
      expect(store.snapshot().root).toEqual(root);
      for (const prefix of ['index/texts/', 'index/text-', 'index/journal'])
        expect([...store.snapshot().range({ prefix, limit: 1 })]).toEqual([]);
      await node.block({ data: [text(543, alice, 'afterwards')] });
      expect((await node.get('/v1/messages?q=afterwards')).body).toMatchObject({ messages: [{ id: 544 }] });
      await node.stop();
      if (killed === undefined) {
        expect(commits).toBeGreaterThan(4);
        return;
      }
      if (commits === 0) expect(lines.map(({ msg }) => msg)).toContain('rows of an older format are being converted');
    }
  },
  60_000,
);
