import { closeSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type FoundStore, PageFile, walkTree } from '@switchyard/storage';

/** Numbers from a seed, below a bound. */
export type Random = (below: number) => number;

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    // A step of mulberry32.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const PAGE = 4_096;

/** Damages a file of a store in one of the ways of a bad disk or a bad copy. @returns the kind of damage, for messages. */
export function damageStore({ directory }: FoundStore, random: Random): string {
  const file = join(directory, 'data.mdb');
  const pages = [0, 1, ...usedPages(file)];
  const one = () => pages[random(pages.length)] ?? 0;
  const ways = [
    () => flip(file, usedByte(file, one(), random), random),
    () => flip(file, usedByte(file, one(), random), random),
    () => overwrite(file, one(), Buffer.alloc(PAGE), 'zeros'),
    () => overwrite(file, one(), Buffer.from(Uint8Array.from({ length: PAGE }, () => random(256))), 'noise'),
    () => {
      const [from, to] = [one(), one()];
      if (from === to) return overwrite(file, to, Buffer.alloc(PAGE), 'zeros');
      return overwrite(file, to, readFileSync(file).subarray(from * PAGE, (from + 1) * PAGE), `page ${from}`);
    },
    () => cut(file, (Math.max(...pages) + 1) * PAGE, random),
    () => remove(file),
  ];
  return ways[random(ways.length)]?.() ?? '';
}

/** Pages of the newest version, those of free pages' lists included. */
function usedPages(path: string): number[] {
  const file = new PageFile(path);
  try {
    const meta = file.meta();
    const pages: number[] = [];
    const onPages = (first: number, count: number) => {
      for (let page = first; page < first + count; page += 1) pages.push(page);
    };
    walkTree(file, meta, meta.main, {
      onPages,
      onTree: (_, tree) => void walkTree(file, meta, tree, { onPages }),
    });
    walkTree(file, meta, meta.free, { onPages });
    return pages;
  } finally {
    file.close();
  }
}

/** A byte of a page that means something: not of the free space between its pointers and its records. */
function usedByte(path: string, page: number, random: Random): number {
  const start = page * PAGE;
  if (page < 2) return start + 24 + random(136);
  const bytes = readFileSync(path).subarray(start, start + PAGE);
  const isTree = (bytes.readUInt16LE(18) & ~3) === 0 && bytes.readUInt16LE(18) !== 0;
  if (!isTree) return start + random(PAGE);
  const [lower, upper] = [24 + bytes.readUInt16LE(20), 24 + bytes.readUInt16LE(22)];
  const at = random(lower + PAGE - upper);
  return start + (at < lower ? at : upper + at - lower);
}

function flip(path: string, offset: number, random: Random): string {
  const bit = random(8);
  const before = readFileSync(path)[offset] ?? 0;
  write(path, offset, Buffer.of(before ^ (1 << bit)));
  return `bit ${bit} of byte ${offset} of ${path} flipped`;
}

function overwrite(path: string, page: number, bytes: Uint8Array, what: string): string {
  write(path, page * PAGE, bytes);
  return `page ${page} of ${path} overwritten with ${what}`;
}

function cut(path: string, used: number, random: Random): string {
  const size = random(Math.min(used, statSync(path).size));
  truncateSync(path, size);
  return `${path} cut to ${size} bytes`;
}

function remove(path: string): string {
  rmSync(path);
  return `${path} removed`;
}

function write(path: string, offset: number, bytes: Uint8Array): void {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, offset);
  closeSync(file);
}
