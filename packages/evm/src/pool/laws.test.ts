import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TransactionStatus } from './pool.ts';
import { account, check, hashOf, signed, World } from './testing/world.ts';

type Step =
  | { readonly kind: 'send'; readonly sender: number; readonly nonce: number; readonly value: number }
  | { readonly kind: 'block'; readonly gas: number }
  | { readonly kind: 'sequence' }
  | { readonly kind: 'copy'; readonly which: number }
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
    kind: fc.constant('composer' as const),
    mode: fc.constantFrom('up' as const, 'down' as const, 'full' as const, 'lost' as const, 'broken' as const),
  }),
  fc.record({ kind: fc.constant('restart' as const), how: fc.constantFrom('stopped' as const, 'killed' as const) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(20, 3_000, 30_000) }),
);

/** Plays the steps, then lets everything come to rest. */
async function play(steps: readonly Step[], isRemote: boolean) {
  const w = new World({ isRemote });
  const accepted: Uint8Array[] = [];
  const sent: Uint8Array[] = [];
  /** In a sequencer block that the node has not executed. */
  let sequenced: Uint8Array[] = [];
  /**
   * A node that was killed learns what it had passed on from the composer. Where that is too late, what a block had no
   * room for is reported as refused, and not sent again.
   */
  let wasKilledInBetween = false;
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
        wasKilledInBetween ||=
          each.how === 'killed' && (sequenced.length > 0 || ['down', 'broken'].includes(w.composer.mode));
        await w.restart(each.how);
        break;
      case 'wait':
        await w.run(each.ms);
        break;
    }
  }
  w.composer.mode = 'up';
  for (let round = 0; round < 8; round += 1) {
    await w.run(25_000);
    await block(1_000_000);
  }
  const ends = await Promise.all(
    accepted.map(async (raw) => ({ tx: check(raw), status: await w.outcome(w.pool.status(hashOf(raw))) })),
  );
  await w.close();
  return { w, ends, wasKilledInBetween };

  async function block(gas: number): Promise<void> {
    w.chain.blockGas = BigInt(gas);
    w.chain.block([...sequenced, ...w.composer.sequence(w.chain.sequencerHeight + 1n)]);
    sequenced = [];
    await w.run(40);
  }
}

test('whatever happens to node and composer, what was accepted is included, or held for a nonce that is missing, or overtaken', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), fc.boolean(), async (steps, isRemote) => {
      const { ends, w, wasKilledInBetween } = await play(steps, isRemote);
      for (const { tx, status } of ends) {
        const { nonce } = await w.chain.account(tx.from);
        const { status: word, ...rest } = status as TransactionStatus;
        const shown = `${word} ${JSON.stringify(rest, (_, value) => (typeof value === 'bigint' ? String(value) : value))} nonce ${tx.nonce} of ${nonce}`;
        if (word === 'included') continue;
        if (nonce > tx.nonce) expect(shown).toMatch(/^(replaced|refused .*nonce-too-low)/);
        else if (wasKilledInBetween) expect(shown).not.toMatch(/^unknown/);
        else expect(status, shown).toMatchObject({ status: 'held', missing: nonce });
      }
    }),
    { numRuns: 20 },
  );
}, 60_000);
