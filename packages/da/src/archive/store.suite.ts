/** Suite of the properties that an archive relies on, run against every place that one may be in. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { headerHash } from '@switchyard/protocol';
import { namespaceFromId } from '@switchyard/protocol/celestia';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lightNode } from '../celestia/light-node.ts';
import { type LocalLayer, startLocalLayer } from '../local.testing.ts';
import { Archive } from './archive.ts';
import { type CollectOptions, collect } from './collect.ts';
import { ArchiveDamaged } from './segment.ts';
import { ArchiveInUse, type ArchiveStore, segmentName } from './store.ts';
import { verifyArchive } from './verify.ts';
import { type ArchiveWriter, openArchiveWriter } from './writer.ts';

export interface StorePlace {
  /** Opened as another process would. */
  open(): Promise<ArchiveStore>;
  /** The directory of its segments. */
  readonly files: string;
}

const OURS = namespaceFromId(new Uint8Array(10).fill(0x31));
const signal = new AbortController().signal;
const [FIRST, SECOND, THIRD] = [segmentName(1, 5n), segmentName(2, 9n), segmentName(10, 100n)];
const HEIGHTS = 12n;

/** @param emptyPlace A new one each time. */
export function archiveStoreSuite(name: string, emptyPlace: () => Promise<StorePlace>): void {
  describe(`archive in ${name}`, () => {
    let layer: LocalLayer;
    let place: StorePlace;

    beforeAll(async () => {
      layer = await startLocalLayer();
      const node = lightNode({ url: layer.lightNodeUrl });
      while ((await node.networkHead(signal)).height < HEIGHTS) await new Promise((resolve) => setTimeout(resolve, 20));
    }, 60_000);

    afterAll(async () => {
      await layer.stop();
      rmSync(layer.directory, { recursive: true, force: true });
    });

    beforeEach(async () => {
      place = await emptyPlace();
    });

    async function rootAt(height: bigint) {
      const { header } = await lightNode({ url: layer.lightNodeUrl }).header(height, signal);
      return { chainId: header.chainId, height, hash: headerHash(header) };
    }

    /** @param stopAfter Ends once this many heights were written from here; `undefined` for all of the layer. */
    async function archived(more: Partial<CollectOptions> = {}, stopAfter?: bigint) {
      const stop = new AbortController();
      const options = {
        ...{ node: { url: layer.lightNodeUrl }, root: await rootAt(1n), namespaces: [OURS] },
        ...{ from: 1n, once: true, maxSegmentBytes: 3_000, ...more },
      };
      const written = (height: bigint) => {
        if (stopAfter !== undefined && height >= stopAfter) stop.abort(new Error('stopped'));
      };
      return collect(options, { store: await place.open(), signal: stop.signal, waiting: () => undefined, written });
    }

    const verified = async (height: bigint) => verifyArchive(await place.open(), await rootAt(height), signal);

    test('segments are listed in order, and read as they were put', async () => {
      const store = await place.open();
      expect(await store.names()).toEqual([]);
      await store.create(THIRD, Uint8Array.of(3));
      await store.create(FIRST, Uint8Array.of(1, 2));
      await store.create(SECOND, new Uint8Array(100_000).fill(7));
      writeFileSync(join(place.files, 'segment-of-nothing'), 'else');
      const again = await place.open();
      expect(await again.names()).toEqual([FIRST, SECOND, THIRD]);
      expect(Uint8Array.from(await again.read(FIRST))).toEqual(Uint8Array.of(1, 2));
      expect(Uint8Array.from(await again.read(SECOND))).toEqual(new Uint8Array(100_000).fill(7));
    });

    test('of several that put a segment, one does, and it is not put over', async () => {
      const stores = await Promise.all(Array.from({ length: 6 }, place.open));
      const outcomes = await Promise.allSettled(
        stores.map((store, index) => store.create(FIRST, new Uint8Array(2_000).fill(index))),
      );
      const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
      const refused = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
      expect(refused).toHaveLength(5);
      for (const each of refused) {
        expect(each).toBeInstanceOf(ArchiveInUse);
        expect(String(each)).toMatch(/segment-00000001-0{18}5: has other contents than were written from here/);
      }
      const kept = Uint8Array.from(await (await place.open()).read(FIRST));
      expect(kept).toEqual(new Uint8Array(2_000).fill(winner));
      // A client does this again after an answer that was lost.
      await (await place.open()).create(FIRST, kept);
    });

    test('what the layer holds is kept in small segments, and proven', async () => {
      const last = await archived();
      expect(last).toBeGreaterThanOrEqual(HEIGHTS);
      const found = await verified(last);
      expect(found).toMatchObject({ first: 1n, last, torn: 0 });
      expect(found.segments).toBeGreaterThan(2);
    });

    test('it resumes without a gap or a duplicate, whenever it was stopped', async () => {
      for (const height of [2n, 4n, 5n]) {
        await expect(archived({ flushMs: 0 }, height)).rejects.toThrow('stopped');
        expect(await verified(height)).toMatchObject({ first: 1n, last: height, torn: 0 });
      }
      const last = await archived();
      expect(await verified(last)).toMatchObject({ first: 1n, last, torn: 0 });
    });

    test('of two that write to it one is refused, and the archive is whole', async () => {
      const last = await archived();
      const source = new Archive(await place.open());
      const entries = await Promise.all([1n, 2n, 3n, 4n, 5n].map((height) => source.entry(height, signal)));
      place = await emptyPlace();
      await expect(archived({ flushMs: 0 }, 2n)).rejects.toThrow('stopped');
      const made = { chainId: (await rootAt(1n)).chainId, namespaces: [OURS], from: 1n };
      const [one, other] = [
        await openArchiveWriter(await place.open(), made),
        await openArchiveWriter(await place.open(), made),
      ];
      const write = async (writer: ArchiveWriter, upTo: number) => {
        for (const entry of entries.slice(2, upTo)) if (entry !== undefined) await writer.append(entry);
        await writer.flush();
      };
      await write(one, 4);
      await expect(write(other, 5)).rejects.toThrow(ArchiveInUse);
      expect([one.kept, other.kept]).toEqual([4n, 2n]);
      expect(await verified(4n)).toMatchObject({ first: 1n, last: 4n, torn: 0 });
      expect(await archived()).toBeGreaterThanOrEqual(last);
    });

    test('a segment that is changed, cut, absent or too long is refused with its name', async () => {
      const last = await archived();
      const root = await rootAt(last);
      const [, second = ''] = await (await place.open()).names();
      const path = join(place.files, second);
      const whole = readFileSync(path);
      const refused = async () => verifyArchive(await place.open(), root, signal).catch((error: unknown) => error);
      const changed = Uint8Array.from(whole, (byte, at) => (at === whole.length - 9 ? byte ^ 1 : byte));
      for (const bytes of [changed, whole.subarray(0, -1), whole.subarray(0, 10), new Uint8Array(65 * 1_048_576 + 1)]) {
        writeFileSync(path, bytes);
        const problem = await refused();
        expect([bytes.length, problem]).toEqual([bytes.length, expect.any(ArchiveDamaged)]);
        expect(String(problem)).toContain(second);
      }
      rmSync(path);
      expect(String(await refused())).toMatch(/segment-00000003-\d+: follows a segment that ends with/);
      writeFileSync(path, whole);
      expect(await verified(last)).toMatchObject({ last });
      expect(readdirSync(place.files)).toContain(second);
    });
  });
}
