import { expect, test } from 'vitest';
import { type Claim, decodeClaim, encodeClaim } from './claim.ts';
import { signedPayment } from './testing/model-chain.ts';

const request = { id: 7, address: 'alice', client: '127.0.0.1', amount: 10n ** 18n, at: 1_000 };
const paid: Claim = { ...request, kind: 'paid', hash: 'aa', block: 3n, nonce: 2n, endedAt: 5 };

test.each<[string, Claim]>([
  ['new', { ...request, kind: 'queued' }],
  ['signed', { ...request, kind: 'signed', payments: [signedPayment(), signedPayment({ nonce: 2n ** 63n })] }],
  ['paid', paid],
  ['failed', { ...request, kind: 'failed', reason: 'no', endedAt: 5 }],
  ['failed in a block', { ...request, kind: 'failed', reason: 'no', hash: 'bb', endedAt: 5 }],
])('a %s claim comes back from the disk as it was', (_, given) => {
  expect(decodeClaim(encodeClaim(given))).toEqual(given);
});

test('the bytes on disk are pinned', () => {
  const common = '{"id":7,"address":"alice","client":"127.0.0.1","amount":"1000000000000000000","at":1000,';
  expect(encodeClaim({ ...request, kind: 'signed', payments: [signedPayment()] })).toBe(
    `${common}"payments":[{"nonce":"0","hash":"aa","bytes":"bb","cost":"11"}]}`,
  );
  expect(encodeClaim(paid)).toBe(
    `${common}"payments":[],"end":{"kind":"paid","hash":"aa","block":"3","nonce":"2","at":5}}`,
  );
  expect(encodeClaim({ ...request, kind: 'failed', reason: 'no', endedAt: 5 })).toBe(
    `${common}"payments":[],"end":{"kind":"failed","reason":"no","at":5}}`,
  );
});

test.each(['{}', '[]', 'null', '{"id":"1","payments":[]}'])('%s is refused as a claim', (text) => {
  expect(() => decodeClaim(text)).toThrow('the database of claims is damaged');
});
