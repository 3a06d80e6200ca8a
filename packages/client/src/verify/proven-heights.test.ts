import { createSigner, Rejected, type Signer } from '@switchyard/protocol';
import { getValidators, signedHeader } from '@switchyard/protocol/testing';
import { manualClock, settle } from '@switchyard/service/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ProvenHeights } from './proven-heights.ts';

const getSigner = (seed: number): Signer => createSigner(new Uint8Array(32).fill(seed));

/** A node with blocks up to `real`, signed by these. */
function getNode(real: bigint, signers: readonly Signer[], chainId?: string) {
  const node = {
    real,
    signers,
    asked: 0,
    async commit(height: bigint) {
      node.asked += 1;
      if (height > node.real) throw new Error(`no block ${height}`);
      return signedHeader(height, node.signers, chainId);
    },
    validators: async () => getValidators(node.signers),
  };
  return node;
}
type Node = ReturnType<typeof getNode>;

function world() {
  const clock = manualClock();
  const heights = new ProvenHeights<Node>({ chainId: 'chain', clock });
  const { signal } = new AbortController();
  const prove = async (node: Node, claimed: bigint): Promise<bigint | string> => {
    const seen: { value?: bigint | string } = {};
    heights.prove(node, node, claimed, signal).then(
      (value) => Object.assign(seen, { value }),
      (error: unknown) => Object.assign(seen, { value: error instanceof Rejected ? 'rejected' : 'nothing shown' }),
    );
    while (seen.value === undefined) {
      await settle();
      await clock.advance(200);
    }
    return seen.value;
  };
  return { clock, heights, prove };
}

const [one, two, three, four] = [1, 2, 3, 4].map(getSigner) as [Signer, Signer, Signer, Signer];

test('a height counts when a commit is shown for it', async () => {
  const { heights, prove } = world();
  const node = getNode(10n, [one]);
  expect([await prove(node, 10n), await prove(node, 9_000_000n), heights.highest, heights.of(node)]).toEqual([
    10n,
    'nothing shown',
    10n,
    10n,
  ]);
});

test('what is proved is not asked for again', async () => {
  const { prove } = world();
  const node = getNode(10n, [one]);
  for (const height of [10n, 10n, 9n]) await prove(node, height);
  expect(node.asked).toBe(1);
});

test('a commit of another chain, or of unknown validators, is rejected', async () => {
  const { heights, prove } = world();
  const [honest, other] = [getNode(10n, [one]), getNode(12n, [one])];
  expect(await prove(getNode(50n, [one], 'elsewhere'), 50n)).toBe('rejected');
  expect([await prove(honest, 10n), await prove(other, 12n)]).toEqual([10n, 12n]);
  expect(await prove(getNode(9_000_000n, [four]), 9_000_000n)).toBe('rejected');
  expect(heights.highest).toBe(12n);
});

test('the first one, with other validators, does not outlast the rest', async () => {
  const { heights, prove } = world();
  const [forger, first, second] = [getNode(9_000_000n, [four]), getNode(10n, [one]), getNode(10n, [one])];
  expect(await prove(forger, 9_000_000n)).toBe(9_000_000n);
  await prove(first, 10n);
  expect([await prove(second, 10n), heights.highest, await prove(first, 10n)]).toEqual([10n, 10n, 10n]);
  expect(await prove(forger, 9_000_000n)).toBe('rejected');
});

test('one that has gone silent does not speak for its validators for ever', async () => {
  const { clock, heights, prove } = world();
  expect(await prove(getNode(9_000_000n, [four]), 9_000_000n)).toBe(9_000_000n);
  const honest = getNode(10n, [one]);
  expect(await prove(honest, 10n)).toBe('rejected');
  await clock.advance(61_000);
  expect([await prove(honest, 10n), heights.highest]).toEqual([10n, 10n]);
});

test('the validators may change, a third of them at a time', async () => {
  const { heights, prove } = world();
  const node = getNode(10n, [one, two, three]);
  await prove(node, 10n);
  Object.assign(node, { real: 11n, signers: [two, three, four] });
  expect([await prove(node, 11n), heights.highest]).toEqual([11n, 11n]);
});

test('whatever dishonest nodes claim, the highest height is one of the chain', () => {
  const step = fc.record({ node: fc.nat(3), blocks: fc.nat(3), lie: fc.bigInt({ min: 0n, max: 10_000_000n }) });
  return fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.subarray([0, 1, 2, 3]), async (steps, liars) => {
      const { heights, prove } = world();
      const nodes = [0, 1, 2, 3].map(() => getNode(1n, [one, two, three]));
      let real = 1n;
      for (const { node: index, blocks, lie } of steps) {
        real += BigInt(blocks);
        const node = nodes[index];
        if (node === undefined) continue;
        node.real = real;
        const claimed = liars.includes(index) ? real + lie : real;
        const proved = await prove(node, claimed);
        expect(proved).toBe(claimed > real ? 'nothing shown' : claimed);
        expect(heights.highest).toBeLessThanOrEqual(real);
      }
    }),
    { numRuns: 30 },
  );
});
