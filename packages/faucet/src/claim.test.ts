import { expect, test } from 'vitest';
import { type Claim, decodeClaim, encodeClaim } from './claim.ts';
import { signedPayment } from './testing/model-chain.ts';

const request = { id: 7, address: 'alice', client: '127.0.0.1', amount: 10n ** 18n, at: 1_000 };
const paid: Claim = { ...request, kind: 'paid', hash: 'aa', block: 3n, nonce: 2, endedAt: 5 };

test.each<[string, Claim]>([
  ['new', { ...request, kind: 'queued' }],
  [
    'signed',
    { ...request, kind: 'signed', nonce: 0, payments: [signedPayment(), signedPayment({ cost: 2n ** 200n })] },
  ],
  ['paid', paid],
  ['failed', { ...request, kind: 'failed', reason: 'no', endedAt: 5 }],
  ['failed in a block', { ...request, kind: 'failed', reason: 'no', hash: 'bb', endedAt: 5 }],
])('a %s claim comes back from the disk as it was', (_, given) => {
  expect(decodeClaim(encodeClaim(given))).toEqual(given);
});

test('the bytes on disk are pinned', () => {
  const hex = (claim: Claim) => Buffer.from(encodeClaim(claim)).toString('hex');
  expect(hex({ ...request, kind: 'queued' })).toBe(
    '0a0671756575656410071a05616c69636522093132372e302e302e312a133130303030303030303030303030303030303030e807',
  );
  expect(hex({ ...request, kind: 'signed', nonce: 3, payments: [signedPayment()] })).toBe(
    '0a067369676e656410071a05616c69636522093132372e302e302e312a133130303030303030303030303030303030303030e8073803420c0a026161120262621a023131',
  );
  expect(hex(paid)).toBe(
    '0a047061696410071a05616c69636522093132372e302e302e312a133130303030303030303030303030303030303030e80738024a0261615201336005',
  );
  expect(hex({ ...request, kind: 'failed', reason: 'no', endedAt: 5 })).toBe(
    '0a066661696c656410071a05616c69636522093132372e302e302e312a133130303030303030303030303030303030303030e8075a026e6f6005',
  );
});

test.each([
  ['nothing', '', 'the database of claims is damaged'],
  ['a state that no claim has', '0a046f70656e', 'the database of claims is damaged'],
  ['a payment without its bytes', '0a067369676e6564', 'the database of claims is damaged'],
  ['a record that is cut', '0a067369676e', 'claim'],
])('%s is refused as a claim', (_, bytes, message) => {
  expect(() => decodeClaim(Buffer.from(bytes, 'hex'))).toThrow(message);
});
