import { createValidator, headerHash, toHex, verifyCommit } from '@switchyard/protocol';
import { afterEach, describe, expect, test } from 'vitest';
import type { BlockFeed } from './engine.ts';
import { createSuiteApp, type Disk, newDisk, type SuiteApp } from './testing.ts';

/** An engine that drives an application. */
export interface DrivenEngine {
  readonly feed: BlockFeed;
  /** Offers a transaction the way a client of this engine would. */
  submit(tx: Uint8Array): Promise<void>;
  /** Ends it in an orderly way. */
  stop(): Promise<void>;
  /** Resolves when it has ended, however that came. */
  ended(): Promise<void>;
}

/** One node: its data directory outlives the engines that are started on it. */
export interface EngineHarness {
  readonly chainId: string;
  /** The only validator. */
  readonly validator: { readonly publicKey: Uint8Array; readonly power: bigint };
  /** Starts an engine over the application; it soon produces blocks, also without transactions. */
  start(app: SuiteApp): Promise<DrivenEngine>;
  dispose(): Promise<void>;
}

const SCRIPT = ['name=alice', 'city=Bern', 'name=bob', 'fail=1', 'city=Bern '];
/**
 * Root of the suite's application on chain `solo-test-1` after the script, regardless of the division into blocks.
 * Pinned, so that two engines are compared without running in one test.
 */
const ROOT_AFTER_SCRIPT = '1019c5482bb9cfb4a0b57afc476dfa8dd1f6e411d8c035f9c168dc8e88d48bb1';

/** Contract between every engine and its application, regardless of the program behind it. */
export function engineSuite(name: string, createHarness: () => EngineHarness | Promise<EngineHarness>): void {
  const harnesses: EngineHarness[] = [];
  const engines: DrivenEngine[] = [];

  afterEach(async () => {
    for (const engine of engines.splice(0)) await engine.stop();
    for (const harness of harnesses.splice(0)) await harness.dispose();
  });

  async function newHarness(): Promise<EngineHarness> {
    const harness = await createHarness();
    harnesses.push(harness);
    return harness;
  }

  async function start(harness: EngineHarness, disk: Disk, prepare?: (app: SuiteApp) => void): Promise<DrivenEngine> {
    const app = createSuiteApp(disk);
    prepare?.(app);
    const engine = await harness.start(app);
    engines.push(engine);
    return engine;
  }

  /** Offers a transaction and waits until its effect is committed. */
  async function execute({ feed, submit }: DrivenEngine, disk: Disk, tx: string): Promise<void> {
    const before = disk.appHash;
    const committed = new Promise<void>((resolve) => {
      const stop = feed.onBlock(() => {
        if (disk.height > 0n && toHex(disk.appHash) !== toHex(before)) {
          stop();
          resolve();
        }
      });
    });
    await submit(Buffer.from(tx));
    await committed;
  }

  function reach({ feed }: DrivenEngine, height: bigint): Promise<void> {
    return new Promise((resolve) => {
      const stop = feed.onBlock((at) => {
        if (at < height) return;
        stop();
        resolve();
      });
      if (feed.commits.at(height) !== undefined) {
        stop();
        resolve();
      }
    });
  }

  describe(name, () => {
    test('gives the application every block once, in order, and asks before it decides', async () => {
      const disk = newDisk();
      const engine = await start(await newHarness(), disk);
      await reach(engine, 1n);
      for (const tx of SCRIPT) await execute(engine, disk, tx);
      await engine.stop();

      const [first, second, ...calls] = disk.calls.filter((call) => !call.startsWith('info') || call === 'info 0');
      expect([first, second]).toEqual(['info 0', 'initChain 0']);
      for (let height = 1n; height <= disk.height; height += 1n) {
        const own = calls.filter((call) => call.endsWith(` ${height}`)).map((call) => call.split(' ')[0]);
        expect(own.slice(-2)).toEqual(['finalizeBlock', 'commit']);
        expect(new Set(own.slice(0, -2))).toEqual(new Set(['prepareProposal', 'processProposal']));
        expect(own[0]).toBe('prepareProposal');
      }
      const decided = calls.filter((call) => call.startsWith('finalizeBlock') || call.startsWith('commit'));
      const expected = Array.from({ length: Number(disk.height) }, (_, index) => [
        `finalizeBlock ${index + 1}`,
        `commit ${index + 1}`,
      ]);
      // The end may come between the last two calls for a block.
      const begun = [`finalizeBlock ${disk.height + 1n}`];
      expect([expected.flat(), [...expected.flat(), ...begun]]).toContainEqual(decided);
    });

    test('a script of transactions gives the root that it gives on every engine', async () => {
      const disk = newDisk();
      const harness = await newHarness();
      expect(harness.chainId).toBe('solo-test-1');
      const engine = await start(harness, disk);
      await reach(engine, 1n);
      for (const tx of SCRIPT) await execute(engine, disk, tx);
      expect(toHex(disk.appHash)).toBe(ROOT_AFTER_SCRIPT);
      expect(Object.fromEntries(disk.values)).toEqual({ name: 'bob', city: 'Bern ', fail: '1' });
    });

    test('every header is signed, carries the root of the block before, and can be had as soon as it is announced', async () => {
      const disk = newDisk();
      const harness = await newHarness();
      const roots = new Map<bigint, string>();
      const engine = await start(harness, disk, (app) => {
        app.before = (call) => {
          if (call === 'finalizeBlock') roots.set(disk.height, toHex(disk.appHash));
        };
      });
      const announced: bigint[] = [];
      engine.feed.onBlock((height) => {
        announced.push(height);
        expect(engine.feed.commits.at(height)).toBeDefined();
        expect(engine.feed.commits.encodedAt(height)).toBeInstanceOf(Uint8Array);
        expect(engine.feed.commits.at(height + 1n)).toBeUndefined();
      });
      for (const tx of SCRIPT) await execute(engine, disk, tx);
      await reach(engine, disk.height + 1n);

      const [from = 0n] = announced;
      expect(announced).toEqual(announced.map((_, index) => from + BigInt(index)));
      const validators = [createValidator(harness.validator.publicKey, harness.validator.power)];
      for (const height of announced) {
        const signed = engine.feed.commits.at(height);
        if (signed === undefined) throw new Error(`no commit at ${height}`);
        verifyCommit(harness.chainId, validators, signed);
        expect(signed.commit.blockId.hash).toEqual(headerHash(signed.header));
        const before = roots.get(height - 1n);
        if (height > 1n) expect(toHex(signed.header.appHash)).toBe(before);
      }
    });

    test('after a restart the chain continues with the same state', async () => {
      const disk = newDisk();
      const harness = await newHarness();
      const first = await start(harness, disk);
      await execute(first, disk, 'name=alice');
      await first.stop();
      const { height, appHash } = disk;
      disk.calls.length = 0;

      const second = await start(harness, disk);
      await reach(second, height + 1n);
      expect(disk.calls).not.toContain('initChain 0');
      expect(disk.calls.find((call) => call.startsWith('commit'))).toBe(`commit ${height + 1n}`);
      expect(second.feed.commits.at(height + 1n)?.header.appHash).toEqual(appHash);
      await execute(second, disk, 'name=bob');
      expect(disk.values.get('name')).toBe('bob');
    });

    test('a block that was decided and not committed is given again after a crash', async () => {
      const disk = newDisk();
      const harness = await newHarness();
      const crashed = await start(harness, disk, (app) => {
        app.before = (call) => {
          if (call === 'commit' && disk.values.has('name')) throw new Error('crash');
        };
      });
      // It may end before it announces the block of the name, or answers.
      await Promise.race([crashed.submit(Buffer.from('name=alice')), crashed.ended()]);
      await crashed.ended();
      const { height } = disk;
      expect(disk.calls.at(-1)).toBe(`finalizeBlock ${height + 1n}`);
      disk.calls.length = 0;

      const again = await start(harness, disk);
      await reach(again, height + 1n);
      const decided = disk.calls.filter((call) => call.startsWith('finalizeBlock') || call.startsWith('commit'));
      expect(decided.slice(0, 2)).toEqual([`finalizeBlock ${height + 1n}`, `commit ${height + 1n}`]);
    });
  });
}
