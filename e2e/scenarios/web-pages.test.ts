import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { askAs } from '@switchyard/service/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeViolations, FORMS, hasAxe } from '../support/axe.ts';
import { findBrowser, openPage, type Page } from '../support/browser.ts';
import { castText } from '../support/evm.ts';
import { createNetwork, type Network, PORTS, until } from '../support/network.ts';

/*
 * Web pages against a running network: no page of another origin, and none whose own name was pointed at this machine, can
 * drive a rollup or be paid, while the pages and wallets that are meant to work still do.
 */

const RECIPIENT = '0x00000000000000000000000000000000000000aa';
const EVIL = 'evil.example';
let network: Network;
/** Our own tool wrote it. */
let ready: Ready;

type Ready = {
  readonly services: readonly { readonly name: string; readonly listens: readonly { readonly url: string }[] }[];
};

beforeAll(async () => {
  network = await createNetwork({ init: ['--template', 'evm'], hasProcesses: false });
  ready = (await network.start()) as Ready;
});
afterAll(() => network?.dispose());

const claims = async () => {
  const history = await fetch(`${network.url('faucet')}/api/history`);
  return ((await history.json()) as { claims: readonly { address: string }[] }).claims.filter(
    ({ address }) => address.toLowerCase() === RECIPIENT,
  );
};

test('every listener refuses a request for a name that is not its own', async () => {
  const served = (Object.keys(PORTS) as (keyof typeof PORTS)[]).filter(
    (name) => !['execution', 'rollup', 'evmConductor', 'sequencerFaucet', 'messengerFaucet'].includes(name),
  );
  for (const name of served) {
    const headers = { host: `${EVIL}:80`, origin: `http://${EVIL}:80`, 'content-type': 'text/plain' };
    const answer = await askAs(network.url(name), { method: 'POST', headers, body: '{}' });
    expect([name, answer.status, answer.body]).toEqual([name, 403, expect.stringContaining('ALLOWED_HOSTS')]);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  }
});

describe.runIf(findBrowser() !== undefined)('a page in a browser', () => {
  let page: Page;
  let site: Server;
  let origin: string;

  beforeAll(async () => {
    site = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>prizes</p>'));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    page = await openPage(findBrowser() ?? '', [`--host-resolver-rules=MAP ${EVIL} 127.0.0.1`]);
  });
  afterAll(async () => {
    await page?.close();
    site?.close();
  });

  /** Answer that a script of the page gets: status and text, or that the browser gave it nothing. */
  const inPage = (url: string, init: RequestInit) =>
    page.evaluate(
      `fetch(${JSON.stringify(url)}, ${JSON.stringify(init)})
        .then(async (answer) => [answer.type, answer.status, await answer.text()], () => 'nothing')`,
    );

  // Defect: Page of another site could drive a rollup through its Execution API
  test('of another origin cannot drive the rollup', async () => {
    await page.open(origin);
    await page.sees(/prizes/);
    const method = `${network.url('evmExecution')}/astria.execution.v2.ExecutionService/CreateExecutionSession`;
    const before = BigInt(await castText(network, 'block-number'));
    for (const type of ['application/json', 'application/proto', 'application/grpc-web+proto']) {
      const init = { method: 'POST', headers: { 'content-type': type }, body: type.endsWith('json') ? '{}' : '' };
      expect(await inPage(method, init)).toBe('nothing');
    }
    // Needs no preflight, so it is sent; the page learns nothing of the answer, which `askAs` looks at.
    expect(await inPage(method, { method: 'POST', body: '{}' })).toBe('nothing');
    expect(await inPage(method, { method: 'POST', body: '{}', mode: 'no-cors' })).toEqual(['opaque', 0, '']);
    const simple = await askAs(method, {
      method: 'POST',
      headers: { origin, 'content-type': 'text/plain' },
      body: '{}',
    });
    expect(simple.status).toBe(403);
    // A second session would have ended the conductor's, and blocks with it.
    await until(
      'blocks continue',
      async () => BigInt(await castText(network, 'block-number')) > before + 1n || undefined,
    );
  });

  test('of another origin is not paid', async () => {
    const url = `${network.url('faucet')}/api/claim`;
    const body = JSON.stringify({ address: RECIPIENT });
    expect(await inPage(url, { method: 'POST', body })).toBe('nothing');
    expect(await inPage(url, { method: 'POST', body, mode: 'no-cors' })).toEqual(['opaque', 0, '']);
    expect(await inPage(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })).toBe(
      'nothing',
    );
    expect(await claims()).toEqual([]);
  });

  // Defect: DNS name that points to this machine gave a page access to every port
  test('of a name that points here reaches nothing, not even as its own page', async () => {
    await page.open(network.url('faucet').replace('127.0.0.1', EVIL));
    await page.sees(/is not a name of this service/);
    const headers = { host: `${EVIL}:80`, origin: `http://${EVIL}:80`, 'sec-fetch-site': 'same-origin' };
    const body = JSON.stringify({ address: RECIPIENT });
    expect((await askAs(`${network.url('faucet')}/api/claim`, { method: 'POST', headers, body })).status).toBe(403);
    expect(await claims()).toEqual([]);
  });

  test('of the faucet is paid, and a wallet of any page may call the EVM rollup', async () => {
    await page.open(origin);
    await page.sees(/prizes/);
    const call = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' };
    const answer = await inPage(network.url('evm'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(call),
    });
    expect(answer).toEqual(['cors', 200, expect.stringContaining('0x539')]);
    await page.open(network.url('faucet').replace('127.0.0.1', 'localhost'));
    await page.sees(/claim|address/i);
    const body = JSON.stringify({ address: RECIPIENT });
    expect(await inPage('/api/claim', { method: 'POST', body })).toEqual(['basic', 200, expect.anything()]);
    expect(await claims()).toHaveLength(1);
  });

  describe('the API reference', () => {
    const form = (call: string) => `document.querySelector('#${call} form')`;

    beforeAll(async () => {
      await page.open(`${network.url('explorer')}/docs`);
      await page.sees(/Explorer API[\s\S]*Try it/);
    });

    test('shows the answer of a call, and examples follow what is typed', async () => {
      await page.evaluate(`${form('getBlock')}.closest('details').open = true`);
      await page.evaluate(`${form('getBlock')}.elements.block.select(), ${form('getBlock')}.elements.block.focus()`);
      await page.type('1');
      await page.press('Enter');
      const shown = await page.sees(/200 OK, \d+ ms[\s\S]*"height": 1,/);
      expect(shown).toContain(`curl -s '${network.url('explorer')}/v1/blocks/1'`);
      await page.evaluate(`document.querySelector('#getBlock .sample:nth-child(2)').open = true`);
      expect(await page.text()).toContain('await call(sequencer.getBlock, { block: 1 });');
      await page.evaluate(`${form('getBlock')}.elements.block.value = '<b>', ${form('getBlock')}.requestSubmit()`);
      await page.sees(/400[\s\S]*"code": "malformed"/);
      expect(await page.evaluate(`document.querySelector('#getBlock .answer').children.length`)).toBe(0);
    });

    test('shows the events of a stream as they come, until it is stopped', async () => {
      await page.evaluate(
        `${form('streamHeads')}.closest('details').open = true, ${form('streamHeads')}.requestSubmit()`,
      );
      await page.sees(/event: heads/);
      await page.evaluate(`${form('streamHeads')}.querySelector('button[type=button]').click()`);
      await page.sees(/ms; stopped/);
    });

    test('leads to the document where there are no scripts', async () => {
      const text = await (await fetch(`${network.url('explorer')}/docs`)).text();
      expect(text).toMatch(/<noscript>.*href="\/v1\/openapi.json".*<\/noscript>/s);
    });

    test('is at most 100 kB, compressed', async () => {
      const sizes = `performance.getEntries().map(({ encodedBodySize, decodedBodySize }) => [encodedBodySize, decodedBodySize])`;
      const loaded = ((await page.evaluate(sizes)) as (readonly (number | undefined)[])[]).filter(
        ([size = 0]) => size > 0,
      );
      const [packed, whole] = [0, 1].map((at) => loaded.reduce((sum, each) => sum + (each[at] ?? 0), 0));
      expect(loaded.length).toBeGreaterThanOrEqual(3);
      expect(packed).toBeLessThan(100_000);
      expect(whole).toBeGreaterThan(2 * (packed ?? 0));
    });

    test.skipIf(!hasAxe()).each(FORMS)('axe finds nothing with all panels open: %s', async (_, width, dark) => {
      const url = ready.services.find(({ name }) => name === 'evm-withdrawer')?.listens[0]?.url;
      await page.resize(width, 844);
      await page.dark(dark);
      // The smallest of the pages: axe's time grows with them.
      await page.open(`${url}/docs`);
      await page.sees(/Withdrawer API[\s\S]*Try it/);
      await page.evaluate('document.querySelectorAll("main details").forEach((each) => { each.open = true; })');
      expect(await axeViolations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    });

    test('has the menu of the network, with the host by which the reader came', async () => {
      await page.open(`${network.url('explorer').replace('127.0.0.1', 'localhost')}/docs`);
      await page.sees(/Explorer API[\s\S]*Try it/);
      const links = await page.evaluate(
        `[...document.querySelectorAll('.menu a')].map(({ href }) => new URL(href).host)`,
      );
      expect(links).toContain(new URL(network.url('faucet')).host.replace('127.0.0.1', 'localhost'));
    });
  });
});
