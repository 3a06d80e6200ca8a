import { signText, signTransfer } from '@switchyard/messenger/testing';
import { localNetwork, messenger } from '@switchyard/network';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/network.ts';
import { ALICE, ASSET, ask, BOB, balanceOf, getAddress, getNonce, post } from '../support/submitting.ts';

/** A second rollup of another name on the same sequencer. */
const start = () => localNetwork({ rollups: [messenger(), messenger({ name: 'parlour' })], listen: { http: 0 } });
let network: Awaited<ReturnType<typeof start>>;
let firstUrl: string;
let secondUrl: string;

beforeAll(async () => {
  network = await start();
  firstUrl = network.urls.messenger?.http ?? '';
  secondUrl = network.urls.parlour?.http ?? '';
});

afterAll(() => network?.close());

test('two rollups share a sequencer and see nothing of each other', async () => {
  const chain = async (url: string) => (await ask(`${url}/v1/status`)).body.chainId;
  expect([await chain(firstUrl), await chain(secondUrl)]).toEqual(['messenger', 'parlour']);

  const text = { nonce: 0, chainId: 'messenger', text: 'only for the first', from: 'alice', feeAsset: ASSET };
  const { body: sent } = await post(`${firstUrl}/v1/transactions`, signText(text, ALICE));
  const transfer = { nonce: 0, chainId: 'parlour', to: getAddress(BOB), amount: 5n, asset: ASSET, feeAsset: ASSET };
  const { body: moved } = await post(`${secondUrl}/v1/transactions`, signTransfer(transfer, ALICE));
  for (const [url, hash] of [
    [firstUrl, sent.hash],
    [secondUrl, moved.hash],
  ]) {
    const { body } = await ask(`${url}/v1/transactions/${hash}?wait=executed`);
    expect(['executed', 'firm']).toContain(body.state);
  }

  const heights = async () =>
    Promise.all([firstUrl, secondUrl].map(async (url) => Number((await ask(`${url}/v1/status`)).body.sequencerHeight)));
  const [before = 0] = await heights();
  await until('both have gone on', async () =>
    (await heights()).every((height) => height > before) ? true : undefined,
  );

  const texts = async (url: string) =>
    (await ask(`${url}/recent`)).body.map(({ message }: { message: string }) => message);
  expect(await texts(firstUrl)).toEqual(['hello world', 'only for the first']);
  expect(await texts(secondUrl)).toEqual(['hello world']);
  expect(await balanceOf(firstUrl, BOB)).toBe(10n ** 17n);
  expect(await balanceOf(secondUrl, BOB)).toBe(10n ** 17n + 5n);
  expect([await getNonce(firstUrl, ALICE), await getNonce(secondUrl, ALICE)]).toEqual([1, 1]);
  expect((await ask(`${secondUrl}/v1/transactions/${sent.hash}`)).status).toBe(404);
});

test('a transaction for one rollup is refused by the other', async () => {
  const text = { nonce: 1, chainId: 'messenger', text: 'lost', from: 'alice', feeAsset: ASSET };
  const answer = await post(`${secondUrl}/v1/transactions`, signText(text, ALICE));
  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'wrong-chain' } } });
});
