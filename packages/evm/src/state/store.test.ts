import { createMPT, type MerklePatriciaTrie } from '@ethereumjs/mpt';
import { accountRlp, EMPTY_CODE_HASH, EMPTY_ROOT, slotRlp } from '@switchyard/evm-machine/account';
import { bytesToHex, hexToBytes, keccak256, keccakHex, toWord } from '@switchyard/protocol/ethereum';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openMemoryDatabase } from '../database/memory.ts';
import { blocks, EMPTY_ACCOUNT, Model, makeAddress, newTrie, run } from './model.suite.ts';
import { type Alloc, PROVABLE_BLOCKS, type SealedState, StateStore } from './store.ts';

function newStore(alloc: Alloc = new Map()): {
  store: StateStore;
  write: (number: bigint, sealed: SealedState) => void;
} {
  const db = openMemoryDatabase();
  const store = new StateStore(db);
  db.write((w) => store.initialise(w, alloc));
  return { store, write: (number, sealed) => db.write((w) => store.write(w, number, sealed)) };
}

function expectState(state: ReturnType<StateStore['at']>, model: Model): void {
  for (let index = 0; index <= 40; index++) {
    const address = makeAddress(index);
    const expected = model.accounts.get(address);
    const account = state.account(address);
    expect(account && { balance: account.balance, codeHash: account.codeHash }).toEqual(expected);
    for (let at = 0; at <= 30; at += 3) {
      const key = toWord(BigInt(at));
      expect(state.storage(address, key)).toBe(model.slots.get(address)?.get(key) ?? 0n);
    }
  }
}

test('roots are those of the library, block after block, and every old state stays readable', async () => {
  await fc.assert(
    fc.asyncProperty(blocks, fc.boolean(), async (history, writeAtOnce) => {
      const { store, write } = newStore();
      const models = [new Model()];
      const sealed: SealedState[] = [];
      for (const steps of history) {
        const overlay = store.overlay(sealed.at(-1));
        const model = run(steps, overlay, models.at(-1) ?? new Model());
        const state = store.seal(overlay);
        expect(state.root).toBe(await model.root());
        expectState(state, model);
        models.push(model);
        sealed.push(state);
        if (writeAtOnce) write(BigInt(sealed.length), state);
      }
      if (!writeAtOnce) for (const [index, state] of sealed.entries()) write(BigInt(index + 1), state);
      for (const [number, model] of models.entries()) expectState(store.at(BigInt(number)), model);
      expect(store.headRoot).toBe(await models.at(-1)?.root());
    }),
    { numRuns: 15 },
  );
}, 60_000);

test('proofs of each block are those of the library', async () => {
  await fc.assert(
    fc.asyncProperty(blocks, async (history) => {
      const { store, write } = newStore();
      const models = [new Model()];
      for (const [index, steps] of history.entries()) {
        const overlay = store.overlay();
        models.push(run(steps, overlay, models.at(-1) ?? new Model()));
        write(BigInt(index + 1), store.seal(overlay));
      }
      for (const [number, model] of models.entries()) {
        const trie = await newTrie();
        for (const [address, account] of model.accounts) {
          const storageRoot = await model.storageRoot(address);
          await trie.put(hexToBytes(address), accountRlp({ ...EMPTY_ACCOUNT, ...account, storageRoot }));
        }
        for (const index of [0, 7, 40, 41]) {
          const address = makeAddress(index);
          const key = toWord(BigInt(index));
          const { nodes, storage } = store.proof(BigInt(number), address, [key]);
          expect(nodes.map(bytesToHex)).toEqual((await getProof(trie, hexToBytes(address))).map(bytesToHex));
          const slots = model.accounts.has(address) ? await model.storageTrie(address) : undefined;
          const expected = slots === undefined ? [] : await getProof(slots, hexToBytes(key));
          expect(storage[0]?.nodes.map(bytesToHex)).toEqual(expected.map(bytesToHex));
        }
      }
    }),
    { numRuns: 15 },
  );
}, 60_000);

/** The library gives none for an empty trie, and geth neither. */
async function getProof(trie: MerklePatriciaTrie, key: Uint8Array): Promise<Uint8Array[]> {
  const { createMerkleProof } = await import('@ethereumjs/mpt');
  return bytesToHex(trie.root()) === EMPTY_ROOT ? [] : createMerkleProof(trie, key);
}

test('nothing is lost or mixed up by restarts, batches and writes that fail, however late nodes reach the disk', async () => {
  const batch = fc.record({ blocks, end: fc.constantFrom('write', 'fail', 'restart') });
  await fc.assert(
    fc.asyncProperty(
      fc.array(batch, { minLength: 1, maxLength: 6 }),
      fc.record({
        nodes: fc.integer({ min: 1, max: 200 }),
        values: fc.integer({ min: 1, max: 200 }),
        blocks: fc.bigInt(1n, 9n),
      }),
      async (batches, lateness) => {
        const db = openMemoryDatabase();
        let store = new StateStore(db, lateness);
        db.write((w) => store.initialise(w, new Map()));
        const models = [new Model()];
        for (const { blocks, end } of batches) {
          const next: Model[] = [];
          const sealed: SealedState[] = [];
          for (const steps of blocks) {
            const overlay = store.overlay(sealed.at(-1));
            next.push(run(steps, overlay, next.at(-1) ?? models.at(-1) ?? new Model()));
            sealed.push(store.seal(overlay));
          }
          const first = store.headNumber + 1n;
          const writeAll = (): void =>
            db.write((w) => {
              for (const [index, state] of sealed.entries()) store.write(w, first + BigInt(index), state);
              if (end === 'fail') throw new Error('no room on the disk');
            });
          if (end === 'fail') {
            expect(writeAll).toThrow('no room');
            continue;
          }
          writeAll();
          models.push(...next);
          if (end === 'restart') store = new StateStore(db, lateness);
        }
        expect(store.headRoot).toBe(await models.at(-1)?.root());
        for (const [number, model] of models.entries()) expectState(store.at(BigInt(number)), model);
        const overlay = store.overlay();
        overlay.putAccount(makeAddress(3), { ...EMPTY_ACCOUNT, balance: 99n });
        const model = models.at(-1)?.copy();
        model?.accounts.set(makeAddress(3), { balance: 99n, codeHash: EMPTY_CODE_HASH });
        model?.slots.delete(makeAddress(3));
        overlay.clearStorage(makeAddress(3));
        expect(store.seal(overlay).root).toBe(await model?.root());
      },
    ),
    { numRuns: 15 },
  );
}, 60_000);

test('a proof can be made of the newest blocks only', () => {
  const { store, write } = newStore();
  for (let number = 1n; number <= PROVABLE_BLOCKS + 2n; number++) {
    const overlay = store.overlay();
    overlay.putAccount(makeAddress(1), { ...EMPTY_ACCOUNT, balance: number });
    write(number, store.seal(overlay));
  }
  const { nodes } = store.proof(2n, makeAddress(1), []);
  expect(nodes).toHaveLength(1);
  expect(() => store.proof(1n, makeAddress(1), [])).toThrow('no proofs for block 1: they can be made from block 2 on');
  expect(store.at(1n).account(makeAddress(1))?.balance).toBe(1n);
  expect(() => store.at(PROVABLE_BLOCKS + 3n)).toThrow('no state of block 131: the newest is 130');
});

test('the genesis has the root that stock clients compute', async () => {
  const model = new Model();
  const alloc = new Map(
    Array.from({ length: 300 }, (_, index) => [makeAddress(index), { balance: BigInt(index) * 10n ** 18n }] as const),
  );
  for (const [address, { balance }] of alloc) model.accounts.set(address, { balance, codeHash: EMPTY_CODE_HASH });
  const { store } = newStore(alloc);
  expect(store.headRoot).toBe(await model.root());
  expect(store.at(0n).account(makeAddress(7))).toEqual({ ...EMPTY_ACCOUNT, balance: 7n * 10n ** 18n });
});

test('a leaf that is so short that it stands in its branch is hashed right', async () => {
  // Keys whose hashes begin alike, so that the leaves below have short paths, cannot be found for real; a trie with
  // hashes of our choice can.
  const { updateTrie } = await import('./trie/update.ts');
  const trie = await createMPT();
  const prefix = 'ab'.repeat(30);
  const changes = ['1111', '1112', '1121', '2222'].map((end, index) => {
    const path = prefix + end;
    return { path, key: String.fromCharCode(index), value: slotRlp(BigInt(index + 1)) };
  });
  for (const { path, value } of changes) await trie.put(hexToBytes(`0x${path}`), value);
  const source = { row: () => undefined, value: () => new Uint8Array(), getPath: () => '' };
  const { root, rows } = updateTrie(source, changes);
  expect(root && bytesToHex(root)).toBe(bytesToHex(trie.root()));
  // And once more with the rows stored, after a removal.
  const { decodeTrieRow, encodeTrieRow } = await import('./trie/rows.ts');
  const stored = new Map([...rows].flatMap(([path, row]) => (row === undefined ? [] : [[path, encodeTrieRow(row)]])));
  await trie.del(hexToBytes(`0x${prefix}1112`));
  const after = updateTrie(
    {
      row: (path) => {
        const row = stored.get(path);
        return row && decodeTrieRow(row);
      },
      value: (key) => slotRlp(BigInt(key.charCodeAt(0) + 1)),
      getPath: (key) => changes[key.charCodeAt(0)]?.path ?? '',
    },
    [{ path: `${prefix}1112`, key: '\u0001', value: undefined }],
  );
  expect(after.root && bytesToHex(after.root)).toBe(bytesToHex(trie.root()));
});

test('two processes on one database are noticed', () => {
  const db = openMemoryDatabase();
  const [mine, other] = [new StateStore(db), new StateStore(db)];
  db.write((w) => mine.initialise(w, new Map()));
  expect(() => db.write((w) => other.initialise(w, new Map()))).toThrow(
    'the database is at block 0, this process at no block: another process writes to it, stop one',
  );
});

test('code is kept by its hash and only when an account has it', () => {
  const { store, write } = newStore();
  const overlay = store.overlay();
  const kept = overlay.putCode(Uint8Array.of(1, 2, 3));
  const dropped = overlay.putCode(Uint8Array.of(4));
  overlay.putAccount(makeAddress(1), { ...EMPTY_ACCOUNT, codeHash: kept });
  write(1n, store.seal(overlay));
  expect(store.at(1n).code(kept)).toEqual(Uint8Array.of(1, 2, 3));
  expect(store.at(0n).code(EMPTY_CODE_HASH)).toEqual(new Uint8Array());
  expect(() => store.at(1n).code(dropped)).toThrow('no code with hash');
  expect(kept).toBe(keccakHex(Uint8Array.of(1, 2, 3)));
  expect(keccak256(Uint8Array.of(1, 2, 3))).toEqual(hexToBytes(kept));
});
