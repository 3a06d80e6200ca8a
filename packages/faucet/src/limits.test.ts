import { expect, test } from 'vitest';
import type { Claim } from './claim.ts';
import { limited } from './limits.ts';

const MINUTE = 60_000;
const bounds = { windowMs: 10 * MINUTE, clientClaims: 2, allClaims: 4 };
const now = 100 * MINUTE;
const claim = (minutesAgo: number, address: string, client: string): Claim => ({
  kind: 'queued',
  id: 1,
  address,
  client,
  amount: 1n,
  at: now - minutesAgo * MINUTE,
});
const failed = (minutesAgo: number, address: string, hash?: string): Claim => ({
  ...claim(minutesAgo, address, 'home'),
  ...{ kind: 'failed', reason: '', endedAt: 0, ...(hash !== undefined && { hash }) },
});
const ask = { address: 'alice', client: 'home', now, since: ({ at }: Claim) => at };

test.each([
  ['no claims yet', [], undefined],
  ['others have', [claim(1, 'bob', 'office')], undefined],
  ['the address has', [claim(3, 'alice', 'office')], { who: 'address', again: now + 7 * MINUTE }],
  ['it is long ago', [claim(10, 'alice', 'home')], undefined],
  ['the client has once', [claim(1, 'bob', 'home')], undefined],
  [
    'as often as it may',
    [claim(1, 'bob', 'home'), claim(4, 'carol', 'home')],
    { who: 'client', again: now + 6 * MINUTE },
  ],
  [
    'more often, under another limit',
    [1, 2, 3].map((ago) => claim(ago, `a${ago}`, 'home')),
    { who: 'client', again: now + 8 * MINUTE },
  ],
  ['but that failed', [failed(1, 'alice')], undefined],
  ['in a block, which cost a fee', [failed(4, 'alice', '0x12')], { who: 'address', again: now + 6 * MINUTE }],
  [
    'all clients have, as often as they may',
    [1, 2, 3, 4].map((ago) => claim(ago, `a${ago}`, `c${ago}`)),
    { who: 'all', again: now + 6 * MINUTE },
  ],
])('%s', (_, claims, expected) => {
  expect(limited(claims, ask, bounds)).toEqual(expected);
});

test('without a window there is no limit', () => {
  expect(limited([claim(0, 'alice', 'home')], ask, { ...bounds, windowMs: 0 })).toBeUndefined();
});
