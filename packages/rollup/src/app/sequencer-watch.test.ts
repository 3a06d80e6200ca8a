import { manualClock, memoryLogger } from '@switchyard/service/testing';
import { afterEach, expect, test } from 'vitest';
import { FakeComposer } from '../testing/fake-composer.ts';
import { signSpend, tallyRollup } from '../testing/tally.ts';
import { testNode, until } from '../testing/test-node.ts';

const nodes: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});

/** A node that has executed two blocks, of heights 11 and 12. */
async function world() {
  const clock = manualClock();
  const composer = new FakeComposer();
  const { log, lines } = memoryLogger();
  const node = await testNode(tallyRollup(), { composer, clock, log });
  nodes.push(node);
  const hashes = [];
  for (let block = 0; block < 2; block += 1) hashes.push((await node.block()).sequencerBlockHash);
  const [older = '', newest = ''] = hashes;
  const submit = async (nonce: number) => {
    const { status, body } = await node.post('/v1/transactions', signSpend({ nonce }));
    await clock.advance(10);
    return [status, (body as { error?: { message: string } }).error?.message];
  };
  const isReady = async () => (await node.get('/readyz')).status === 200;
  const errors = () => lines.filter(({ msg }) => String(msg).includes('does not match the executed chain')).length;
  return { clock, composer, node, older, newest, submit, isReady, errors };
}

test('a sequencer with the blocks that were executed is one to be followed', async () => {
  const { clock, composer, newest, submit } = await world();
  composer.position = { latest: 20n, height: 12n, hash: newest };
  await clock.advance(20_000);
  expect(await submit(0)).toEqual([202, undefined]);
});

// Defect: Rollup accepted transactions that could not be executed because the sequencer was set back to an older copy
test('a sequencer that has another block at a height that was executed is refused at once, with what to do', async () => {
  const { clock, composer, newest, submit, isReady, errors } = await world();
  composer.position = { latest: 11n, height: 11n, hash: 'ff'.repeat(32) };
  await clock.advance(6_000);
  expect(await submit(0)).toEqual([503, expect.stringMatching(/another block 11 .* restored from an older backup/)]);
  expect([await isReady(), composer.queued, errors()]).toEqual([false, [], 1]);
  await clock.advance(60_000);
  expect(errors()).toBe(1);
  composer.position = { latest: 12n, height: 12n, hash: newest };
  await clock.advance(6_000);
  expect([await submit(0), await isReady()]).toEqual([[202, undefined], true]);
});

test('a sequencer that is behind is waited for, and refused when it stays there', async () => {
  const { clock, composer, older, submit } = await world();
  composer.position = { latest: 11n, height: 11n, hash: older };
  await clock.advance(20_000);
  expect(await submit(0)).toEqual([202, undefined]);
  await clock.advance(20_000);
  expect(await submit(1)).toEqual([503, expect.stringMatching(/is at height 11, .* executed up to 12/)]);
});

test('the last known position stays while the composer does not report one', async () => {
  const { clock, composer, submit, node } = await world();
  composer.position = { latest: 11n, height: 11n, hash: 'ff'.repeat(32) };
  await clock.advance(6_000);
  composer.mode = 'down';
  await clock.advance(6_000);
  composer.mode = 'up';
  composer.position = undefined;
  await clock.advance(6_000);
  await until(() => node.forwarder.ready);
  expect((await submit(0))[0]).toBe(503);
});
