import { InvalidConfig } from '@switchyard/service';
import { afterEach, expect, test } from 'vitest';
import type { IndexStore } from '../../store/store.ts';
import { everyStore } from '../../testing/every-store.suite.ts';
import { type ContractRecord, findContract, findSignatures, getInput, saveContract } from './records.ts';
import type { StandardInput } from './standard-input.ts';
import { MAX_ABI_BYTES, MAX_INPUT_BYTES } from './storable.ts';
import { CONTRACTS } from './tables.ts';

/* Uploads of users: nothing can make them again, so they have to survive restarts and every other version. */

const ADDRESS = '11'.repeat(20);
const input = (content: string): StandardInput => ({
  language: 'Solidity',
  sources: { 'a.sol': { content } },
  settings: { evmVersion: 'cancun' },
});
/** Source of a stranger: markup, a direction override, a quotation mark. */
const SOURCE = input("contract A { string s = '<b>\u202e'; }");
const move = { type: 'function', name: 'move', inputs: [{ name: 'to', type: 'address' }], outputs: [] };
const moved = { type: 'event', name: 'Moved', inputs: [{ name: 'to', type: 'address', indexed: true }] };

const record = (changes: Partial<ContractRecord> = {}): Omit<ContractRecord, 'inputHash'> => ({
  ...{ rollup: 'aa'.repeat(32), address: ADDRESS, codeHash: 'bb'.repeat(32), kind: 'partial', path: 'a.sol' },
  ...{ name: 'A', compiler: '0.8.37+commit.f401782d', constructorArguments: undefined },
  ...{ libraries: { 'a.sol:L': `0x${ADDRESS}` }, abi: JSON.stringify([move, moved]), time: 1_700_000_000_000 },
  ...changes,
});

everyStore((opened) => {
  const stores: IndexStore[] = [];
  const open = async (name: string, schema = CONTRACTS) => {
    const store = await opened(name, schema);
    stores.push(store);
    return store;
  };
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });
  const found = (store: IndexStore) => findContract(store, record().rollup, ADDRESS);

  test('a contract with its sources is there for the next process', async () => {
    const first = await open('kept');
    await saveContract(first, record(), SOURCE);
    await first.close();
    const store = await open('kept');
    const known = await found(store);
    expect(known).toEqual({ ...record(), inputHash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(JSON.parse(await getInput(store, known ?? expect.fail('no contract')))).toEqual(SOURCE);
  });

  test('a better match takes the place of the one before, and others of the rollup stay', async () => {
    const store = await open('replaced');
    const other = record({ address: '22'.repeat(20), name: 'B' });
    await saveContract(store, record(), SOURCE);
    await saveContract(store, other, SOURCE);
    const better = record({
      kind: 'full',
      constructorArguments: '00'.repeat(32),
      libraries: {},
      abi: JSON.stringify([move]),
    });
    await saveContract(store, better, input('contract A {}'));
    expect(await found(store)).toMatchObject({ ...better, inputHash: expect.any(String) });
    expect(await findContract(store, other.rollup, other.address)).toMatchObject(other);
    // Two of the three contracts share their sources.
    expect(await store.read('SELECT COUNT(*) AS number FROM contract_inputs')).toMatchObject([{ number: 2 }]);
  });

  // Defect: Oversized ABI of an earlier version ended the process after a restart
  test('what a version without bounds has kept and is too long is not read, and can be replaced', async () => {
    const store = await open('long');
    const long = JSON.stringify([{ ...move, name: 'm'.repeat(MAX_ABI_BYTES) }]);
    await saveContract(store, record({ kind: 'full', abi: long }), SOURCE);
    expect(await found(store)).toBeUndefined();
    await saveContract(store, record(), input(`// ${'long'.repeat(MAX_INPUT_BYTES / 4)}`));
    expect(await found(store)).toBeUndefined();
    await saveContract(store, record(), SOURCE);
    expect(await found(store)).toMatchObject(record());
    // Sources that no contract has any more are gone.
    expect(await store.read('SELECT COUNT(*) AS number FROM contract_inputs')).toMatchObject([{ number: 1 }]);
  });

  test('items of ABIs are found by selector and kind, each once', async () => {
    const store = await open('signatures');
    await saveContract(store, record(), SOURCE);
    await saveContract(store, record({ address: '33'.repeat(20) }), SOURCE);
    const [row] = await store.read("SELECT selector FROM contract_signatures WHERE kind = 'function'");
    const selector = String(row?.selector);
    expect(await findSignatures(store, 'function', selector)).toMatchObject([{ name: 'move' }]);
    expect(await findSignatures(store, 'event', selector)).toEqual([]);
    expect(await store.read('SELECT COUNT(*) AS number FROM contract_signatures')).toMatchObject([{ number: 2 }]);
  });

  // Defect: Contract tables of another version in Postgres reported as a Postgres that does not answer
  test('tables of another version are neither emptied nor changed', async () => {
    const first = await open('newer');
    await saveContract(first, record(), SOURCE);
    await first.close();
    const newer = { ...CONTRACTS, format: 'switchyard-explorer-contracts-2' };
    await expect(open('newer', newer)).rejects.toThrow(InvalidConfig);
    await expect(open('newer', newer)).rejects.toThrow(/switchyard-explorer-contracts-1/);
    expect(await found(await open('newer'))).toMatchObject({ name: 'A' });
  });
});
