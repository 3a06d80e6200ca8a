import { expect, test } from 'vitest';
import { testChain } from '../testing.ts';

// EIP-7934: 10 MiB less 2 MiB.
const MOST = 8_388_608;
const RECIPIENT = `0x${'ee'.repeat(20)}` as const;

test.each([
  ['Prague', { prague: 0 }, 70],
  ['Osaka', { prague: 0, osaka: 0 }, 64],
])('a block of %s has as many of these transactions as its bytes allow', async (_, forks, fit) => {
  const { sequence, account } = await testChain({ genesis: { forks } });
  const sender = account(0);
  const data = new Uint8Array(130_000);
  // The gas limit is the least that this many zeros cost (EIP-7623).
  const entries = Array.from({ length: 70 }, () => sender.call(RECIPIENT, data, { gasLimit: 1_321_000n }));
  const small = account(1).transfer(RECIPIENT, 1n);
  const { block, refused } = await sequence([...entries, small]);
  // A later small one still has room.
  expect(block.transactions).toHaveLength(fit + 1);
  expect(refused.map(({ code }) => code)).toEqual(
    Array.from({ length: 70 - fit }, (__, index) => (index === 0 ? 'block-size' : 'nonce-too-high')),
  );
  if (fit < 70) expect(block.size).toBeLessThanOrEqual(MOST);
  else expect(block.size).toBeGreaterThan(MOST);
});
