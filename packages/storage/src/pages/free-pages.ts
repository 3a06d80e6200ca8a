import { PageDamage, u64 } from './meta.ts';

/**
 * The free pages in one record of the free tree: a count, then that many entries of 8 bytes. Zero is a gap, a positive
 * number is a page, a negative one is the number of consecutive pages from the next entry on.
 *
 * @throws {PageDamage} when the entries are none of that.
 */
export function* freePages(value: Buffer): Iterable<readonly [first: number, count: number]> {
  const count = value.length < 8 ? -1 : u64(value, 0);
  if (count < 0 || 8 * (count + 1) > value.length) {
    throw new PageDamage(`a list of free pages has ${value.length} bytes for ${count} entries`);
  }
  for (let index = 1; index <= count; index += 1) {
    const entry = value.readBigInt64LE(8 * index);
    if (entry === 0n) continue;
    if (entry > 0n) {
      yield [Number(entry), 1];
      continue;
    }
    index += 1;
    if (index <= count) yield [u64(value, 8 * index), Number(-entry)];
  }
}
