import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setAside, syncPath } from '@switchyard/storage';
import { Failure } from '../failure.ts';
import { type StoreReport, verifyBlockLog } from './verify.ts';

const CHUNK_BYTES = 1_048_576;

/**
 * Nothing else has the blocks of a solo sequencer, so damaged files are put together again: from the same file in a
 * snapshot of the instance as far as that goes, and from the present one behind it. What comes out is verified before it
 * takes the place of what is there.
 *
 * @throws {Failure} when no snapshot helps, with everything as it was.
 */
export function repairBlockLog({ directory, problems }: StoreReport): {
  readonly done: string;
  readonly aside: string;
} {
  const trial = join(directory, 'repair');
  const blocks = join(directory, 'blocks');
  try {
    for (const snapshot of snapshotsOf(blocks)) {
      rmSync(trial, { recursive: true, force: true });
      mkdirSync(join(trial, 'blocks'), { recursive: true, mode: 0o700 });
      assemble(blocks, snapshot, join(trial, 'blocks'));
      const { problems: left, checked } = verifyBlockLog({ directory: trial });
      if (left.length > 0) continue;
      const aside = setAside(blocks);
      // The empty directory in its place.
      rmSync(blocks, { recursive: true });
      renameSync(join(trial, 'blocks'), blocks);
      syncPath(directory);
      return { done: `put together with ${snapshot}: ${checked}`, aside };
    }
  } finally {
    rmSync(trial, { recursive: true, force: true });
  }
  const what = problems[0]?.what ?? 'damaged';
  throw new Failure(
    `${directory}: ${what}: no snapshot has these blocks whole: restore one of the instance with \`switchyard dev snapshot restore\`, or start over with \`switchyard dev reset state\``,
  );
}

/** The same directory in the snapshots of the instance that it belongs to, the newest first. */
function snapshotsOf(blocks: string): string[] {
  for (let above = dirname(blocks); above !== dirname(above); above = dirname(above)) {
    const snapshots = join(above, 'snapshots');
    if (!existsSync(join(above, 'networks-config.toml')) || !existsSync(snapshots)) continue;
    return readdirSync(snapshots)
      .filter((name) => !name.startsWith('.'))
      .map((name) => join(snapshots, name, relative(above, blocks)))
      .filter((path) => existsSync(path))
      .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  }
  return [];
}

/** Every file of either place: the present one, with the saved one over its beginning. */
function assemble(present: string, saved: string, into: string): void {
  const [now, then] = [namesIn(present), namesIn(saved)];
  for (const name of new Set([...now, ...then])) {
    const target = join(into, name);
    copyFileSync(join(now.includes(name) ? present : saved, name), target);
    if (now.includes(name) && then.includes(name)) overwriteBeginning(join(saved, name), target);
  }
}

function overwriteBeginning(source: string, target: string): void {
  const [from, to] = [openSync(source, 'r'), openSync(target, 'r+')];
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let at = 0; ; ) {
      const got = readSync(from, chunk, 0, chunk.length, at);
      if (got === 0) return;
      writeSync(to, chunk, 0, got, at);
      at += got;
    }
  } finally {
    closeSync(from);
    closeSync(to);
  }
}

function namesIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}
