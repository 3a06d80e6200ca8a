/** Where the segments of an archive are. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { syncPath } from '@switchyard/storage';

/** Names of segments sort as they follow each other. */
export interface ArchiveStore {
  /** For messages. */
  readonly place: string;
  names(): Promise<readonly string[]>;
  read(name: string): Promise<Uint8Array>;
  /** Puts bytes at an offset of a segment, in place of all that is there or behind; on disk when it resolves. */
  write(name: string, offset: number, bytes: Uint8Array): Promise<void>;
}

/** Number and first height: found without being opened. */
const NAME = /^segment-(\d{8})-(\d{19})$/;

export const segmentName = (number: number, firstHeight: bigint): string =>
  `segment-${String(number).padStart(8, '0')}-${String(firstHeight).padStart(19, '0')}`;

/** @returns undefined for a name that no segment has. */
export function parseSegmentName(name: string): { readonly number: number; readonly firstHeight: bigint } | undefined {
  const [, number, height] = NAME.exec(name) ?? [];
  return number === undefined || height === undefined
    ? undefined
    : { number: Number(number), firstHeight: BigInt(height) };
}

/** A directory with a file for each segment. */
export function directoryStore(directory: string): ArchiveStore {
  return {
    place: directory,
    async names() {
      if (!existsSync(directory)) return [];
      return readdirSync(directory)
        .filter((name) => NAME.test(name))
        .sort();
    },
    async read(name) {
      return readFileSync(join(directory, name));
    },
    async write(name, offset, bytes) {
      mkdirSync(directory, { recursive: true });
      const path = join(directory, name);
      const isNew = !existsSync(path);
      const file = openSync(path, isNew ? 'wx' : 'r+', 0o644);
      try {
        ftruncateSync(file, offset);
        for (let done = 0; done < bytes.length; )
          done += writeSync(file, bytes, done, bytes.length - done, offset + done);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      if (isNew) syncPath(directory);
    },
  };
}
