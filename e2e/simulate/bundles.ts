import { type CollectorClient, collectorClient } from '@switchyard/client';
import type { ActivityFacts } from '@switchyard/network/simulate';
import { decodeRollupData, type RollupId, rollupIdFromName, type TxHash, txHashOf } from '@switchyard/protocol';
import { sleep } from '@switchyard/service';

const RULE = 'bundles are whole';
const AGAIN_MS = 500;
const TIMEOUT_MS = 5_000;
/** Rollups without a node: the composer and the sequencer know rollups by their ids only. */
const ELSEWHERE = ['one elsewhere', 'another elsewhere'];

interface Entry {
  readonly rollup: RollupId;
  readonly transaction: Uint8Array;
}

/** An atomic bundle that a user has sent. */
export interface SentBundle {
  readonly entries: readonly Entry[];
  /** Set once the composer has acknowledged it: it has to be in a block then. Otherwise it may be. */
  id: TxHash | undefined;
}

/** Sends one bundle after the other, each until it was acknowledged: an account without an answer sends the same entries again. */
export async function sendBundles(facts: ActivityFacts): Promise<readonly SentBundle[]> {
  const { rollup, signal } = facts;
  const composer = getComposer(facts);
  const rollups = [rollup, ...ELSEWHERE].map(rollupIdFromName);
  const sent: SentBundle[] = [];
  await facts.takeSteps('bundle', [1, 1_000], async ({ chance }) => {
    const count = chance.integer(2, 6);
    const entries = Array.from({ length: count }, (_, index) => ({
      rollup: chance.pick(rollups),
      // The rollup cannot decode it, and passes it over.
      transaction: new TextEncoder().encode(`entry ${index + 1} of ${count} in bundle ${sent.length + 1}`),
    }));
    const bundle: SentBundle = { entries, id: undefined };
    sent.push(bundle);
    while (!signal.aborted && bundle.id === undefined) {
      bundle.id = await composer.submitBundle(entries, { skipKnown: true, signal }).catch(() => undefined);
      if (bundle.id === undefined) await sleep(AGAIN_MS, signal).catch(() => undefined);
    }
  });
  composer.close();
  return sent;
}

/** The entries of each bundle are in one block, in order and next to each other, or in none; an acknowledged one is in a block. */
export async function inOneBlock(facts: ActivityFacts, sent: readonly SentBundle[]): Promise<void> {
  const heights = await getHeights(facts, sent);
  const places = await getPlaces(facts);
  for (const [index, { entries, id }] of sent.entries()) {
    const found = entries.map(({ rollup, transaction }) => places.get(`${rollup} ${txHashOf(transaction)}`) ?? []);
    const detail = `bundle ${index + 1}: its entries are at ${JSON.stringify(found)}`;
    const count = found.filter((each) => each.length > 0).length;
    if (count === 0 && id === undefined) continue;
    const isWhole = count === entries.length && found.every((each) => each.length === 1) && isInOrder(entries, found);
    if (!isWhole) facts.report({ rule: RULE, detail });
    const height = id && heights.get(id);
    if (id !== undefined && found[0]?.[0]?.height !== height) {
      facts.report({ rule: RULE, detail: `${detail}, and the composer has it in block ${height}` });
    }
  }
}

interface Place {
  readonly height: number;
  /** Among the data of its rollup in the block. */
  readonly index: number;
}

function isInOrder(entries: readonly Entry[], found: readonly (readonly Place[])[]): boolean {
  const next = new Map<RollupId, number>();
  return entries.every(({ rollup }, at) => {
    const [place] = found[at] ?? [];
    if (place === undefined || place.height !== found[0]?.[0]?.height) return false;
    const expected = next.get(rollup) ?? place.index;
    next.set(rollup, place.index + 1);
    return place.index === expected;
  });
}

/** Heights of the acknowledged bundles, as the composer reports them. */
async function getHeights(facts: ActivityFacts, sent: readonly SentBundle[]) {
  const composer = getComposer(facts);
  const heights = new Map<TxHash, number>();
  const open = new Set(sent.flatMap(({ id }) => (id === undefined ? [] : [id])));
  await facts.comesTrue(async () => {
    for (const id of open) {
      const state = await composer.bundle(id).catch(() => undefined);
      if (state?.kind !== 'sequenced') break;
      heights.set(id, Number(state.height));
      open.delete(id);
    }
    return open.size === 0;
  });
  composer.close();
  return heights;
}

/** All places of each byte string, by rollup and hash. */
async function getPlaces({ rollup: own, sequencer }: ActivityFacts): Promise<ReadonlyMap<string, Place[]>> {
  const places = new Map<string, Place[]>();
  const latest = await sequencer.latestHeight();
  for (const rollup of [own, ...ELSEWHERE].map(rollupIdFromName)) {
    for (let height = 1n; height <= latest; height += 1n) {
      const { rollups } = await sequencer.filteredBlock(height, rollup);
      const entries = rollups.find((each) => each.rollup === rollup)?.transactions ?? [];
      for (const [index, bytes] of entries.entries()) {
        const entry = decodeRollupData(bytes);
        if (entry.kind !== 'sequencedData') continue;
        const name = `${rollup} ${txHashOf(entry.data)}`;
        places.set(name, [...(places.get(name) ?? []), { height: Number(height), index }]);
      }
    }
  }
  return places;
}

function getComposer({ makeUrl, links }: ActivityFacts): CollectorClient {
  return collectorClient({ url: makeUrl('composer', 'collector'), timeoutMs: TIMEOUT_MS, links });
}
