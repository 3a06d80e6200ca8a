import { testSigner } from '@switchyard/client/testing';
import { type FilteredBlock, type SignedHeader, toHex } from '@switchyard/protocol';
import { eventually } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { count, notesRollup } from '../../testing/notes.ts';
import { memoryStorage, signedWorld } from './signed-world.testing.ts';
import type { Verdict } from './verdict.ts';
import { createVerifier, type VerifierOptions } from './verifier.ts';

const alice = testSigner(1);
const accepted = { until: 'accepted' } as const;

async function world(blocks: number) {
  const made = await signedWorld(notesRollup);
  for (let number = 1; number <= blocks; number += 1) await noted(made, `note ${number}`);
  return made;
}
type World = Awaited<ReturnType<typeof world>>;

function optionsOf(made: World, more: Partial<VerifierOptions> = {}): VerifierOptions {
  const addresses = { url: 'http://node', explorer: 'http://explorer' };
  return { definition: notesRollup, genesis: made.text, mode: 'execute', ...addresses, fetch: made.fetch, ...more };
}

async function noted(made: World, text: string) {
  const { hash } = await made.node.client.submit.post({ text, tags: [] }, alice, accepted);
  return { hash, block: await made.block() };
}

/** The first verdict that the condition takes. */
async function verdict(options: VerifierOptions, isIt: (found: Verdict) => boolean = ({ kind }) => kind === 'false') {
  const verifier = createVerifier(options);
  const found: Verdict[] = [];
  verifier.onVerdict((each) => void found.push(each));
  const seen = await eventually(() => found.find(isIt));
  await verifier.close();
  return seen;
}

const upTo = (block: bigint) => (found: Verdict) => found.kind === 'verified' && found.block >= block;

test('each block is executed from signed data, with the hashes and the state of the node', async () => {
  const made = await world(5);
  await made.block();
  await made.block(Uint8Array.of(1, 2, 3));
  const verifier = createVerifier(optionsOf(made));
  await eventually(() => verifier.read()?.block === 7n || undefined);
  expect(toHex(verifier.read()?.state.get(count.storeKey()) ?? new Uint8Array())).toBe(
    toHex(made.node.store.snapshot().get(count.storeKey()) ?? new Uint8Array()),
  );
  const found: Verdict[] = [];
  verifier.onVerdict((each) => void found.push(each));
  const { block } = await noted(made, 'later');
  verifier.announced(8n, block.hash, [[count.storeKey(), made.node.store.snapshot().get(count.storeKey())]]);
  expect(await eventually(() => found.find(upTo(8n)))).toEqual({ kind: 'verified', block: 8n });
  await verifier.close();
  await made.node.stop();
});

type Tamper = (block: FilteredBlock, signed: SignedHeader) => readonly [FilteredBlock, SignedHeader];

const entriesOf = (block: FilteredBlock, change: (data: readonly Uint8Array[]) => readonly Uint8Array[]) => ({
  ...block,
  rollups: block.rollups.map((each) => ({ ...each, transactions: change(each.transactions) })),
});

test.each<[string, string, Tamper]>([
  [
    'a transaction is left out',
    'data that its proof does not cover',
    (block, signed) => [entriesOf(block, (data) => data.slice(1)), signed],
  ],
  [
    'transactions are swapped',
    'data that its proof does not cover',
    (block, signed) => [entriesOf(block, (data) => data.toReversed()), signed],
  ],
  ['the data is withheld', 'data of a rollup withheld', (block, signed) => [{ ...block, rollups: [] }, signed]],
  [
    'the rollup is not listed',
    'root of rollup ids not in the block',
    (block, signed) => [{ ...block, rollups: [], allRollupIds: [] }, signed],
  ],
  [
    'the time of the header is another one',
    'its time is not the one expected',
    (block, { header, commit }) => [block, { header: { ...header, time: { seconds: 1n, nanos: 0 } }, commit }],
  ],
  [
    'header and block have another time',
    'commit of another header',
    (block, { header, commit }) => {
      const time = { seconds: 1n, nanos: 0 };
      return [
        { ...block, header: { ...block.header, time } },
        { header: { ...header, time }, commit },
      ];
    },
  ],
  [
    'no validator has signed',
    'signed',
    (block, { header, commit }) => [block, { header, commit: { ...commit, signatures: [{ flag: 'absent' }] } }],
  ],
  [
    'a signature is wrong',
    'signature',
    (block, { header, commit }) => {
      const signatures = commit.signatures.map((each) => ({ ...each, signature: new Uint8Array(64) }));
      return [block, { header, commit: { ...commit, signatures } as typeof commit }];
    },
  ],
])('if %s in a block, the explorer that gives it is named', async (_, problem, tamper) => {
  const made = await world(2);
  const both = [made.node.client, made.node.client].map(({ submit }, index) =>
    submit.post({ text: `text ${index}`, tags: [] }, testSigner(index + 2), accepted),
  );
  await Promise.all(both);
  await made.block();
  made.sequencer.tamper = (block, signed) => (block.header.height === 3n ? tamper(block, signed) : [block, signed]);
  const found = await verdict(optionsOf(made));
  expect(found).toMatchObject({ kind: 'false', by: 'the explorer at http://explorer' });
  expect('problem' in found && found.problem).toContain(problem);
  expect('problem' in found && found.problem).toMatch(/3/);
  await made.node.stop();
});

test('the node is named with a block that has another hash than its data, and with a row that has another value', async () => {
  const made = await world(9);
  const forged = 'ab'.repeat(32);
  const by = 'the node at http://node';
  const following = async () => {
    const verifier = createVerifier(optionsOf(made));
    const found: Verdict[] = [];
    verifier.onVerdict((each) => void found.push(each));
    await eventually(() => found.find(upTo(9n)));
    return { verifier, lie: () => eventually(() => found.find(({ kind }) => kind === 'false')) };
  };
  const first = await following();
  made.forge = (path, answer) => (path === '/v1/blocks/10' ? { ...answer, hash: forged } : answer);
  const { block } = await noted(made, 'later');
  expect(await first.lie()).toEqual({
    ...{ kind: 'false', by },
    problem: `block 10: expected the hash ${block.hash}, got ${forged}`,
  });

  made.forge = (_, answer) => answer;
  const second = await following();
  const next = await noted(made, 'latest');
  const key = count.storeKey();
  second.verifier.announced(11n, next.block.hash, [[key, Uint8Array.of(9)]]);
  const own = toHex(made.node.store.snapshot().get(key) ?? new Uint8Array());
  expect(await second.lie()).toEqual({
    ...{ kind: 'false', by },
    problem: `block 11: expected ${own} as row ${key}, got 09`,
  });
  await Promise.all([first.verifier.close(), second.verifier.close()]);
  await made.node.stop();
});

test('whoever withholds blocks is named: an explorer without one below its newest, a side that stays behind the other', async () => {
  const made = await world(3);
  made.forge = (path, answer) => (path.startsWith('/v1/rollups') ? { ...answer, newest: 5 } : answer);
  expect(await verdict(optionsOf(made))).toEqual({
    ...{ kind: 'false', by: 'the explorer at http://explorer' },
    problem: 'it withholds block 4: expected it below block 5, got none',
  });
  made.forge = (_, answer) => answer;
  for (let index = 0; index < 64; index += 1) made.sequencer.produceBlock(new Map());
  expect(await verdict(optionsOf(made))).toEqual({
    ...{ kind: 'false', by: 'the node at http://node' },
    problem: 'it withholds blocks: expected block 67, whose data is signed, got 3 as the newest',
  });
  await made.node.stop();
});

test('a transaction is proven by signed data alone, under validators that are trusted', async () => {
  const made = await world(2);
  const { hash, block } = await noted(made, 'mine');
  const storage = memoryStorage();
  const options = optionsOf(made, { mode: 'headers', storage });
  const verifier = createVerifier(options);
  expect(await verifier.proven(hash, block.number)).toEqual({ kind: 'verified', block: 3n });
  expect(await verifier.proven(hash, 2n)).toMatchObject({ kind: 'false', by: 'the node at http://node' });
  expect(verifier.read()).toBeUndefined();
  await verifier.close();

  const other = await signedWorld(notesRollup, {}, [testSigner(9)]);
  const again = await noted(other, 'mine');
  const later = createVerifier(optionsOf(other, { mode: 'headers', storage }));
  const checked = await later.proven(again.hash, 1n);
  expect(checked).toMatchObject({ kind: 'unproven', reason: expect.stringContaining('other validators') });
  if (checked.kind === 'unproven') checked.trust?.();
  expect(await later.proven(again.hash, 1n)).toEqual({ kind: 'verified', block: 1n });
  await later.close();
  await Promise.all([made.node.stop(), other.node.stop()]);
});

test('a later start resumes at the saved block, a damaged state is executed again, and another chain is named', async () => {
  const made = await world(4);
  const storage = memoryStorage();
  await verdict(optionsOf(made, { storage }), upTo(4n));
  await noted(made, 'later');
  const saved = await storage.read();
  const asked: bigint[] = [];
  const fetch: typeof made.fetch = (url, init) => {
    const from = new URL(url).searchParams.get('from');
    if (from !== null) asked.push(BigInt(from));
    return made.fetch(url, init);
  };
  await verdict(optionsOf(made, { storage, fetch }), upTo(5n));
  // Block 4 for its header, which names the block before the next one.
  expect(Math.min(...asked.map(Number))).toBe(4);
  expect(saved?.rows.length).toBeGreaterThan(4);

  if (saved === undefined) throw new Error('nothing is saved');
  await storage.write(saved.facts, [[count.storeKey(), Uint8Array.of(7)]], false);
  asked.length = 0;
  await verdict(optionsOf(made, { storage, fetch }), upTo(5n));
  expect(asked[0]).toBe(1n);

  const other = await world(7);
  await other.block();
  other.sequencer.tamper = (...both) => both;
  const found = await verdict(optionsOf(other, { storage }));
  expect(found).toMatchObject({ kind: 'false', by: 'the explorer at http://explorer' });
  await Promise.all([made.node.stop(), other.node.stop()]);
});

test('an explorer that is away proves nothing, and the check resumes when it answers again', async () => {
  const made = await world(2);
  let isAway = true;
  const fetch: typeof made.fetch = (url, init) => {
    if (isAway && url.startsWith('http://explorer')) throw new TypeError('fetch failed');
    return made.fetch(url, init);
  };
  const verifier = createVerifier(optionsOf(made, { fetch }));
  const found: Verdict[] = [];
  verifier.onVerdict((each) => void found.push(each));
  await eventually(() => found.find(({ kind }) => kind === 'unproven'));
  isAway = false;
  await eventually(() => found.find(upTo(2n)));
  expect(found.some(({ kind }) => kind === 'false')).toBe(false);
  await verifier.close();
  await made.node.stop();
});
