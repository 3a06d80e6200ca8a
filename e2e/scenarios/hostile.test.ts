import { collectorClient, sequencerClient, submitAndWait } from '@switchyard/client';
import { signText, signTransfer } from '@switchyard/messenger/testing';
import { localNetwork, messenger } from '@switchyard/network';
import {
  type Action,
  parseAnyAddress,
  parseDenom,
  rollupIdFromName,
  type Signer,
  sha256,
  toHex,
  txHashOf,
} from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/network.ts';
import { ALICE, ASSET, ask, BOB, balanceOf, getAddress, getNonce, newSigner, post } from '../support/submitting.ts';

/** Bad input, at the intake and past it: one clear answer, nothing lost, nothing stops. */
const start = () => localNetwork({ rollups: [messenger()], listen: { http: 0, rpc: 0, collector: 0 } });
let network: Awaited<ReturnType<typeof start>>;
let url: string;
let collectorUrl: string;
let chainId: string;

beforeAll(async () => {
  network = await start();
  url = network.urls.messenger?.http ?? '';
  collectorUrl = network.urls.composer?.collector ?? '';
  chainId = (await ask(`${url}/v1/status`)).body.chainId;
});

afterAll(() => network?.close());

const text = (nonce: number, over: Partial<Parameters<typeof signText>[0]> = {}, signer = ALICE) =>
  signText({ nonce, chainId, text: 'hello', from: 'alice', feeAsset: ASSET, ...over }, signer);
const flipped = (bytes: Uint8Array, at: number) => bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
/** The body of a batch: each item behind its length, 4 bytes, big-endian. */
const framed = (items: readonly Uint8Array[]) =>
  Buffer.concat(items.flatMap((item) => [Buffer.from([0, 0, item.length >> 8, item.length & 255]), item]));
/** Field 3 of a transaction is its body; without the first two it is not signed. */
const unsigned = (bytes: Uint8Array) => bytes.slice(2 + 64 + 2 + 32);

describe('the intake', () => {
  test.each([
    ['no bytes', () => new Uint8Array(), 400, 'malformed|empty'],
    ['bytes that are no transaction', () => new Uint8Array([0xff, 0xff, 0xff]), 400, 'malformed'],
    ['a transaction without a signature', () => unsigned(text(0)), 400, 'malformed'],
    ['a wrong signature', () => flipped(text(0), 10), 400, 'bad-signature'],
    ['another chain', () => text(0, { chainId: 'elsewhere' }), 400, 'wrong-chain'],
    ['a nonce of the future', () => text(1_000), 409, 'nonce-too-high'],
    ['an account without money', () => text(0, {}, newSigner()), 422, 'insufficient-balance'],
    ['a fee in another asset', () => text(0, { feeAsset: 'ntia' }), 400, 'fee-asset-not-allowed'],
    ['more bytes than a transaction may have', () => new Uint8Array(20_000), 413, 'too-large'],
    ['more bytes than a body may have', () => new Uint8Array(9_000_000), 413, 'too-large'],
    [
      'an amount beyond all money',
      () =>
        signTransfer(
          { nonce: 0, chainId, to: getAddress(BOB), amount: 2n ** 128n - 1n, asset: ASSET, feeAsset: ASSET },
          ALICE,
        ),
      422,
      'insufficient-balance',
    ],
  ])('refuses %s', async (_what, bytes, status, code) => {
    const answer = await post(`${url}/v1/transactions`, bytes());
    expect(answer).toMatchObject({ status });
    expect(answer.body.error.code).toMatch(new RegExp(`^(${code})$`));
    expect(answer.body.error.message).toMatch(/^[^\n]+$/);
  });

  test.each([
    ['/get_account_nonce/no-account', 400],
    [`/get_account_balance/${getAddress(ALICE)}/a%2Fb`, 400],
    [`/get_account_balance/${getAddress(ALICE)}/ibc%2F${'ab'.repeat(32)}`, 200],
    ['/get_text_from_id/minus-one', 400],
    ['/get_text_from_id/99999', 404],
    ['/v1/transactions/abc', 400],
    [`/v1/transactions/${'ab'.repeat(32)}`, 404],
    ['/v1/texts?limit=0', 400],
    ['/nowhere', 404],
  ])('answers GET %s with %i and JSON', async (path, status) => {
    const answer = await ask(`${url}${path}`);
    expect(answer.status).toBe(status);
    expect(answer.body).toBeDefined();
  });

  test('takes out of a batch what is badly signed, and only that', async () => {
    const nonce = await getNonce(url, ALICE);
    const good = Array.from({ length: 39 }, (_, index) => text(nonce + index));
    const answer = await post(`${url}/v1/transactions:batch`, framed([...good, flipped(text(nonce + 39), 10)]));
    expect(answer.body).toMatchObject({ accepted: 39, refused: [{ index: 39, code: 'bad-signature' }] });
  });

  test('does not sign for anybody', async () => {
    const answer = await ask(`${url}/message`, { method: 'POST', body: '{"sender":"a","message":"b"}' });
    expect(answer.status).toBe(410);
  });
});

test('what is invalid in a block is skipped with its reason, and the rest of the block is executed', async () => {
  const collector = collectorClient({ url: collectorUrl });
  const rollup = rollupIdFromName('messenger');
  const nonce = await getNonce(url, ALICE);
  const before = await balanceOf(url, BOB);
  const poor = newSigner();
  const bad: readonly (readonly [string, Uint8Array, RegExp])[] = [
    ['garbage', new Uint8Array([1, 2, 3]), /malformed/],
    ['not signed', unsigned(text(nonce)), /malformed/],
    ['badly signed', flipped(text(nonce), 20), /bad.signature/],
    ['another chain', text(nonce, { chainId: 'elsewhere' }), /wrong.chain/],
    ['a nonce that is taken', text(nonce, { text: 'again' }), /nonce.too.low/],
    ['a nonce of the future', text(nonce + 900), /nonce.too.high/],
    ['no money', text(0, {}, poor), /insufficient.balance/],
  ];
  const good = signTransfer({ nonce, chainId, to: getAddress(BOB), amount: 7n, asset: ASSET, feeAsset: ASSET }, ALICE);
  const last = text(nonce + 1, { text: 'after the bad ones' });
  const refusals = await collector.submitBatch(rollup, [good, ...bad.map(([, bytes]) => bytes), last]);
  expect(refusals).toEqual([]);

  await until('the last one is executed', async () => {
    const { body } = await ask(`${url}/v1/transactions/${txHashOf(last)}`);
    return body.state === 'executed' || body.state === 'firm' ? true : undefined;
  });
  expect(await balanceOf(url, BOB)).toBe(before + 7n);
  for (const [what, bytes, reason] of bad) {
    const { body } = await ask(`${url}/v1/transactions/${toHex(sha256(bytes))}`);
    expect({ what, state: body.state, reason: body.reason ?? body.code }).toMatchObject({ what, state: 'refused' });
    expect(`${body.code} ${body.reason}`).toMatch(reason);
  }
});

test.each([
  ['nothing', new Uint8Array()],
  ['more than a bundle holds', new Uint8Array(2_000_000)],
])('the composer refuses %s at intake', async (_what, data) => {
  const collector = collectorClient({ url: collectorUrl, maxMessageBytes: 16_000_000 });
  const rollup = rollupIdFromName('messenger');
  await expect(collector.submit(rollup, data)).rejects.toMatchObject({ code: 3 });
  const ok = new Uint8Array([9, 9, Math.floor(Math.random() * 256)]);
  expect(await collector.submitBatch(rollup, [data, ok])).toMatchObject([{ index: 0 }]);
});

describe('deposits', () => {
  test('to an unreadable recipient, or from a bridge that is not configured, are recorded and skipped', async () => {
    const asset = parseDenom(network.asset);
    const sequencer = sequencerClient({ rpcUrl: network.urls.sequencer?.rpc ?? '' });
    const submit = (signer: Signer, action: Action) =>
      submitAndWait(sequencer, signer, { chainId: network.chainId, actions: [action] }, { pollMs: 10 });
    const [stranger, strangerBridge] = [newSigner(), newSigner()];
    const to = getAddress(stranger);
    const bridge = parseAnyAddress(getAddress(strangerBridge));
    try {
      await submit(ALICE, { kind: 'transfer', to: bridge, amount: 50n, asset, feeAsset: asset });
      const roles = { sudo: undefined, withdrawer: undefined };
      const rollup = rollupIdFromName('messenger');
      await submit(strangerBridge, { kind: 'initBridgeAccount', rollup, asset, feeAsset: asset, ...roles });
      await network.deposit({ rollup: 'messenger', to: 'nowhere', amount: 5n });
      const lock = { kind: 'bridgeLock', to: bridge, amount: 6n, asset, feeAsset: asset } as const;
      await submit(ALICE, { ...lock, destination: to });
      await network.deposit({ rollup: 'messenger', to, amount: 7n });
    } finally {
      sequencer.close();
    }
    await until('the good deposit arrives', async () => ((await balanceOf(url, stranger)) === 7n ? true : undefined));
    const { body } = await ask(`${url}/v1/deposits/skipped`);
    expect(JSON.stringify(body)).toContain('nowhere');
    expect(JSON.stringify(body)).toContain(getAddress(strangerBridge));
  });
});
