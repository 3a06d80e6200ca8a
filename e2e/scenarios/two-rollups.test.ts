import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signText, signTransfer } from '@switchyard/messenger/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNetwork, freeOffset, type Network, PORTS, until } from '../support/network.ts';
import { ALICE, ASSET, addressOf, ask, BOB, balanceOf, nonceOf, post } from '../support/submitting.ts';

/** A second rollup of another name on the same sequencer, added to the instance by editing its files as a user would. */
let network: Network;
let secondUrl: string;

beforeAll(async () => {
  network = await createNetwork({ isBare: true, hasProcesses: false });
  const directory = join(network.home, network.instance);
  const offset = await freeOffset();
  const at = (port: number) => `127.0.0.1:${port + offset}`;
  secondUrl = `http://${at(PORTS.rollup)}`;
  appendFileSync(
    join(directory, 'networks-config.toml'),
    `
[networks.local.services.parlour]
name = "parlour"
version = "v0.1.0"
download_url = ""
local_path = "builtin:messenger"
args = []

[networks.local.services.parlour.env]
rest_addr = "${at(PORTS.rollup)}"
execution_grpc_addr = "${at(PORTS.execution)}"
metrics_http_listener_addr = "${at(9003)}"
db_filepath = "$SWITCHYARD_INSTANCE/data/parlour"
genesis_filepath = "$SWITCHYARD_INSTANCE/config/parlour_genesis.json"

[networks.local.services.parlour-conductor]
name = "parlour-conductor"
version = "v0.1.0"
download_url = ""
local_path = "builtin:conductor"
args = []

[networks.local.services.parlour-conductor.env]
svc_conductor_api_listen_addr = "${at(PORTS.conductor)}"
svc_conductor_metrics_http_listener_addr = "${at(9002)}"
svc_conductor_execution_rpc_url = "http://${at(PORTS.execution)}"
`,
  );
  const genesis = readFileSync(join(directory, 'config', 'rollup_genesis.json'), 'utf8');
  writeFileSync(join(directory, 'config', 'parlour_genesis.json'), genesis.replace('"messenger"', '"parlour"'));
  await network.start();
});

afterAll(() => network?.dispose());

test('two rollups share a sequencer and see nothing of each other', async () => {
  const firstUrl = network.url('rollup');
  const chain = async (url: string) => (await ask(`${url}/v1/status`)).body.chainId;
  expect([await chain(firstUrl), await chain(secondUrl)]).toEqual(['messenger', 'parlour']);

  const text = { nonce: 0, chainId: 'messenger', text: 'only for the first', from: 'alice', feeAsset: ASSET };
  const { body: sent } = await post(`${firstUrl}/v1/transactions`, signText(text, ALICE));
  const transfer = { nonce: 0, chainId: 'parlour', to: addressOf(BOB), amount: 5n, asset: ASSET, feeAsset: ASSET };
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
  expect([await nonceOf(firstUrl, ALICE), await nonceOf(secondUrl, ALICE)]).toEqual([1, 1]);
  expect((await ask(`${secondUrl}/v1/transactions/${sent.hash}`)).status).toBe(404);
});

test('a transaction for one rollup is refused by the other', async () => {
  const text = { nonce: 1, chainId: 'messenger', text: 'lost', from: 'alice', feeAsset: ASSET };
  const answer = await post(`${secondUrl}/v1/transactions`, signText(text, ALICE));
  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'wrong-chain' } } });
});
