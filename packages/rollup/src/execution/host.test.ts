import { Code, ConnectError } from '@connectrpc/connect';
import { createMemoryStore } from '@switchyard/machine';
import { baseInputDigest, type CommitLevel, nextInputDigest } from '@switchyard/protocol';
import { type Caller, IN_PROCESS } from '@switchyard/service';
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

/** Code of the error, in the words of the wire. */
const getCode = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: unknown) => (error instanceof ConnectError ? Code[error.code] : String(error)),
  );

test('a session states where to begin', async () => {
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
  expect(await getCode(host.execute(session.id, soft.hash, input(1)))).toBe('PermissionDenied');
  expect(await getCode(host.executeBatch(session.id, soft.hash, [input(1)], { firm: true }))).toBe('PermissionDenied');
  expect(await getCode(host.update(session.id, genesis))).toBe('PermissionDenied');
  expect(await getCode(host.execute('', soft.hash, input(1)))).toBe('PermissionDenied');
  expect(await getCode(host.execute(next.id, soft.hash, input(1)))).toBe('ok');
});

test('execution before a session is open is refused', async () => {
  const executor = await RollupChain.open(tallyRollup(), createMemoryStore());
  const host = new ExecutionHost(executor);
  expect(await getCode(host.execute('', executor.view.block.hash, input(1)))).toBe('PermissionDenied');
});

test('executing on another block than the soft one is a failed precondition', async () => {
  const { host, session, soft } = await hosted();
  const first = await host.execute(session.id, soft.hash, input(1));
  expect(await getCode(host.execute(session.id, first.hash, input(2)))).toBe('FailedPrecondition');
  expect(await getCode(host.executeBatch(session.id, 'ff', [input(2)], { firm: false }))).toBe('FailedPrecondition');
});

test('an equal soft block is accepted, an older one is not', async () => {
  const { host, session, soft, genesis } = await hosted();
  const block = await host.execute(session.id, soft.hash, input(1));
  const forward = { ...genesis, soft: block };
  expect(await host.update(session.id, forward)).toEqual(forward);
  expect(await host.update(session.id, forward)).toEqual(forward);
  expect(await host.update(session.id, { ...forward, firm: block })).toEqual({ ...forward, firm: block });
  expect(await getCode(host.update(session.id, genesis))).toBe('FailedPrecondition');
  expect(await getCode(host.update(session.id, forward))).toBe('FailedPrecondition');
});

test.each([
  ['firm above soft', 'FailedPrecondition', {}, { firm: 'new' }],
  ['a soft block that was not executed', 'InvalidArgument', { hash: 'ab'.repeat(32) }, { soft: 'new' }],
  ['a wrong number', 'InvalidArgument', { number: 7n }, { soft: 'new' }],
  ['a wrong parent', 'InvalidArgument', { parentHash: 'ab'.repeat(32) }, { soft: 'new' }],
  ['a firm block that was not executed', 'InvalidArgument', { hash: 'cd'.repeat(32) }, { soft: 'new', firm: 'new' }],
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
    expect(await getCode(host.update(session.id, requested))).toBe(code);
    expect((await host.createSession()).commitments).toEqual(genesis);
  },
);

test('the height to search from does not go back', async () => {
  const { host, session, genesis } = await hosted();
  const later = { ...genesis, lowestCelestiaSearchHeight: 9n };
  expect(await host.update(session.id, later)).toEqual(later);
  expect(await getCode(host.update(session.id, genesis))).toBe('InvalidArgument');
});

test('a batch whose answer was lost is answered again, and executed once', async () => {
  const { host, session, soft, executor } = await hosted();
  const inputs = [input(1), input(2), input(3)];
  const first = await host.executeBatch(session.id, soft.hash, inputs, { firm: true });
  expect(first.blocks.map(({ number }) => number)).toEqual([1n, 2n, 3n]);
  expect(await host.executeBatch(session.id, soft.hash, inputs, { firm: true })).toEqual(first);
  expect(executor.view.soft).toBe(3n);
  expect(await getCode(host.executeBatch(session.id, soft.hash, [input(4), input(2), input(3)], { firm: true }))).toBe(
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
  expect(await getCode(host.block({ number: 5n }))).toBe('NotFound');
  expect(await getCode(host.block({ hash: 'xyz' }))).toBe('NotFound');
});

const caller = (change: Partial<Pick<Caller, 'address' | 'credential'>> = {}) => ({
  address: '127.0.0.1',
  credential: undefined,
  connection: { isClosed: false },
  ...change,
});

/** A host whose session `first` has just opened. */
async function held(first = caller()) {
  const clock = manualClock();
  const { log, lines } = memoryLogger();
  const executor = await RollupChain.open(tallyRollup(), createMemoryStore());
  const host = new ExecutionHost(executor, { clock, log });
  const session = await host.createSession(first);
  const { soft } = session.commitments;
  const warnings = () => lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
  return { host, session, soft, clock, warnings, first };
}

// Defect: Another program could take a rollup's session
test('a session id is worth nothing to another caller', async () => {
  const { host, session, soft } = await held();
  for (const other of [caller(), caller({ address: '10.0.0.1' }), caller({ credential: 'secret' })]) {
    expect(await getCode(host.execute(session.id, soft.hash, input(1), other))).toBe('PermissionDenied');
    expect(await getCode(host.executeBatch(session.id, soft.hash, [input(1)], { firm: true }, other))).toBe(
      'PermissionDenied',
    );
    expect(await getCode(host.update(session.id, session.commitments, other))).toBe('PermissionDenied');
  }
});

test('a caller whose connection was lost keeps its session over a new one; others do not', async () => {
  const { host, session, soft, first } = await held();
  first.connection.isClosed = true;
  expect(await getCode(host.execute(session.id, soft.hash, input(1), caller({ address: '10.0.0.1' })))).toBe(
    'PermissionDenied',
  );
  expect(await getCode(host.execute(session.id, soft.hash, input(1), caller()))).toBe('ok');
  expect(await getCode(host.execute(session.id, soft.hash, input(1), caller()))).toBe('PermissionDenied');
});

test('whoever shows the same credential may use its session over any connection', async () => {
  const { host, session, soft } = await held(caller({ credential: 'secret' }));
  const elsewhere = caller({ credential: 'secret', address: '10.0.0.1' });
  expect(await getCode(host.execute(session.id, soft.hash, input(1), elsewhere))).toBe('ok');
});

test('a second conductor is refused while the first one works, with a retryable status; that is logged once', async () => {
  const { host, session, soft, clock, warnings, first } = await held();
  const second = caller();
  for (let turn = 0; turn < 10; turn += 1) {
    await clock.advance(5_000);
    expect(await getCode(host.execute(session.id, soft.hash, input(1), first))).toBe('ok');
    expect(await getCode(host.createSession(second))).toBe('Aborted');
  }
  expect(warnings()).toEqual(['second conductor refused; stop one of them']);
  expect(await getCode(host.execute(session.id, soft.hash, input(1), first))).toBe('ok');
});

test('a conductor that is started again gets the session at once where its connection was closed', async () => {
  const { host, session, soft, first, warnings } = await held();
  first.connection.isClosed = true;
  const again = caller();
  const next = await host.createSession(again);
  expect(await getCode(host.execute(next.id, soft.hash, input(1), again))).toBe('ok');
  expect(await getCode(host.execute(session.id, soft.hash, input(1), first))).toBe('PermissionDenied');
  expect(warnings()).toEqual([]);
});

test('where the closed connection was not noticed, it gets it after 15 s without a call', async () => {
  const { host, clock, warnings } = await held();
  const again = caller();
  await clock.advance(14_999);
  expect(await getCode(host.createSession(again))).toBe('Aborted');
  await clock.advance(1);
  expect(await getCode(host.createSession(again))).toBe('ok');
  expect(warnings()).toContain('session taken over from an idle conductor');
});

test('a question without a session keeps it too', async () => {
  const { host, clock, first } = await held();
  await clock.advance(14_999);
  await host.block({ number: 0n }, first);
  await clock.advance(14_999);
  expect(await getCode(host.createSession(caller()))).toBe('Aborted');
});

test('a credential counts more than none: it takes the session, and does not lose it while connected', async () => {
  const { host, clock, warnings } = await held();
  const proven = caller({ credential: 'secret', address: '10.0.0.1' });
  const session = await host.createSession(proven);
  expect(warnings()).toEqual(['session taken over from a caller without a credential by an authenticated one']);
  await clock.advance(600_000);
  expect(await getCode(host.createSession(caller()))).toBe('Aborted');
  expect(await getCode(host.execute(session.id, session.commitments.soft.hash, input(1), proven))).toBe('ok');
  proven.connection.isClosed = true;
  expect(await getCode(host.createSession(caller()))).toBe('ok');
});

test('the same connection may open one session after another', async () => {
  const { host, first, warnings } = await held();
  for (let turn = 0; turn < 10; turn += 1) expect(await getCode(host.createSession(first))).toBe('ok');
  expect(warnings()).toEqual([]);
});

test('each block has a digest of all inputs up to it, the same one by one as in a batch', async () => {
  const { host, session, soft } = await hosted();
  const inputs = [input(1), input(2), input(3)];
  const { inputDigest } = await host.executeBatch(session.id, soft.hash, inputs, { firm: true });
  const digests = await host.inputDigests(0n, 9n);
  expect(digests.map(({ number }) => number)).toEqual([1n, 2n, 3n]);
  let expected = baseInputDigest(soft.hash);
  for (const [index, each] of inputs.entries()) {
    expected = nextInputDigest(expected, each);
    expect(digests[index]?.digest).toEqual(expected);
  }
  expect(inputDigest).toEqual(expected);
  const { host: other, session: second, soft: genesis } = await hosted();
  const first = await other.execute(second.id, genesis.hash, input(1));
  await other.update(second.id, { ...second.commitments, soft: first, firm: first });
  expect((await other.inputDigests(0n, 9n)).map(({ digest }) => digest)).toEqual([digests[0]?.digest]);
});

test('a batch with made-up entries for a sequencer block is no earlier answer to the real one', async () => {
  const { host, session, soft } = await hosted();
  await host.executeBatch(session.id, soft.hash, [{ ...input(1), entries: [] }], { firm: true });
  expect(await getCode(host.executeBatch(session.id, soft.hash, [input(1)], { firm: true }))).toBe(
    'FailedPrecondition',
  );
});

const at = (host: ExecutionHost, level?: CommitLevel) => host.createSession(IN_PROCESS, level);

/** A chain whose block 1 became firm in a session of a level. */
async function firmBy(level?: CommitLevel) {
  const { log, lines } = memoryLogger();
  const { host, soft } = await hosted({ log });
  const { id } = await at(host, level);
  await host.executeBatch(id, soft.hash, [input(1)], { firm: level !== 'SoftAndFirm' });
  if (level === 'SoftAndFirm') {
    const { commitments } = await at(host, level);
    const { id: next } = await at(host, level);
    await host.update(next, { ...commitments, firm: commitments.soft });
  }
  return { host, lines };
}

test.each<[CommitLevel, readonly CommitLevel[], CommitLevel[]]>([
  ['SoftIsFirm', ['SoftIsFirm', 'SoftOnly'], ['SoftAndFirm', 'FirmOnly']],
  ['SoftAndFirm', ['SoftAndFirm', 'FirmOnly', 'SoftOnly'], ['SoftIsFirm']],
  ['FirmOnly', ['SoftAndFirm', 'FirmOnly', 'SoftOnly'], ['SoftIsFirm']],
])('after a firm block of %s, %j may drive the rollup, and %j not', async (level, fitting, refused) => {
  const { host } = await firmBy(level);
  const firmMeaning = level === 'SoftIsFirm' ? 'signed' : 'posted';
  for (const each of fitting) expect(await at(host, each)).toMatchObject({ firmMeaning });
  for (const each of refused) {
    expect(await getCode(at(host, each))).toBe('FailedPrecondition');
    await expect(at(host, each)).rejects.toThrow(`got ${each}; set SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL`);
  }
  expect(await at(host)).toMatchObject({ firmMeaning });
});

test('a refused level leaves the open session as it is', async () => {
  const { host } = await firmBy('SoftIsFirm');
  const { id, commitments } = await at(host, 'SoftIsFirm');
  await at(host, 'FirmOnly').catch(() => undefined);
  expect(await getCode(host.executeBatch(id, commitments.soft.hash, [input(2)], { firm: true }))).toBe('ok');
});

test('firm blocks of a conductor that stated nothing get the meaning that is stated first', async () => {
  const { host, lines } = await firmBy();
  expect((await at(host, 'SoftOnly')).firmMeaning).toBeUndefined();
  expect((await at(host, 'FirmOnly')).firmMeaning).toBe('posted');
  expect(lines).toContainEqual(expect.objectContaining({ commitLevel: 'FirmOnly', firmMeaning: 'posted', firm: 1 }));
  expect(await getCode(at(host, 'SoftIsFirm'))).toBe('FailedPrecondition');
});

test('nothing is fixed before a block is firm, and SoftOnly makes none', async () => {
  const { host, soft } = await hosted();
  await at(host, 'SoftIsFirm');
  const { id, firmMeaning } = await at(host, 'SoftOnly');
  expect(firmMeaning).toBeUndefined();
  expect(await getCode(host.executeBatch(id, soft.hash, [input(1)], { firm: true }))).toBe('FailedPrecondition');
  expect(await getCode(host.executeBatch(id, soft.hash, [input(1)], { firm: false }))).toBe('ok');
  expect((await at(host, 'FirmOnly')).firmMeaning).toBeUndefined();
});
