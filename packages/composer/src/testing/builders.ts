import { formatAddress, parseDenom, type RollupId, rollupIdFromName, txHashOf } from '@switchyard/protocol';
import { alice } from '@switchyard/protocol/testing';
import { type Group, getGroup, type Item } from '../queue/items.ts';
import { createJournal, type Journal } from '../queue/journal.ts';
import { SimulatedDisk, SimulatedTime } from './world.ts';

export const CHAT = rollupIdFromName('chat');
export const GAME = rollupIdFromName('game');

export const payer = {
  signer: alice,
  prefix: 'astria',
  chainId: 'test-chain',
  feeAsset: parseDenom('nria'),
  address: formatAddress(alice.account),
};

export function makeItem(text: string, rollup: RollupId = CHAT): Item {
  const data = new TextEncoder().encode(text);
  return { rollup, data, hash: txHashOf(data) };
}

/** A group with an entry of these texts for two rollups in turn. */
export function groupOfTexts(...texts: readonly string[]): Group {
  const entries = texts.map((text, index) => ({ rollup: index % 2 === 0 ? CHAT : GAME, data: makeItem(text).data }));
  return getGroup(entries, () => undefined);
}

export const toText = ({ data }: { readonly data: Uint8Array }): string => new TextDecoder().decode(data);

/** A journal whose writes are finished as soon as time passes. */
export function slowJournal(): {
  readonly journal: Journal;
  readonly time: SimulatedTime;
  readonly disk: SimulatedDisk;
} {
  const time = new SimulatedTime();
  const disk = new SimulatedDisk(time, () => 0.5);
  return { journal: createJournal(disk.open()), time, disk };
}
