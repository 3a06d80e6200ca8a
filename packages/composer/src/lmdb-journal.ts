import { open } from 'lmdb';
import type { Journal } from './journal.ts';
import {
  decodeBundle,
  decodeChunk,
  decodeFate,
  decodeRanges,
  encodeBundle,
  encodeChunk,
  encodeFate,
  encodeRanges,
} from './records.ts';

/** Numbers as fixed-width text sort as numbers. */
const key = (kind: string, id: number): string => `${kind}/${String(id).padStart(16, '0')}`;
const plain = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

/** The journal in an LMDB database. Writes of one moment share one flush to disk. */
export function openLmdbJournal(path: string): Journal {
  const db = open<Uint8Array, string>({ path, encoding: 'binary', cache: false, compression: false });
  const read = function* (kind: string): Iterable<readonly [number, Uint8Array]> {
    for (const { key: name, value } of db.getRange({ start: `${kind}/`, end: `${kind}0` })) {
      yield [Number(name.slice(kind.length + 1)), plain(value)];
    }
  };
  const durable = async (write: () => void): Promise<void> => {
    await db.transaction(write);
    await db.flushed;
  };
  return {
    recover() {
      const done = new Map(Array.from(read('done'), ([id, bytes]) => [id, decodeRanges(bytes)]));
      return {
        chunks: Array.from(read('chunk'), ([id, bytes]) => ({
          chunk: decodeChunk(id, bytes),
          done: done.get(id) ?? [],
        })),
        bundles: Array.from(read('bundle'), ([nonce, bytes]) => decodeBundle(nonce, bytes)),
        fates: Array.from(read('fate'), ([id, bytes]) => decodeFate(id, bytes)),
      };
    },
    accept: (chunk) => durable(() => void db.put(key('chunk', chunk.id), encodeChunk(chunk))),
    putBundle: (bundle) => durable(() => void db.put(key('bundle', bundle.nonce), encodeBundle(bundle))),
    settle: ({ bundles, leftovers, fates, forgottenFates }) =>
      durable(() => {
        for (const { nonce, bundle } of bundles) {
          if (bundle === undefined) void db.remove(key('bundle', nonce));
          else void db.put(key('bundle', nonce), encodeBundle(bundle));
        }
        for (const { chunk, done } of leftovers) {
          if (done !== undefined) void db.put(key('done', chunk), encodeRanges(done));
          else {
            void db.remove(key('chunk', chunk));
            void db.remove(key('done', chunk));
          }
        }
        for (const fate of fates) void db.put(key('fate', fate.id), encodeFate(fate));
        for (const id of forgottenFates) void db.remove(key('fate', id));
      }),
    close: () => db.close(),
  };
}
