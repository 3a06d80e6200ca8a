/** A directory with a file for each segment of an archive. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { equalBytes } from '@switchyard/protocol';
import { syncPath } from '@switchyard/storage';
import { ArchiveDamaged, MAX_SEGMENT_BYTES } from './segment.ts';
import { ArchiveInUse, type ArchiveStore, parseSegmentName } from './store.ts';

export function directoryStore(directory: string): ArchiveStore {
  const change = (name: string, work: (file: number) => void) => {
    const file = fs.openSync(join(directory, name), 'r+');
    try {
      work(file);
      fs.fsyncSync(file);
    } finally {
      fs.closeSync(file);
    }
  };
  return {
    place: directory,
    async names() {
      if (!fs.existsSync(directory)) return [];
      return fs
        .readdirSync(directory)
        .filter((name) => parseSegmentName(name) !== undefined)
        .sort();
    },
    async read(name) {
      const path = join(directory, name);
      const { size } = fs.statSync(path);
      if (size > MAX_SEGMENT_BYTES)
        throw new ArchiveDamaged(`${directory}: ${name}: has ${size} bytes, expected at most ${MAX_SEGMENT_BYTES}`);
      return fs.readFileSync(path);
    },
    async create(name, bytes) {
      fs.mkdirSync(directory, { recursive: true });
      if (fs.existsSync(join(directory, name))) {
        if (equalBytes(fs.readFileSync(join(directory, name)), bytes)) return;
        throw new ArchiveInUse(directory, name);
      }
      fs.writeFileSync(join(directory, name), bytes, { flag: 'wx', mode: 0o644, flush: true });
      syncPath(directory);
    },
    growing: {
      async append(name, length, bytes) {
        change(name, (file) => {
          if (fs.fstatSync(file).size !== length) throw new ArchiveInUse(directory, name);
          for (let done = 0; done < bytes.length; ) {
            done += fs.writeSync(file, bytes, done, bytes.length - done, length + done);
          }
        });
      },
      async cut(name, length) {
        change(name, (file) => fs.ftruncateSync(file, length));
      },
    },
  };
}
