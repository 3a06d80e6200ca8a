import { accountIdFromBytes, formatAddress } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { accountRange } from './account-range.ts';

const account = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(accountIdFromBytes);
const toRange = (text: string) => accountRange(text, 'astria') ?? expect.fail(`no range of ${text}`);

test('an account is in the range of each beginning of its address, and alone in that of the whole', () => {
  fc.assert(
    fc.property(account, fc.integer({ min: 2, max: 38 }), (id, letters) => {
      const text = formatAddress(id, 'astria').slice(0, 'astria1'.length + letters);
      const [least, most] = toRange(text);
      expect([least.length, most.length, least <= id && id <= most]).toEqual([40, 40, true]);
      if (letters >= 32) expect([least, most]).toEqual([id, id]);
    }),
  );
});

test('accounts of the ends of a range have addresses that begin so', () => {
  for (const [index, id] of toRange('astria1qz7').entries())
    expect([index, formatAddress(id as never, 'astria').startsWith('astria1qz7')]).toEqual([index, true]);
});

test.each(['', 'astria', 'astria1', 'astria1q', 'astria1bb', 'other1qq', 'ASTRIA1QQ', '0x12', 'astria1q q'])(
  'there is no range of %o',
  (text) => expect(accountRange(text, 'astria')).toBeUndefined(),
);
