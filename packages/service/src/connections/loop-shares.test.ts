import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LoopShares } from './loop-shares.ts';

/** Shares on a clock that only work and `idle` move on. */
function loop(share = 0.5) {
  let now = 0;
  let cpu = 0;
  let timer: { readonly at: number; readonly fire: () => void } | undefined;
  const ends: (() => void)[] = [];
  const roundEnds: (() => void)[] = [];
  const shares = new LoopShares({
    share,
    now: () => now,
    cpu: () => cpu,
    after(ms, fire) {
      expect(timer).toBeUndefined();
      timer = { at: now + ms, fire };
    },
    atTurnEnd: (end) => void ends.push(end),
    atRoundEnd: (end) => void roundEnds.push(end),
  });
  const used = new Map<string, number>();
  const endTurn = (): void => {
    for (const end of ends.splice(0)) end();
  };
  const endRound = (): void => {
    for (const end of roundEnds.splice(0)) end();
  };
  const work = (ms: number): void => {
    now += ms;
    cpu += ms;
  };
  return {
    shares,
    preempt(ms: number): void {
      now += ms;
    },
    used: (peer: string) => used.get(peer) ?? 0,
    now: () => now,
    /**
     * Asks for a turn that takes `ms`, half of it after `begin` has returned; in a round of its own, unless it is one of several.
     *
     * @returns whether it was begun at once.
     */
    ask(peer: string, ms: number, isLast = true): boolean {
      let isBegun = false;
      shares.whenFree(peer, () => {
        isBegun = true;
        used.set(peer, (used.get(peer) ?? 0) + ms);
        work(ms / 2);
        ends.unshift(() => work(ms / 2));
      });
      endTurn();
      if (isLast) endRound();
      return isBegun;
    },
    /** Lets time pass in which timers fire. */
    idle(ms: number): void {
      const until = now + ms;
      while (timer !== undefined && timer.at <= until) {
        const due = timer;
        timer = undefined;
        now = Math.max(now, due.at);
        due.fire();
        endTurn();
        endRound();
      }
      now = Math.max(now, until);
    },
    isTimerSet: () => timer !== undefined,
  };
}

test('an address that is served alone never waits', () => {
  const { ask } = loop();
  for (let count = 0; count < 1_000; count += 1) expect(ask('only', 5)).toBe(true);
});

test('processor time is read only while several addresses are served', () => {
  let now = 0;
  let readings = 0;
  const ends: (() => void)[] = [];
  const shares = new LoopShares({
    now: () => now,
    cpu: () => ++readings,
    atTurnEnd: (end) => void ends.push(end),
  });
  const turn = (peer: string): void => {
    shares.turnOf(peer);
    now += 5;
    for (const end of ends.splice(0)) end();
  };
  for (let count = 0; count < 100; count += 1) turn('only');
  expect(readings).toBe(0);
  turn('other');
  turn('only');
  expect(readings).toBeGreaterThan(0);
});

test('while others are served, an address that uses much of the time waits until the part that it may use has come', () => {
  const { ask, idle, used } = loop();
  ask('honest', 1);
  expect(ask('greedy', 30)).toBe(true);
  expect(ask('greedy', 1)).toBe(false);
  expect(ask('honest', 1)).toBe(true);
  idle(30);
  expect(used('greedy')).toBe(30);
  idle(20);
  expect(used('greedy')).toBe(31);
});

test('of one round of the event loop, those that use much have a small part', () => {
  const { ask, idle, used } = loop();
  ask('honest', 1);
  ask('greedy', 40);
  // The share has come; that it uses much is not forgotten so soon.
  idle(100);
  ask('honest', 1);
  const begun = Array.from({ length: 20 }, () => ask('greedy', 0.5, false)).filter(Boolean);
  expect(begun).toHaveLength(5);
  expect(ask('honest', 1, false)).toBe(true);
  idle(1_000);
  expect(used('greedy')).toBe(50);
});

test('work that is done after the turn of an address has begun counts too', () => {
  const { shares, ask } = loop();
  ask('honest', 1);
  ask('greedy', 40);
  // 40 ms of debt, of which 10 are free: with half of it uncounted, there would be none after 20 ms.
  ask('honest', 20);
  expect(shares.isFree('greedy')).toBe(false);
});

test('what an address used while it was alone is not held against it', () => {
  const { ask, idle } = loop();
  for (let count = 0; count < 1_000; count += 1) ask('regular', 10);
  for (let count = 0; count < 100; count += 1) {
    ask('flood', 10);
    expect(ask('regular', 1)).toBe(true);
    idle(8);
  }
});

test('an address that uses a third of what another one uses never waits', () => {
  const { ask, idle } = loop();
  for (let count = 0; count < 200; count += 1) {
    ask('greedy', 30);
    expect(ask('honest', 3)).toBe(true);
    idle(6);
  }
});

test('time in which the system ran other processes is not charged', () => {
  const { shares, ask, preempt } = loop();
  ask('other', 1);
  for (let count = 0; count < 100; count += 1) {
    shares.whenFree('preempted', () => preempt(20));
    ask('preempted', 1);
    ask('other', 1);
    expect(shares.isFree('preempted')).toBe(true);
  }
});

test('with a share of 1 none waits', () => {
  const { ask } = loop(1);
  for (let count = 0; count < 100; count += 1) {
    ask('honest', 1);
    expect(ask('greedy', 50)).toBe(true);
  }
});

test('a flood from many addresses has its share, all together, whatever its pieces are like', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 4 }),
      (costs, addresses) => {
        const { ask, idle, used, now } = loop();
        const peers = Array.from({ length: addresses }, (_, index) => `greedy ${index}`);
        while (now() < 4_000) {
          expect(ask('honest', 0.2)).toBe(true);
          for (const peer of peers) for (const cost of costs) ask(peer, cost);
          idle(20);
        }
        const all = peers.reduce((sum, peer) => sum + used(peer), 0);
        // Half of the time, and what each may use before it counts as one that uses much.
        expect(all).toBeLessThan(0.5 * now() + addresses * 60);
      },
    ),
    { numRuns: 100 },
  );
});

test('whatever waits is begun in the end, once, and the timer ends', () => {
  const { shares, ask, idle, isTimerSet } = loop();
  const begun: number[] = [];
  ask('honest', 1);
  ask('greedy', 100);
  for (let count = 0; count < 100; count += 1) shares.whenFree('greedy', () => void begun.push(count));
  idle(1_000);
  expect(begun).toEqual(Array.from({ length: 100 }, (_, index) => index));
  expect(isTimerSet()).toBe(false);
});
