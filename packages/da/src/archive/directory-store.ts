/** A directory with a file for each segment of an archive. */
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { equalBytes } from '@switchyard/protocol';
import { syncPath } from '@switchyard/storage';
import { ArchiveDamaged, MAX_SEGMENT_BYTES } from './segment.ts';
import { ArchiveInUse, type ArchiveStore, parseSegmentName } from './store.ts';

export function directoryStore(directory: string): ArchiveStore {
  const change = (name: string, work: (file: number) => void) => {
    const file = openSync(join(directory, name), 'r+');
    try {
      work(file);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  };
  return {
    place: directory,
    async names() {
      if (!existsSync(directory)) return [];
      return readdirSync(directory)
        .filter((name) => parseSegmentName(name) !== undefined)
        .sort();
    },
    async read(name) {
      const path = join(directory, name);
      const { size } = statSync(path);
      if (size > MAX_SEGMENT_BYTES)
        throw new ArchiveDamaged(`${directory}: ${name}: has ${size} bytes, expected at most ${MAX_SEGMENT_BYTES}`);
      return readFileSync(path);
    },
    async create(name, bytes) {
      mkdirSync(directory, { recursive: true });
      if (existsSync(join(directory, name))) {
        if (equalBytes(readFileSync(join(directory, name)), bytes)) return;
        throw new ArchiveInUse(directory, name);
      }
      writeFileSync(join(directory, name), bytes, { flag: 'wx', mode: 0o644, flush: true });
      syncPath(directory);
    },
    growing: {
      async append(name, length, bytes) {
        change(name, (file) => {
          if (fstatSync(file).size !== length) throw new ArchiveInUse(directory, name);
          for (let done = 0; done < bytes.length; ) {
            done += writeSync(file, bytes, done, bytes.length - done, length + done);
          }
        });
      },
      async cut(name, length) {
        change(name, (file) => ftruncateSync(file, length));
      },
    },
  };
}
