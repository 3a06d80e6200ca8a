import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { encodeTransactionBody, formatAddress, fromHex, rollupIdBytes, sha256, toHex } from '@switchyard/protocol';
import { accounts, asset, bridge as bridgeMessages, fees } from '@switchyard/protocol/gen';
import { expect, test } from 'vitest';
import {
  address,
  alice,
  bridge,
  CHAIN_ID,
  CHAT,
  data,
  initBridge,
  lock,
  NRIA,
  NTIA,
  pauper,
  TestNode,
  transfer,
} from '../testing.ts';

const text = (who: typeof alice) => formatAddress(who.account);

async function chain(): Promise<TestNode> {
  const node = new TestNode();
  node.submit(bridge, initBridge({ withdrawer: address(alice) }));
  await node.make();
  return node;
}

const ask = (node: TestNode, path: string, body: Uint8Array = new Uint8Array(), height = 0n) =>
  node.app.query(path, body, height);

test('balance: all assets by name, and none for an account never seen', async () => {
  const node = await chain();
  const result = await ask(node, `accounts/balance/${text(alice)}`);
  expect(result).toMatchObject({ code: 0, height: 1n });
  expect(fromBinary(accounts.BalanceResponseSchema, result.value)).toMatchObject({
    height: 1n,
    balances: [{ denom: 'nria', balance: { lo: 1_000_000n, hi: 0n } }],
  });
  const unseen = await ask(node, `accounts/balance/${text(pauper)}`);
  expect(fromBinary(accounts.BalanceResponseSchema, unseen.value)).toMatchObject({ height: 1n, balances: [] });
});

test('balance: an entry that is down to zero stays', async () => {
  const node = await chain();
  node.submit(alice, transfer(pauper, 12n));
  await node.make();
  node.submit(pauper, transfer(alice, 0n));
  await node.make();
  const result = await ask(node, `accounts/balance/${text(pauper)}`);
  expect(fromBinary(accounts.BalanceResponseSchema, result.value).balances).toMatchObject([{ balance: { lo: 0n } }]);
});

test('nonce: counts what was executed', async () => {
  const result = await ask(await chain(), `accounts/nonce/${text(bridge)}`);
  expect(fromBinary(accounts.NonceResponseSchema, result.value)).toMatchObject({ height: 1n, nonce: 1 });
});

test('denom: the name behind an id', async () => {
  const node = await chain();
  const result = await ask(node, `asset/denom/${NRIA.id}`);
  expect(fromBinary(asset.DenomResponseSchema, result.value)).toMatchObject({ height: 1n, denom: 'nria' });
});

test('allowed fee assets', async () => {
  const result = await ask(await chain(), 'asset/allowed_fee_assets');
  expect(fromBinary(asset.AllowedFeeAssetsResponseSchema, result.value)).toMatchObject({
    height: 1n,
    feeAssets: ['nria'],
  });
});

test('bridge account info, and only the height for another account', async () => {
  const node = await chain();
  const read = async (who: typeof alice) =>
    fromBinary(
      bridgeMessages.BridgeAccountInfoResponseSchema,
      (await ask(node, `bridge/account_info/${text(who)}`)).value,
    );
  expect(await read(bridge)).toMatchObject({
    height: 1n,
    rollupId: { inner: rollupIdBytes(CHAT) },
    asset: 'nria',
    sudoAddress: { bech32m: text(bridge) },
    withdrawerAddress: { bech32m: text(alice) },
  });
  const none = await read(alice);
  expect([none.height, none.rollupId, none.asset, none.sudoAddress]).toEqual([1n, undefined, undefined, undefined]);
});

test('the last transaction of a bridge account', async () => {
  const node = await chain();
  const path = `bridge/account_last_tx_hash/${text(bridge)}`;
  const read = async () =>
    fromBinary(bridgeMessages.BridgeAccountLastTxHashResponseSchema, (await ask(node, path)).value).txHash;
  expect(await read()).toBeUndefined();
  const bytes = node.submit(bridge, data('x'));
  await node.make();
  expect(toHex((await read()) ?? new Uint8Array())).toBe(toHex(sha256(bytes)));
});

test('transaction fee: one sum for each asset', async () => {
  const body = encodeTransactionBody({ nonce: 0, chainId: CHAIN_ID, actions: [data('hello'), transfer(bridge, 1n)] });
  const result = await ask(await chain(), 'transaction/fee', body);
  expect(fromBinary(fees.TransactionFeeResponseSchema, result.value)).toMatchObject({
    height: 1n,
    fees: [{ asset: 'nria', fee: { lo: 49n, hi: 0n } }],
  });
});

test("fee components: JSON, with the wire's names", async () => {
  const result = await ask(await chain(), 'fees/components');
  const prices: unknown = JSON.parse(new TextDecoder().decode(result.value));
  expect(prices).toMatchObject({
    rollup_data_submission: { base: 32, multiplier: 1 },
    ics20_withdrawal: { base: 24, multiplier: 0 },
    ibc_relay: 'not set',
    markets_change: 'not set',
  });
  expect(Object.keys(prices as object)).toHaveLength(18);
});

test.each<[string, string, number, Uint8Array?]>([
  ['an unknown path', 'nope', 1],
  ['a path with a leading slash', '/accounts/nonce/x', 1],
  ['a path with a segment too many', 'asset/allowed_fee_assets/x', 1],
  ['a path that ends early', 'accounts/nonce', 1],
  ['the pattern of a path', 'accounts/nonce/{address}/x', 1],
  ['a very long path', 'x'.repeat(1_000), 1],
  ['a malformed address', 'accounts/balance/nope', 2],
  ['a malformed address of a nonce', 'accounts/nonce/nope', 2],
  ['a malformed asset id', 'asset/denom/zz', 2],
  ['an unknown asset', `asset/denom/${NTIA.id}`, 8],
  ['a body that does not decode', 'transaction/fee', 13, fromHex('ff')],
  ['a body without actions', 'transaction/fee', 13, encodeTransactionBody({ nonce: 0, chainId: 'x', actions: [] })],
  [
    'a fee asset that is not allowed',
    'transaction/fee',
    3,
    encodeTransactionBody({ nonce: 0, chainId: 'x', actions: [{ ...data('x'), feeAsset: NTIA }] }),
  ],
])('answers %s with its code', async (_, path, code, body) => {
  const result = await ask(await chain(), path, body);
  expect(result).toMatchObject({ code, key: new TextEncoder().encode(path), value: new Uint8Array() });
  expect([result.info, result.log]).not.toContain('');
});

test('a bridge whose asset has no name cannot be shown', async () => {
  const node = new TestNode();
  node.submit(bridge, initBridge({ asset: NTIA }));
  await node.make();
  expect(await ask(node, `bridge/account_info/${text(bridge)}`)).toMatchObject({ code: 3 });
});

test('answers about the latest height, by either name, and about no other', async () => {
  const node = await chain();
  node.submit(alice, lock(1n));
  await node.make();
  const path = `accounts/nonce/${text(alice)}`;
  expect([(await ask(node, path, undefined, 0n)).code, (await ask(node, path, undefined, 2n)).code]).toEqual([0, 0]);
  expect(await ask(node, path, undefined, 1n)).toMatchObject({
    code: 3,
    log: expect.stringContaining('asked for height 1, the latest is 2'),
  });
});

test('refuses before the first block', async () => {
  expect(await ask(new TestNode(), 'asset/allowed_fee_assets')).toMatchObject({
    code: 3,
    log: 'no block has been committed yet',
  });
});

test('takes the encoding that clients send', () => {
  const message = { height: 1n, nonce: 3, $typeName: 'astria.protocol.accounts.v1.NonceResponse' } as const;
  expect(toHex(toBinary(accounts.NonceResponseSchema, message))).toBe('10011803');
});
