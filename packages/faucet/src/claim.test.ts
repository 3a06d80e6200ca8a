import { expect, test } from 'vitest';
import { type Claim, decodeClaim, encodeClaim } from './claim.ts';
import { signedPayment } from './testing/model-chain.ts';

const claim: Claim = { id: 7, address: 'alice', client: '127.0.0.1', amount: 10n ** 18n, at: 1_000, payments: [] };
const end = { kind: 'paid', hash: 'aa', block: 3n, nonce: 2n, at: 5 } as const;

test.each([
  ['new', claim],
  ['signed', { ...claim, payments: [signedPayment(), signedPayment({ nonce: 2n ** 63n })] }],
  ['paid', { ...claim, end }],
  ['failed', { ...claim, end: { kind: 'failed', reason: 'no', at: 5 } as const }],
  ['failed in a block', { ...claim, end: { kind: 'failed', reason: 'no', hash: 'bb', at: 5 } as const }],
])('a %s claim comes back from the disk as it was', (_, given) => {
  expect(decodeClaim(encodeClaim(given))).toEqual(given);
});

test('the bytes on disk are pinned', () => {
  expect(encodeClaim({ ...claim, payments: [signedPayment()], end })).toBe(
    '{"id":7,"address":"alice","client":"127.0.0.1","amount":"1000000000000000000","at":1000,' +
      '"payments":[{"nonce":"0","hash":"aa","bytes":"bb","cost":"11"}],' +
      '"end":{"kind":"paid","hash":"aa","block":"3","nonce":"2","at":5}}',
  );
});

test.each(['{}', '[]', 'null', '{"id":"1","payments":[]}'])('%s is not taken for a claim', (text) => {
  expect(() => decodeClaim(text)).toThrow('the database of claims is damaged');
});
