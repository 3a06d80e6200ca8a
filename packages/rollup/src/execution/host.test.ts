import { Code, ConnectError } from '@connectrpc/connect';
import { createMemoryStore } from '@switchyard/machine';
import { manualClock, memoryLogger } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { RollupChain } from '../app/chain.ts';
import { signSpend, tallyRollup } from '../testing/tally.ts';
import { testInput } from '../testing/test-node.ts';
import { ExecutionHost, type HostDeps } from './host.ts';

const input = (number: number) =>
  testInput(number, [{ kind: 'sequencedData', data: signSpend({ nonce: number - 1 }) }]);

async function hosted(deps: HostDeps = {}) {
  const executor = await RollupChain.open(tallyRollup(), createMemoryStore());
  const host = new ExecutionHost(executor, deps);
  const session = await host.createSession();
  return { executor, host, session, soft: session.commitments.soft, genesis: session.commitments };
}

/** What the wire is told. */
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: unknown) => (error instanceof ConnectError ? Code[error.code] : String(error)),
  );

test('a session says where to begin', async () => {
  const { session } = await hosted();
  expect(session.parameters).toMatchObject({
    rollupStartNumber: 1n,
    rollupEndNumber: undefined,
    sequencerStartHeight: 11n,
    sequencerChainId: 'sequencer-0',
    celestiaSearchHeightMaxLookAhead: 50n,
  });
  expect(session.commitments).toMatchObject({ soft: { number: 0n }, lowestCelestiaSearchHeight: 5n });
});

test('only the open session may execute and commit', async () => {
  const { host, session, soft, genesis } = await hosted();
  const next = await host.createSession();
  expect(next.id).not.toBe(session.id);
  expect(await codeOf(host.execute(session.id, soft.hash, input(1)))).toBe('PermissionDenied');
  expect(await codeOf(host.executeBatch(session.id, soft.hash, [input(1)], { firm: true }))).toBe('PermissionDenied');
  expect(await codeOf(host.update(session.id, genesis))).toBe('PermissionDenied');
  expect(await codeOf(host.execute('', soft.hash, input(1)))).toBe('PermissionDenied');
  expect(await codeOf(host.execute(next.id, soft.hash, input(1)))).toBe('ok');
});

test('nobody may execute before a session is open', async () => {
  const executor = await RollupChain.open(tallyRollup(), createMemoryStore());
  const host = new ExecutionHost(executor);
  expect(await codeOf(host.execute('', executor.view.block.hash, input(1)))).toBe('PermissionDenied');
});

test('executing on another block than the soft one is a failed precondition', async () => {
  const { host, session, soft } = await hosted();
  const first = await host.execute(session.id, soft.hash, input(1));
  expect(await codeOf(host.execute(session.id, first.hash, input(2)))).toBe('FailedPrecondition');
  expect(await codeOf(host.executeBatch(session.id, 'ff', [input(2)], { firm: false }))).toBe('FailedPrecondition');
});

test('an equal soft block is accepted, an older one is not', async () => {
  const { host, session, soft, genesis } = await hosted();
  const block = await host.execute(session.id, soft.hash, input(1));
  const forward = { ...genesis, soft: block };
  expect(await host.update(session.id, forward)).toEqual(forward);
  expect(await host.update(session.id, forward)).toEqual(forward);
  expect(await host.update(session.id, { ...forward, firm: block })).toEqual({ ...forward, firm: block });
  expect(await codeOf(host.update(session.id, genesis))).toBe('FailedPrecondition');
  expect(await codeOf(host.update(session.id, forward))).toBe('FailedPrecondition');
});

test.each([
  ['firm above soft', 'FailedPrecondition', {}, { firm: 'new' }],
  ['a soft block nobody executed', 'InvalidArgument', { hash: 'ab'.repeat(32) }, { soft: 'new' }],
  ['a wrong number', 'InvalidArgument', { number: 7n }, { soft: 'new' }],
  ['a wrong parent', 'InvalidArgument', { parentHash: 'ab'.repeat(32) }, { soft: 'new' }],
  ['a firm block nobody executed', 'InvalidArgument', { hash: 'cd'.repeat(32) }, { soft: 'new', firm: 'new' }],
])(
  'refuses an update with %s',
  async (_, code, change, { soft: moveSoft, firm: moveFirm }: { soft?: string; firm?: string }) => {
    const { host, session, soft, genesis } = await hosted();
    const block = { ...(await host.execute(session.id, soft.hash, input(1))), ...change };
    const requested = {
      ...genesis,
      ...(moveSoft === undefined ? {} : { soft: block }),
      ...(moveFirm === undefined ? {} : { firm: block }),
    };
    expect(await codeOf(host.update(session.id, requested))).toBe(code);
    expect((await host.createSession()).commitments).toEqual(genesis);
  },
);

test('the height to search from does not go back', async () => {
  const { host, session, genesis } = await hosted();
  const later = { ...genesis, lowestCelestiaSearchHeight: 9n };
  expect(await host.update(session.id, later)).toEqual(later);
  expect(await codeOf(host.update(session.id, genesis))).toBe('InvalidArgument');
});

test('a batch whose answer was lost is answered again, and executed once', async () => {
  const { host, session, soft, executor } = await hosted();
  const inputs = [input(1), input(2), input(3)];
  const first = await host.executeBatch(session.id, soft.hash, inputs, { firm: true });
  expect(first.blocks.map(({ number }) => number)).toEqual([1n, 2n, 3n]);
  expect(await host.executeBatch(session.id, soft.hash, inputs, { firm: true })).toEqual(first);
  expect(executor.view.soft).toBe(3n);
  expect(await codeOf(host.executeBatch(session.id, soft.hash, [input(4), input(2), input(3)], { firm: true }))).toBe(
    'FailedPrecondition',
  );
});

test('an empty batch changes nothing', async () => {
  const { host, session, soft, genesis } = await hosted();
  const { blocks, commitments } = await host.executeBatch(session.id, soft.hash, [], { firm: true });
  expect([blocks, commitments]).toEqual([[], genesis]);
});

test('calls that arrive together run one after another', async () => {
  const { host, session, soft } = await hosted();
  const both = await Promise.all([
    host.execute(session.id, soft.hash, input(1)),
    host.execute(session.id, soft.hash, input(1)),
  ]);
  expect(both[0]).toEqual(both[1]);
});

test('an unknown block is not found', async () => {
  const { host } = await hosted();
  expect(await codeOf(host.block({ number: 5n }))).toBe('NotFound');
  expect(await codeOf(host.block({ hash: 'xyz' }))).toBe('NotFound');
});

test('two conductors that end each other are slowed down, and told of once', async () => {
  const clock = manualClock();
  const { log, lines } = memoryLogger();
  const { host } = await hosted({ clock, log });
  let opened = 0;
  for (let turn = 0; turn < 10; turn += 1) {
    const opening = host.createSession().then(() => {
      opened += 1;
    });
    await clock.advance(turn < 4 ? 0 : 5_000);
    await opening;
  }
  expect(opened).toBe(10);
  expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  const late = host.createSession();
  await clock.advance(200);
  expect(clock.pending).toBe(1);
  await clock.advance(10_000);
  await late;
});
