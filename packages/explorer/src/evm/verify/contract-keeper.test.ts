import { manualClock } from '@switchyard/service/testing';
import { afterEach, expect, test } from 'vitest';
import type { IndexStore } from '../../store/store.ts';
import { everyStore } from '../../testing/every-store.suite.ts';
import { ContractKeeper } from './contract-keeper.ts';
import { type ContractRecord, findContract } from './records.ts';
import type { StandardInput } from './standard-input.ts';
import { CONTRACTS } from './tables.ts';

const ROLLUP = 'aa'.repeat(32);
const input = (content: string): StandardInput => ({ language: 'Solidity', sources: { a: { content } }, settings: {} });
const record = (changes: Partial<ContractRecord> = {}): Omit<ContractRecord, 'inputHash'> => ({
  ...{ rollup: ROLLUP, address: '11'.repeat(20), codeHash: 'bb'.repeat(32), kind: 'partial', path: 'a', name: 'Good' },
  ...{ compiler: '0.8.37', constructorArguments: undefined, libraries: {}, abi: '[]', time: 1, ...changes },
});

everyStore((opened) => {
  const stores: IndexStore[] = [];
  const world = async (name: string, maxStoredBytes?: number) => {
    const store = await opened(name, CONTRACTS);
    stores.push(store);
    const clock = manualClock();
    const deps = { store, clock, ...(maxStoredBytes !== undefined && { maxStoredBytes }) };
    const getName = async (address = record().address) => (await findContract(store, ROLLUP, address))?.name;
    return { clock, keeper: new ContractKeeper(deps), nameOf: getName };
  };
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });

  // Defect: Sources of one user replaced those of another
  test('what is kept is replaced by a better match alone, while the code is the same', async () => {
    const { keeper, nameOf: getName } = await world('better');
    await keeper.keep(record(), input('good'), 'owner');
    const worse = record({ name: 'Bad' });
    await expect(keeper.keep(worse, input('bad'), 'stranger')).rejects.toThrow('other sources with a partial match');
    await keeper.keep(record(), input('good'), 'stranger');
    expect(await getName()).toBe('Good');
    await keeper.keep(record({ kind: 'full', name: 'Best' }), input('best'), 'owner');
    for (const kind of ['partial', 'full'] as const)
      await expect(keeper.keep({ ...worse, kind }, input('bad'), 'x')).rejects.toThrow(
        'other sources with a full match',
      );
    expect(await getName()).toBe('Best');
    await keeper.keep(record({ name: 'Other', codeHash: 'cc'.repeat(32) }), input('other'), 'owner');
    expect(await getName()).toBe('Other');
  });

  test('so many bytes are kept of all, also after a restart', async () => {
    const { keeper } = await world('total', 3_000);
    await keeper.keep(record(), input('x'.repeat(2_000)), 'a');
    const other = record({ address: '22'.repeat(20) });
    await expect(keeper.keep(other, input('y'.repeat(2_000)), 'b')).rejects.toThrow('at most 3000 bytes are kept here');
    await stores.pop()?.close();
    const again = await world('total', 3_000);
    await expect(again.keeper.keep(other, input('y'.repeat(2_000)), 'b')).rejects.toThrow('at most 3000 bytes');
    expect([await again.nameOf(), await again.nameOf(other.address)]).toEqual(['Good', undefined]);
  });

  // Defect: One user could fill the disk with sources
  test('so many bytes are kept of one address, and no other is affected', async () => {
    const { keeper, clock } = await world('address');
    const long = input('x'.repeat(4_000_000));
    const at = (index: number) => record({ address: index.toString(16).padStart(40, '0') });
    for (let index = 0; index < 16; index += 1) await keeper.keep(at(index), long, 'stranger');
    await expect(keeper.keep(at(16), long, 'stranger')).rejects.toThrow('bytes are kept at once for one address');
    await keeper.keep(at(16), long, 'other');
    await clock.advance(4_000_000);
    await keeper.keep(at(17), long, 'stranger');
  });
});
