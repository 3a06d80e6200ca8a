import type { Address } from '@switchyard/evm-machine/types';
import { expect, test } from 'vitest';
import { executable, type Waiting } from './situation.ts';

const [A, B]: readonly Address[] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`];
const waiting = (from: Address | undefined, nonce: bigint): Waiting => ({
  ...{ hash: `0x${nonce}`, from: from ?? '0x', nonce, raw: new Uint8Array(), receivedAt: 0 },
});

test.each([
  ['in the order of nonces, where they came in another', [waiting(A, 2n), waiting(A, 1n)], [1n, 2n]],
  ['up to a gap', [waiting(A, 1n), waiting(A, 3n)], [1n]],
  ['none, where the first is missing', [waiting(A, 2n)], []],
  ['those of several senders in turn', [waiting(A, 1n), waiting(B, 1n), waiting(A, 2n)], [1n, 1n, 2n]],
])('the next block holds %s', (_, list, nonces) => {
  expect(executable(list, () => 1n).map(({ nonce }) => nonce)).toEqual(nonces);
});
