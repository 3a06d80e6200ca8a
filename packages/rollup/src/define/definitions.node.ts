import { compareDefinitions, differenceLine } from './differences.ts';
import { blocksIn, type Members, partsAt } from './eras.ts';

export { checkParts } from './check-parts.ts';
export { mustBeSynchronous } from './synchronous.ts';
export { wireDecoder } from './wire-decoder.ts';

/** @throws {Error} for a part that takes less than before from a block on, other than rows that a migration changes. */
export function mustBeUpgrades(document: { readonly migrations: readonly Members[] }): void {
  for (const block of blocksIn(document)) {
    const [before, after] = [partsAt(document, block - 1n), partsAt(document, block)];
    if (after === undefined) continue;
    for (const difference of compareDefinitions(before, after, block - 1n).differences) {
      if (difference.kind !== 'refused') continue;
      const isOfRows = difference.place.startsWith('table ');
      if (isOfRows && document.migrations.some(({ from }) => from === String(block))) continue;
      const line = `${differenceLine(difference)} from block ${block} on`;
      throw new Error(`${line}: expected ${isOfRows ? 'a migration at that block' : 'more values than before'}`);
    }
  }
}
