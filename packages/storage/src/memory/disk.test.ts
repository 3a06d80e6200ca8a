import { afterEach, expect, test } from 'vitest';
import { MemoryDisk, StoreFile, StoreNotWritten } from '../index.ts';

/** Time that passes a step at a time. */
class SteppedClock {
  #waiting: { readonly at: number; readonly fire: () => void }[] = [];
  #now = 0;

  after(ms: number, fire: () => void): void {
    this.#waiting.push({ at: this.#now + ms, fire });
  }

  /** @returns After promises have settled. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#now = next.at;
      this.#waiting = this.#waiting.filter((each) => each !== next);
      next.fire();
    }
    this.#now = end;
    await new Promise((resolve) => setImmediate(resolve));
  }

  #next(end: number) {
    return this.#waiting.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }
}

const FLUSH_MS = 10;
const unmounts: (() => void)[] = [];
afterEach(() => {
  for (const unmount of unmounts.splice(0)) unmount();
});

function newDisk() {
  const clock = new SteppedClock();
  const disk = new MemoryDisk({ clock, flushMs: () => FLUSH_MS });
  unmounts.push(disk.mount('/memory'));
  return { clock, disk };
}

const open = (directory: string, isReplayed = false) =>
  new StoreFile<string>(directory, 'composer-queue', { keys: 'text', isReplayed });
const VALUE = Uint8Array.of(1);
const getKeys = (file: StoreFile<string>) => Array.from(file.main.keys({})).filter((key) => key !== 'format');
const put = (file: StoreFile<string>, key: string) => file.batch(() => void file.main.put(key, VALUE));

/** The outcome so far. */
function watched(promise: Promise<unknown>) {
  const seen: { outcome: unknown } = { outcome: 'none' };
  promise.then(
    () => {
      seen.outcome = 'done';
    },
    (error: unknown) => {
      seen.outcome = error;
    },
  );
  return seen;
}

test('writes of one turn share a commit, later ones have the next; each takes two flushes', async () => {
  const { clock } = newDisk();
  const file = open('/memory/a');
  const first = [put(file, 'a'), file.main.put('b', VALUE)].map(watched);
  await clock.pass(0);
  const second = watched(put(file, 'c'));
  expect([getKeys(file), first.map(({ outcome }) => outcome)]).toEqual([[], ['none', 'none']]);
  await clock.pass(FLUSH_MS);
  expect([getKeys(file), first.map(({ outcome }) => outcome)]).toEqual([
    ['a', 'b'],
    ['none', 'none'],
  ]);
  await clock.pass(FLUSH_MS);
  expect([getKeys(file), first.map(({ outcome }) => outcome), second.outcome]).toEqual([
    ['a', 'b'],
    ['done', 'done'],
    'none',
  ]);
  await clock.pass(2 * FLUSH_MS);
  expect([getKeys(file), second.outcome]).toEqual([['a', 'b', 'c'], 'done']);
});

test('a transaction waits for the commit under way, and is before the next', async () => {
  const { clock } = newDisk();
  const file = open('/memory/a');
  const first = watched(put(file, 'a'));
  await clock.pass(0);
  const second = watched(put(file, 'b'));
  file.transactionSync(() => {
    expect(getKeys(file)).toEqual(['a']);
    file.main.putSync('c', VALUE);
  });
  expect(getKeys(file)).toEqual(['a', 'c']);
  await clock.pass(0);
  expect([first.outcome, second.outcome]).toEqual(['done', 'none']);
  await clock.pass(2 * FLUSH_MS);
  expect([getKeys(file), second.outcome]).toEqual([['a', 'b', 'c'], 'done']);
});

test('a killed process leaves what is committed, and has no effect any more', async () => {
  const { clock, disk } = newDisk();
  const [killed, other] = [open('/memory/a/1'), open('/memory/ab')];
  killed.main.putSync('sync', VALUE);
  const committed = watched(put(killed, 'committed'));
  await clock.pass(FLUSH_MS);
  const pending = [put(killed, 'pending'), put(other, 'other')].map(watched);
  disk.kill('/memory/a');
  const calls = [
    () => killed.main.get('sync'),
    () => killed.main.putSync('late', VALUE),
    () => killed.main.removeSync('sync'),
    () => killed.main.count(),
    () => [...killed.main.keys({})],
    () => killed.transactionSync(() => undefined),
    () => killed.clear(),
    () => killed.size(),
    () => killed.remap(),
  ];
  for (const call of calls) expect(call).toThrow('the store at /memory/a/1 is killed');
  const late = [put(killed, 'late'), killed.main.put('late', VALUE), killed.main.remove('sync'), killed.close()].map(
    watched,
  );
  const again = open('/memory/a/1');
  await clock.pass(100);
  expect(getKeys(again)).toEqual(['committed', 'sync']);
  expect([committed, ...late, ...pending].map(({ outcome }) => outcome)).toEqual([
    ...Array.from({ length: 6 }, () => 'none'),
    'done',
  ]);
  expect(getKeys(other)).toEqual(['other']);
});

test('a process that is killed within a transaction has not committed it', () => {
  const { disk } = newDisk();
  const file = open('/memory/a');
  const dies = () =>
    file.transactionSync(() => {
      file.main.putSync('a', VALUE);
      disk.kill('/memory');
    });
  expect(dies).toThrow('the store at /memory/a is killed');
  expect(getKeys(open('/memory/a'))).toEqual([]);
});

test.each([
  ['kill', (disk: MemoryDisk) => disk.kill('/memory'), ['a', 'b']],
  ['loss of power', (disk: MemoryDisk) => disk.losePower('/memory', () => 0), ['a']],
] as const)('a %s can come right after a commit', async (_, end, left) => {
  const clock = new SteppedClock();
  const ends = new Set<string>();
  const disk: MemoryDisk = new MemoryDisk({ clock, onCommit: (directory) => void (ends.has(directory) && end(disk)) });
  unmounts.push(disk.mount('/memory'));
  const [sync, async] = [open('/memory/sync'), open('/memory/async')];
  sync.main.putSync('a', VALUE);
  async.main.putSync('a', VALUE);
  ends.add('/memory/async');
  const outcome = watched(put(async, 'b'));
  await clock.pass(100);
  expect(() => async.main.get('a')).toThrow('is killed');
  expect([getKeys(open('/memory/async')), outcome.outcome]).toEqual([left, 'none']);
  ends.add('/memory/sync');
  const dies = open('/memory/sync');
  expect(() => dies.transactionSync(() => dies.main.putSync('b', VALUE))).toThrow(
    'the store at /memory/sync is killed',
  );
  expect(getKeys(open('/memory/sync'))).toEqual(left);
});

test.each([
  ['not written yet', 0, [], []],
  ['written and not flushed', FLUSH_MS, [], ['b']],
  ['flushed', 2 * FLUSH_MS, ['b'], ['b']],
])('a loss of power can undo a commit that is %s', async (_, passed, lost, kept) => {
  for (const [keeps, left] of [
    [0, lost],
    [1, kept],
  ] as const) {
    const { clock, disk } = newDisk();
    const file = open('/memory/a');
    file.main.putSync('a', VALUE);
    const outcome = watched(put(file, 'b'));
    await clock.pass(passed);
    disk.losePower('/memory', () => keeps);
    expect(() => file.main.get('a')).toThrow('is killed');
    expect(getKeys(open('/memory/a'))).toEqual(['a', ...left]);
    expect(outcome.outcome).toBe(passed === 2 * FLUSH_MS ? 'done' : 'none');
    for (const unmount of unmounts.splice(0)) unmount();
  }
});

test('of a store that is replayed, a loss of power can undo the last commit alone', async () => {
  const { clock, disk } = newDisk();
  const counts: number[] = [];
  const keeps = (unflushed: number) => {
    counts.push(unflushed);
    return 0;
  };
  const first = open('/memory/a', true);
  for (const key of ['a', 'b', 'c']) first.main.putSync(key, VALUE);
  disk.losePower('/memory/a', keeps);
  const second = open('/memory/a', true);
  expect(getKeys(second)).toEqual(['a', 'b']);
  const outcome = watched(put(second, 'd'));
  await clock.pass(FLUSH_MS);
  expect([getKeys(second), outcome.outcome]).toEqual([['a', 'b', 'd'], 'done']);
  disk.kill('/memory/a');
  expect(getKeys(open('/memory/a', true))).toEqual(['a', 'b', 'd']);
  disk.losePower('/memory/a', keeps);
  expect(getKeys(open('/memory/a', true))).toEqual(['a', 'b']);
  disk.losePower('/memory/a', keeps);
  expect(counts).toEqual([1, 1]);
});

test.each(['ENOSPC', 'EIO'] as const)(
  'a commit that fails with %s leaves nothing, and the next one may succeed',
  async (code) => {
    const { clock, disk } = newDisk();
    const [file, other] = [open('/memory/a'), open('/memory/b')];
    disk.failWrites('/memory/a', code);
    const refused = {
      name: 'StoreNotWritten',
      message: expect.stringMatching(
        /^the store at \/memory\/a cannot be written: (no space left on device|i\/o error); make room/,
      ),
      exitCode: 71,
    };
    const fails = () => file.transactionSync(() => file.main.putSync('a', VALUE));
    expect(fails).toThrow(StoreNotWritten);
    expect(fails).toThrow(expect.objectContaining(refused));
    expect(() => file.transactionSync(() => undefined)).not.toThrow();
    const failed = [put(file, 'b'), put(file, 'c')].map(watched);
    const written = watched(put(other, 'd'));
    await clock.pass(2 * FLUSH_MS);
    expect(failed.map(({ outcome }) => outcome)).toEqual([
      expect.objectContaining(refused),
      expect.objectContaining(refused),
    ]);
    expect([getKeys(file), getKeys(other), written.outcome]).toEqual([[], ['d'], 'done']);
    disk.failWrites('/memory/a', undefined);
    file.main.putSync('a', VALUE);
    const after = watched(put(file, 'b'));
    await clock.pass(2 * FLUSH_MS);
    expect([getKeys(file), after.outcome]).toEqual([['a', 'b'], 'done']);
  },
);

test('a snapshot shares everything with its disk, and open stores return to it', async () => {
  const { clock, disk } = newDisk();
  const file = open('/memory/a');
  const rows = file.table('rows');
  file.transactionSync(() => {
    for (let at = 0; at < 1_000_000; at += 1) rows.putSync(String(at).padStart(7, '0'), VALUE);
  });
  const snapshot = disk.snapshot();
  expect(snapshot.get('/memory/a')).toBe(disk.snapshot().get('/memory/a'));
  file.transactionSync(() => {
    for (let at = 0; at < 1_000_000; at += 1_000) rows.removeSync(String(at).padStart(7, '0'));
    rows.putSync('new', VALUE);
  });
  expect([rows.count(), snapshot.get('/memory/a')?.committed.get('rows')?.count]).toEqual([999_001, 1_000_000]);
  const late = open('/memory/late');
  late.main.putSync('a', VALUE);
  const [dropped, droppedToo] = [put(file, 'dropped'), put(late, 'dropped')].map(watched);
  disk.restore(snapshot);
  expect(disk.snapshot().get('/memory/a')).toBe(snapshot.get('/memory/a'));
  expect([rows.count(), rows.get('new'), rows.get('0001000')]).toEqual([1_000_000, undefined, VALUE]);
  expect(() => late.main.get('a')).toThrow('the store at /memory/late is killed');
  expect(getKeys(open('/memory/late'))).toEqual([]);
  await clock.pass(100);
  expect([getKeys(file), dropped?.outcome, droppedToo?.outcome]).toEqual([[], 'none', 'none']);
  const after = watched(put(file, 'after'));
  await clock.pass(2 * FLUSH_MS);
  expect([getKeys(file), after.outcome]).toEqual([['after'], 'done']);
});

test('a disk is at and below its prefix until it is unmounted, below another one where that is mounted', () => {
  const [outer, inner] = [new MemoryDisk(), new MemoryDisk()];
  unmounts.push(outer.mount('/memory/a'), inner.mount('/memory/a/b/c'));
  expect(() => outer.mount('/memory/a/')).toThrow('a disk is mounted at /memory/a already');
  for (const path of ['/memory/a', '/memory/a/b', '/memory/a/b/../x', '/memory/a/b/c', '/memory/a/b/c/d']) open(path);
  expect([...outer.snapshot().keys()]).toEqual(['/memory/a', '/memory/a/b', '/memory/a/x']);
  expect([...inner.snapshot().keys()]).toEqual(['/memory/a/b/c', '/memory/a/b/c/d']);
});
