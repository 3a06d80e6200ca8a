import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TransactionStatus } from './pool.ts';
import { account, alice, check, getHash, signed, stranger, World } from './testing/world.ts';

const BOUNDS = { maxHeldOfSender: 6, maxHeld: 8, maxSent: 16 };

type Step =
  | { readonly kind: 'send'; readonly sender: number; readonly nonce: number; readonly value: number }
  | { readonly kind: 'block'; readonly gas: number }
  | { readonly kind: 'sequence' }
  | { readonly kind: 'copy'; readonly which: number }
  /** Handed to the composer without this node, and damaged on the way or not. */
  | { readonly kind: 'foreign'; readonly from: 'stranger' | 'alice'; readonly nonce: number }
  | { readonly kind: 'composer'; readonly mode: 'up' | 'down' | 'full' | 'lost' | 'broken' }
  | { readonly kind: 'restart'; readonly how: 'stopped' | 'killed' }
  | { readonly kind: 'wait'; readonly ms: number };

const send = fc.record({
  kind: fc.constant('send' as const),
  sender: fc.nat(1),
  nonce: fc.nat(5),
  value: fc.integer({ min: 1, max: 2 }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: send },
  fc.record({ kind: fc.constant('block' as const), gas: fc.constantFrom(21_000, 50_000, 1_000_000) }),
  fc.record({ kind: fc.constant('sequence' as const) }),
  fc.record({ kind: fc.constant('copy' as const), which: fc.nat(20) }),
  fc.record({
    kind: fc.constant('foreign' as const),
    from: fc.constantFrom('stranger' as const, 'alice' as const),
    nonce: fc.nat(40),
  }),
  fc.record({
    kind: fc.constant('composer' as const),
    mode: fc.constantFrom('up' as const, 'down' as const, 'full' as const, 'lost' as const, 'broken' as const),
  }),
  fc.record({ kind: fc.constant('restart' as const), how: fc.constantFrom('stopped' as const, 'killed' as const) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(20, 3_000, 30_000) }),
);

/** Plays the steps, then lets everything come to rest. */
async function play(steps: readonly Step[], isRemote: boolean) {
  const w = new World({ isRemote, bounds: BOUNDS });
  const accepted: Uint8Array[] = [];
  const sent: Uint8Array[] = [];
  const garbage: Uint8Array[] = [];
  let most = 0;
  /** In a sequencer block that the node has not executed. */
  let sequenced: Uint8Array[] = [];
  await w.run();
  for (const each of steps) {
    switch (each.kind) {
      case 'send': {
        const raw = signed(account(each.sender), { nonce: BigInt(each.nonce), value: BigInt(each.value) });
        sent.push(raw);
        const pool = w.pool;
        pool.send(raw).then(
          () => accepted.push(raw),
          () => undefined,
        );
        await w.run(40);
        break;
      }
      case 'foreign': {
        const raw = signed(each.from === 'alice' ? alice : stranger(each.nonce % 4), { nonce: BigInt(each.nonce) });
        if (each.from === 'stranger') garbage.push(raw);
        w.composer.accept(raw);
        break;
      }
      case 'sequence':
        sequenced = [...sequenced, ...w.composer.sequence(w.chain.sequencerHeight + 1n)];
        break;
      case 'copy': {
        const raw = sent[each.which];
        if (raw !== undefined) sequenced = [...sequenced, raw];
        break;
      }
      case 'block':
        await block(each.gas);
        break;
      case 'composer':
        w.composer.mode = each.mode;
        break;
      case 'restart':
        await w.restart(each.how);
        break;
      case 'wait':
        await w.run(each.ms);
        break;
    }
    most = Math.max(most, w.pool.counts.sent + w.pool.counts.held);
  }
  w.composer.mode = 'up';
  for (let round = 0; round < 8; round += 1) {
    await w.run(25_000);
    await block(1_000_000);
  }
  await w.run(2_000);
  const ends = await Promise.all(
    accepted.map(async (raw) => ({ tx: check(raw), status: await w.outcome(w.pool.status(getHash(raw))) })),
  );
  const left = garbage.filter((raw) => w.pool.get(getHash(raw)) !== undefined);
  await w.close();
  return { w, ends, left, most };

  async function block(gas: number): Promise<void> {
    w.chain.blockGas = BigInt(gas);
    w.chain.block([...sequenced, ...w.composer.sequence(w.chain.sequencerHeight + 1n)]);
    sequenced = [];
    await w.run(40);
  }
}

test('whatever happens to node and composer, what was accepted is included, held for a missing nonce, or overtaken, and nothing stays that cannot be paid for', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), fc.boolean(), async (steps, isRemote) => {
      const { ends, left, most, w } = await play(steps, isRemote);
      expect(left).toEqual([]);
      expect(most).toBeLessThanOrEqual(BOUNDS.maxSent + BOUNDS.maxHeld);
      for (const { tx, status } of ends) {
        const { nonce } = await w.chain.account(tx.from);
        const { status: word, ...rest } = status as TransactionStatus;
        const shown = `${word} ${JSON.stringify(rest, (_, value) => (typeof value === 'bigint' ? String(value) : value))} nonce ${tx.nonce} of ${nonce}`;
        if (word === 'included') continue;
        if (nonce > tx.nonce) expect(shown).toMatch(/^(replaced|refused .*nonce-too-low)/);
        else expect(status, shown).toMatchObject({ status: 'held', missing: nonce });
      }
    }),
    { numRuns: 20 },
  );
}, 60_000);
