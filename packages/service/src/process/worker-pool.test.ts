import { getPriority } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { openWorkerPool, type WorkerPool } from './worker-pool.ts';

const opened: WorkerPool<number, number>[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((pool) => pool.close()));
});

/** Items are bytes; the thread answers twice each, and the thread that asks three times each. */
function pool(body: string, worthAThread = 1): WorkerPool<number, number> {
  const program = `import { parentPort } from 'node:worker_threads'; parentPort.on('message', (packed) => { ${body} });`;
  const made = openWorkerPool<number, number>({
    threads: 2,
    program: new URL(`data:text/javascript,${encodeURIComponent(program)}`),
    pack: (items) => Uint8Array.from(items),
    unpack: (results) => [...results],
    inline: (items) => items.map((item) => item * 3),
    worthAThread,
  });
  opened.push(made);
  return made;
}
const DOUBLE = 'parentPort.postMessage(packed.map((item) => item * 2));';
const items = (count: number) => Array.from({ length: count }, (_, index) => index % 80);

test.each([1, 2, 255, 256, 257, 2_000])('%i items are answered by threads, in order', async (count) => {
  expect(await pool(DOUBLE).run(items(count))).toEqual(items(count).map((item) => item * 2));
});

test('few items stay in the thread that asks', async () => {
  const made = pool(DOUBLE, 8);
  expect(await made.run(items(7))).toEqual(items(7).map((item) => item * 3));
  expect(await made.run(items(8))).toEqual(items(8).map((item) => item * 2));
  expect(await made.run([])).toEqual([]);
});

test('what a thread fails to answer is computed in the thread that asks', async () => {
  const made = pool('throw new Error("broken");');
  for (let round = 0; round < 3; round += 1) {
    expect(await made.run(items(600))).toEqual(items(600).map((item) => item * 3));
  }
});

test('a closed pool still answers', async () => {
  const made = pool('while (true);');
  const answers = made.run(items(10));
  await made.close();
  expect(await answers).toEqual(items(10).map((item) => item * 3));
});

// Elsewhere a thread has no priority of its own.
// Defect: Verifying threads had the priority of the answering thread
test.runIf(process.platform === 'linux')('threads have a lower priority than the one that asks', async () => {
  const own = getPriority();
  const made = pool("import('node:os').then((os) => parentPort.postMessage(packed.map(() => os.getPriority())));");
  expect(await made.run(items(1))).toEqual([Math.min(19, own + 5)]);
  expect(getPriority()).toBe(own);
});
