import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestRpc, testChain, testRpc } from '@switchyard/evm/testing';
import { JsonRpcError } from '@switchyard/service';
import { freePort } from '@switchyard/service/testing';
import fc from 'fast-check';
import { concat, type Hex, numberToHex, toHex } from 'viem';
import { expect, test } from 'vitest';
import { type Anvil, anvilIsThere, startAnvil } from '../support/anvil.ts';
import { root } from '../support/network.ts';
import { SEED } from '../support/seed.ts';

/*
 * The precompiled contracts that are made for speed here, in addition to those of anvil: their answers, and that they refuse
 * the same.
 */

const MODEXP = 5n;
const POINT_EVALUATION = 10n;
const ALL = [1n, 2n, 3n, 4n, MODEXP, 6n, 7n, 8n, 9n, POINT_EVALUATION];
const GAS = toHex(30_000_000n);
/** Codes of errors of the call, not of the node. */
const CALL_FAILED: ReadonlySet<number> = new Set([3, -32_000]);
/** Prime of the field of BLS12-381. */
const PRIME = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn;
const BELOW_FLAGS = 381n;

const bytes = (maxLength: number) =>
  fc.oneof(
    fc.uint8Array({ maxLength }),
    // Zeros in front, and behind: even numbers of all kinds.
    fc
      .tuple(fc.uint8Array({ maxLength: maxLength >> 1 }), fc.nat({ max: maxLength >> 1 }), fc.boolean())
      .map(([some, zeros, inFront]) => {
        const all = new Uint8Array(some.length + zeros);
        all.set(some, inFront ? zeros : 0);
        return all;
      }),
  );
const power = fc
  .tuple(bytes(80), bytes(200), bytes(140), fc.nat({ max: 400 }), fc.boolean())
  .map(([base, exponent, modulus, cut, isCut]): Hex => {
    const lengths = [base, exponent, modulus].map(({ length }) => numberToHex(length, { size: 32 }));
    const whole = concat([...lengths, toHex(base), toHex(exponent), toHex(modulus)]);
    return isCut ? concat([whole.slice(0, 2 + 2 * cut) as Hex]) : whole;
  });
const anything = fc.tuple(fc.constantFrom(...ALL), fc.uint8Array({ maxLength: 400 }));

test.skipIf(!anvilIsThere())(
  'precompiled contracts answer and refuse as those of anvil do',
  { timeout: 300_000 },
  async () => {
    const ownNames = testRpc(await testChain());
    const anvil = await startAnvil(await freePort(), '--hardfork', 'cancun');
    const answers = new Set<unknown>();
    const compare = async (contract: bigint, data: Hex) => {
      const [own, other] = await both(ownNames, anvil, contract, data);
      expect({ contract, data, answer: own }).toEqual({ contract, data, answer: other });
      answers.add(own);
    };
    try {
      await fc.assert(
        fc.asyncProperty(power, (data) => compare(MODEXP, data)),
        { numRuns: 300, seed: SEED },
      );
      await fc.assert(
        fc.asyncProperty(anything, ([contract, data]) => compare(contract, toHex(data))),
        { numRuns: 200, seed: SEED },
      );
      for (const claim of claims()) {
        await compare(POINT_EVALUATION, evaluation(claim));
        const unreduced = withUnreducedX(claim.commitment);
        if (unreduced !== undefined) await compare(POINT_EVALUATION, evaluation({ ...claim, commitment: unreduced }));
      }
      // Proofs that hold, refusals, and hundreds of powers.
      expect(answers).toContain('refused');
      expect(answers.size).toBeGreaterThan(200);
    } finally {
      await anvil.stop();
    }
  },
);

async function both(own: TestRpc, anvil: Anvil, contract: bigint, data: Hex): Promise<[unknown, unknown]> {
  const call = { to: numberToHex(contract, { size: 20 }), data, gas: GAS };
  return [
    await own('eth_call', call, 'latest').catch((error: unknown) => {
      if (error instanceof JsonRpcError && CALL_FAILED.has(error.code)) return 'refused';
      throw error;
    }),
    await anvil.call('eth_call', call, 'latest').catch((error: unknown) => {
      if (error instanceof Error && error.message.startsWith('eth_call:')) return 'refused';
      throw error;
    }),
  ];
}

interface Claim {
  readonly commitment: Hex;
  readonly z: Hex;
  readonly y: Hex;
  readonly proof: Hex;
}

/** The published ones whose parts have the lengths that the contract's input has. */
function claims(): Claim[] {
  const file = join(root, 'packages/evm-machine/testdata/kzg/verify-kzg-proof.json');
  const rows = JSON.parse(readFileSync(file, 'utf8')) as [string, Hex, Hex, Hex, Hex, boolean | null][];
  return rows
    .map(([, commitment, z, y, proof]) => ({ commitment, z, y, proof }))
    .filter(
      ({ commitment, z, y, proof }) =>
        commitment.length === 98 && z.length === 66 && y.length === 66 && proof.length === 98,
    );
}

/** EIP-4844: the versioned hash, z, y, commitment, proof. */
function evaluation({ commitment, z, y, proof }: Claim): Hex {
  const hash = createHash('sha256')
    .update(Buffer.from(commitment.slice(2), 'hex'))
    .digest();
  hash[0] = 1;
  return concat([toHex(hash), z, y, commitment, proof]);
}

/** The point written with a coordinate that is not below the prime, if there is room for it. */
function withUnreducedX(point: Hex): Hex | undefined {
  const value = BigInt(point);
  const x = BigInt.asUintN(Number(BELOW_FLAGS), value) + PRIME;
  if (x >> BELOW_FLAGS !== 0n) return undefined;
  return numberToHex(((value >> BELOW_FLAGS) << BELOW_FLAGS) | x, { size: 48 });
}
