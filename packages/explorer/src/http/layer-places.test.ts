import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLogger } from '@switchyard/service';
import { manualClock } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { LayerPlaces } from './layer-places.ts';

const AT = '2026-01-01T00:00:00.000Z';

/** A relayer that has posted the blocks up to a height, at ten times their heights, and counts its requests. */
async function relayer(posted: number, { chain = 'c' } = {}) {
  const world = { posted, isAway: false, asked: [] as string[] };
  const server = createServer(({ url = '' }, response) => {
    world.asked.push(url);
    const { searchParams } = new URL(url, 'http://relayer');
    const [from, to] = [Number(searchParams.get('from')), Number(searchParams.get('to'))];
    const blocks = [];
    for (let height = from; height <= Math.min(to, world.posted); height += 1)
      blocks.push({ height, daHeight: 10 * height, at: Date.parse(AT) });
    response.writeHead(world.isAway ? 503 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ sequencerChainId: chain, daChainId: 'l', blocks }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = manualClock();
  return {
    world,
    clock,
    places: new LayerPlaces({ url, chainId: () => 'c', clock, log: silentLogger }),
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('blocks have their heights of the layer; those that are not posted have none', async () => {
  await using it = await relayer(5);
  expect([...(await it.places.of([6, 5, null, 4]))]).toEqual([
    [5, { height: 50, at: AT }],
    [4, { height: 40, at: AT }],
  ]);
  expect(it.world.asked).toEqual(['/v1/posted?from=4&to=6']);
});

test('what is known is not asked again, and what was absent only after a moment', async () => {
  await using it = await relayer(5);
  await it.places.of([4, 5, 6]);
  it.world.posted = 6;
  expect((await it.places.of([4, 5, 6])).has(6)).toBe(false);
  await it.clock.advance(500);
  expect((await it.places.of([4, 5, 6])).get(6)).toEqual({ height: 60, at: AT });
  expect(it.world.asked).toEqual(['/v1/posted?from=4&to=6', '/v1/posted?from=6&to=6']);
});

test('heights far apart are few requests, however many there are', async () => {
  await using it = await relayer(1_000_000);
  const far = Array.from({ length: 50 }, (_, index) => 1 + 2_000 * index);
  expect((await it.places.of(far)).size).toBe(8);
  expect(it.world.asked).toHaveLength(8);
});

test('a relayer that is away costs one request in a while, and what was known stays', async () => {
  await using it = await relayer(5);
  await it.places.of([5]);
  it.world.isAway = true;
  await it.clock.advance(60_000);
  expect((await it.places.of([5])).get(5)?.height).toBe(50);
  await it.places.of([5, 6]);
  expect(it.world.asked).toHaveLength(2);
  it.world.isAway = false;
  await it.clock.advance(2_000);
  expect((await it.places.of([4])).get(4)?.height).toBe(40);
});

test('heights of another sequencer are none of ours', async () => {
  await using it = await relayer(5, { chain: 'other' });
  expect((await it.places.of([5])).size).toBe(0);
});

test('without a relayer nothing is asked', async () => {
  const deps = { chainId: () => 'c', clock: manualClock(), log: silentLogger };
  expect((await new LayerPlaces({ url: undefined, ...deps }).of([1])).size).toBe(0);
});
