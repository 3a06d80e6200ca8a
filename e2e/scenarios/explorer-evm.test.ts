import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Abi, createPublicClient, createWalletClient, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkViews, FORMS, hasAxe, type View } from '../support/axe.ts';
import { findBrowser, openPage, type Page } from '../support/browser.ts';
import { type Compiled, castText, compile, devAddress, devKey, getChain } from '../support/evm.ts';
import { attacksOn, HOSTILE_TEXTS, UNHARMED, watchAttacks } from '../support/hostile-texts.ts';
import { createNetwork, type Network, root, until } from '../support/network.ts';
import { type Answer, read } from '../support/submitting.ts';

/** An EVM rollup of a running network, as the explorer shows it. */
let network: Network;
let coin: Hex;
let art: Hex;
let things: Hex;
const compiled = new Map<string, Compiled>();

const ALICE_KEY = '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90';
const TOKENS = join(root, 'packages', 'explorer', 'testdata', 'tokens.sol');
const HOSTILE = join(root, 'packages', 'explorer', 'testdata', 'hostile.sol');

beforeAll(async () => {
  network = await createNetwork({ init: ['--template', 'evm'] });
  for (const name of ['Coin', 'Art', 'Things']) compiled.set(name, await compile(TOKENS, name));
  await network.start();
}, 180_000);
afterAll(() => network?.dispose());

const get = (path: string): Promise<Answer['body']> => read(`${network.url('explorer')}${path}`);
const api = (path: string) => get(`/v1/rollups/evm/evm${path}`);

async function all(path: string): Promise<Answer['body'][]> {
  const items = [];
  for (let cursor = ''; ; ) {
    const { items: more, next } = await api(`${path}?limit=100${cursor}`);
    items.push(...more);
    if (next === null) return items;
    cursor = `&cursor=${next}`;
  }
}

const clients = () => {
  const chain = getChain(network);
  const transport = http();
  return {
    node: createPublicClient({ chain, transport, pollingInterval: 50 }),
    wallet: (index: number) => createWalletClient({ chain, transport, account: privateKeyToAccount(devKey(index)) }),
  };
};

const getAbi = (name: string) => compiled.get(name)?.abi as Abi;

async function deploy(name: string, ...args: readonly unknown[]): Promise<Hex> {
  const { node, wallet } = clients();
  const bytecode = compiled.get(name)?.bytecode ?? '0x';
  const hash = await wallet(0).deployContract({ abi: getAbi(name), bytecode, args: [...args] });
  const { contractAddress } = await node.waitForTransactionReceipt({ hash });
  return contractAddress ?? expect.fail('nothing was created');
}

async function call(
  account: number,
  address: Hex,
  name: string,
  functionName: string,
  args: readonly unknown[],
  value = 0n,
) {
  const { node, wallet } = clients();
  const request = { address, abi: getAbi(name), functionName, args: [...args], value, gas: 500_000n };
  const hash = await wallet(account).writeContract(request);
  await node.waitForTransactionReceipt({ hash });
  return hash;
}

/** Waits until the explorer has the node's newest block. */
async function indexed(): Promise<number> {
  const newest = Number(await clients().node.getBlockNumber());
  const look = async () => {
    const { rollups } = await get('/v1/status');
    return rollups[0]?.number >= newest ? newest : undefined;
  };
  // On a busy machine it leaves the processor to others while it fills its index.
  return until('the explorer has all blocks', look, 120_000, 100);
}

test('deployed tokens of three standards have their transfers, holders and items', async () => {
  coin = await deploy('Coin', 1_000n);
  art = await deploy('Art');
  things = await deploy('Things');
  await call(0, coin, 'Coin', 'transfer', [devAddress(1), 300n]);
  await call(0, art, 'Art', 'move', [devAddress(2), 7n]);
  const batch = await call(0, things, 'Things', 'mint', [devAddress(1), [1n, 2n], [10n, 20n]]);
  await indexed();
  const token = (address: Hex) =>
    until('the token is described', async () => {
      const found = await api(`/tokens/${address}`);
      return found.supply === null && found.kind === 'erc20' ? undefined : found;
    });
  expect(await token(coin)).toMatchObject({ kind: 'erc20', symbol: 'CO', supply: '1000', holders: 2, isExact: true });
  expect((await api(`/tokens/${coin}/holders`)).items).toEqual([
    { address: devAddress(0), balance: '700' },
    { address: devAddress(1), balance: '300' },
  ]);
  expect((await api(`/tokens/${art}/items`)).items).toEqual([{ id: '7', owner: devAddress(2), amount: '1' }]);
  expect((await api(`/transactions/${batch}`)).tokenTransfers).toMatchObject([
    { id: '1', amount: '10', to: devAddress(1), token: { kind: 'erc1155' } },
    { id: '2', amount: '20' },
  ]);
  expect((await api('/tokens')).items).toHaveLength(3);
});

test('a transaction leads to its trace through the sequencer, and what it called is shown', async () => {
  const heir = '0x00000000000000000000000000000000c0ffee00';
  const hash = await call(1, coin, 'Coin', 'pay', [heir], 5n);
  await indexed();
  const shown = await api(`/transactions/${hash}`);
  expect(shown).toMatchObject({ status: 1, value: '5', method: null, internalCalls: 1 });
  const trace = await until('the sequencer block is in the index', async () => {
    const { submissions } = await get(`/v1/trace/${shown.submission}`);
    return submissions[0]?.execution === null ? undefined : submissions[0];
  });
  expect(trace).toMatchObject({ name: 'evm', state: expect.stringMatching(/^(executed|firm)$/) });
  expect(trace.execution.block).toBe(shown.block);
  const block = await api(`/blocks/${shown.block}`);
  expect([block.sequencerHeight, block.sequencerBlockHash]).toEqual([
    trace.sequencer.height,
    `0x${trace.sequencer.hash}`,
  ]);
  expect((await api(`/transactions/${hash}/internal`)).items).toMatchObject([{ type: 'CALL', value: '5', depth: 1 }]);
  expect(await api(`/addresses/${heir}`)).toMatchObject({ balance: '5', internalCalls: 1, isContract: false });
  const { points } = await api(`/addresses/${devAddress(1)}/history`);
  expect(points.at(-1)).toMatchObject({ block: shown.block, nonce: 1 });
});

test('deposits are shown with what became of them, and refused entries are refused', async () => {
  const before = BigInt(await castText(network, 'balance', devAddress(3)));
  const deposit = await network.switchyard(
    'evm',
    'deposit',
    devAddress(3),
    '--amount',
    '2',
    '--instance',
    network.instance,
    '--json',
  );
  expect(deposit).toMatchObject({ status: 0 });
  const { stdout } = await network.switchyard('dev', 'accounts', '--instance', network.instance, '--json');
  const { accounts } = JSON.parse(stdout) as { accounts: { address: string; bridge?: unknown }[] };
  const bridge = accounts.find((each) => each.bridge !== undefined)?.address ?? expect.fail('no bridge account');
  const lock = ['bridge-lock', bridge, '--amount', '1', '--destination-chain-address', 'nowhere'];
  const refused = await network.switchyard('sequencer', ...lock, '--private-key', ALICE_KEY);
  expect(refused).toMatchObject({ status: 0 });
  const items = await until('both deposits are executed', async () => {
    const { items: found } = await get('/v1/rollups/evm/deposits');
    return found.length === 2 && found.every(({ state }: { state: string }) => state !== 'sequenced')
      ? found
      : undefined;
  });
  expect(items).toMatchObject([
    { state: 'refused', destination: 'nowhere', reason: expect.stringContaining('not an address') },
    { state: 'credited', amount: '2', reason: null },
  ]);
  await indexed();
  expect((await api(`/addresses/${devAddress(3)}/deposits`)).items).toMatchObject([{ amount: String(2n * 10n ** 9n) }]);
  expect((await api(`/addresses/${devAddress(3)}`)).balance).toBe(String(before + 2n * 10n ** 9n));
});

const browser = findBrowser();
describe.runIf(browser !== undefined && hasAxe())('the page', () => {
  let page: Page;
  let hash: string;
  let block: number;
  beforeAll(async () => {
    page = await openPage(browser ?? '');
    const { items } = await api('/transactions');
    ({ hash, block } = items.find(({ to }: { to: string | null }) => to === coin) ?? items[0]);
    await page.open(network.url('explorer'));
  });
  afterAll(() => page?.close());

  const views = (): readonly View[] => {
    const base = '/rollups/evm/evm';
    return [
      ['overview', '/rollups/evm', /Base fee[\s\S]*Tokens/],
      ['transactions', `${base}/transactions`, /Hash\s+Method\s+Block/],
      ['transaction', `${base}/transactions/${hash}`, /called \w+ of[\s\S]*Way through evm/],
      ['block', `${base}/blocks/${block}`, /Base fee/],
      ['account', `${base}/addresses/${devAddress(1)}`, /Last seen/],
      ['contract', `${base}/addresses/${coin}`, /Creator|Created|Token/],
      ['tokens', `${base}/tokens`, /Standard\s+Holders/],
      ['token', `${base}/tokens/${coin}`, /First transfer\s/],
      ['holders', `${base}/tokens/${coin}/holders`, /Share/],
      ['items', `${base}/tokens/${art}/items`, /Owner/],
      ['absent', `${base}/transactions/0x${'00'.repeat(32)}`, /No such transaction/],
    ];
  };

  test.each(FORMS)('axe finds nothing on any view, and nothing is wider than the window: %s', async (...form) => {
    const directory = process.env.SWITCHYARD_SCREENSHOTS;
    await checkViews(page, views(), form, async (name) => {
      if (directory !== undefined) await page.screenshot(join(directory, `explorer-evm-${name}.png`));
    });
  });
});

describe.runIf(browser !== undefined)('the page of an address', () => {
  test('survives a restart of the node while it is open', { timeout: 120_000 }, async () => {
    const page = await openPage(browser ?? '');
    try {
      const to = '0x00000000000000000000000000000000000000a7';
      const { node, wallet } = clients();
      const pay = async () => {
        const hash = await until('the node takes it', () => wallet(4).sendTransaction({ to, value: 1n }), 60_000);
        return node.waitForTransactionReceipt({ hash });
      };
      await pay();
      await indexed();
      await page.open(`${network.url('explorer')}/#/rollups/evm/evm/addresses/${to}`);
      await page.sees(/Last seen/);
      process.kill(await network.pid('evm'), 'SIGKILL');
      const { blockNumber } = await pay();
      // Without being loaded again.
      await page.sees(new RegExp(`Last seen\\s+block\\s+${blockNumber}`));
      // Parts that asked while the node was away ask again.
      const isWhole = async () => !/does not answer/.test(await page.text()) || undefined;
      await until('no part shows that the node does not answer', isWhole);
    } finally {
      await page.close();
    }
  });
});

describe.runIf(browser !== undefined)('the pages of what strangers deployed', () => {
  const LONG = 'aNameThatIsLongerThanAnyLineOfAPageAndHasNoPlaceWhereItCouldBeBrokenAsAllOfItIsOneWord';
  const base = '/rollups/evm/evm';
  let page: Page;
  let hostile: Hex;
  let shouted: Hex;
  const refusals: Hex[] = [];

  /** Has its sources verified, from a file whose name is hostile too. */
  async function verify(): Promise<void> {
    const [compiler] = (await get('/v1/evm/compilers')).items;
    const content = readFileSync(HOSTILE, 'utf8');
    const sources = { '<img src=x onerror="window.attacked = 24">\u202e.sol': { content } };
    const input = { language: 'Solidity', sources, settings: { evmVersion: 'cancun', optimizer: { enabled: true } } };
    const answer = await fetch(`${network.url('explorer')}/v1${base}/contracts/${hostile}/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ compiler, contract: 'Hostile', input }),
    });
    expect([answer.status, await answer.text()]).toEqual([202, expect.any(String)]);
    await until('it is verified', async () => (await api(`/contracts/${hostile}`)).verification ?? undefined, 60_000);
  }

  beforeAll(async () => {
    compiled.set('Hostile', await compile(HOSTILE, 'Hostile'));
    hostile = await deploy('Hostile', HOSTILE_TEXTS);
    const { node, wallet } = clients();
    const send = async (functionName: string, argument: unknown) => {
      const request = { address: hostile, abi: getAbi('Hostile'), functionName, args: [argument], gas: 1_000_000n };
      return wallet(1).writeContract(request);
    };
    shouted = await send('say', HOSTILE_TEXTS);
    for (const text of HOSTILE_TEXTS)
      for (const name of ['refuse', 'refuseByName']) refusals.push(await send(name, text));
    for (const hash of refusals) await node.waitForTransactionReceipt({ hash });
    await indexed();
    await verify();
    page = await openPage(browser ?? '');
    await watchAttacks(page);
    await page.open(network.url('explorer'));
  }, 180_000);
  afterAll(() => page?.close());

  /** Looks at a page in two widths: nothing ran, nothing sticks out to the side, and no text takes the page for itself. */
  async function unharmed(path: string, shows: RegExp): Promise<void> {
    await page.evaluate(`location.hash = ${JSON.stringify(`#${path}`)}`);
    for (const width of [390, 1_200]) {
      await page.resize(width, 900);
      await page.sees(shows);
      expect([path, width, await attacksOn(page)]).toEqual([path, width, UNHARMED]);
      const tall = `[...document.querySelectorAll("main :is(h1, h3, td, bdi, .reason, output, .decoded > code)")]
        .filter((each) => each.getBoundingClientRect().height > 600)
        .map((each) => each.tagName + ' ' + each.className + ' ' + each.innerText.slice(0, 40))`;
      expect([path, width, await page.evaluate(tall)]).toEqual([path, width, []]);
      expect(await page.text()).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u061c\u200b\ufeff\u2060\u00ad]/);
    }
  }

  test('names and symbols of tokens', { timeout: 120_000 }, async () => {
    const tokens = await until('all of them are described', async () => {
      const items = (await all('/tokens')).filter(({ kind, symbol }) => kind === 'erc20' && symbol !== null);
      return items.length >= HOSTILE_TEXTS.length ? items : undefined;
    });
    await unharmed(`${base}/tokens`, /lines\\u\{a\}/);
    await page.sees(/mixed \u0430lice ⚠ name of mixed scripts/);
    await unharmed(`${base}/addresses/${devAddress(0)}`, /Last seen/);
    for (const { address, symbol } of tokens) {
      const [word] = /^\w+/.exec(symbol) ?? [''];
      await unharmed(`${base}/tokens/${address}`, new RegExp(`${word}[\\s\\S]*First transfer`));
      const directory = process.env.SWITCHYARD_SCREENSHOTS;
      if (directory !== undefined) await page.screenshot(join(directory, `explorer-evm-hostile-${word}.png`));
    }
  });

  // Defect: reasons, events and arguments of EVM transactions filled pages, and marks piled on letters left their place
  test('arguments, events and reasons of failures', { timeout: 120_000 }, async () => {
    await unharmed(`${base}/transactions/${shouted}`, /Reported\(string\)[\s\S]*lines\\u\{a\}/);
    for (const hash of refusals)
      await unharmed(`${base}/transactions/${hash}`, new RegExp(`${hash}[\\s\\S]*Reverted with`));
    await unharmed(`${base}/addresses/${hostile}`, /Last seen/);
  });

  test('sources, names and results of a verified contract', { timeout: 120_000 }, async () => {
    const path = `${base}/addresses/${hostile}/contract`;
    await unharmed(path, new RegExp(`<script>window.attacked = 21[\\s\\S]*${LONG}`));
    await page.evaluate('document.querySelectorAll("details").forEach((each) => { each.open = true; })');
    await unharmed(path, new RegExp(LONG));
    await page.evaluate(`location.hash = '#${path}/read'`);
    await page.sees(/failing[\s\S]*repeated/);
    for (const [at, text] of HOSTILE_TEXTS.entries())
      for (const name of ['repeated', 'failing']) {
        const [word] = /^\w+/.exec(text) ?? [''];
        // Halves of surrogate pairs are refused by the form.
        const given = JSON.stringify([Buffer.from(text).toString()]);
        await page.evaluate(`(() => {
          const form = document.querySelector('form[aria-label^="Read ${name}"]');
          const input = form.querySelector('input');
          Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, ${JSON.stringify(given)});
          form.requestSubmit();
        })()`);
        const outcome = `document.querySelector('form[aria-label^="Read ${name}"] output')?.innerText ?? ''`;
        const answered = new RegExp(`${name === 'failing' ? 'Reverted: ' : ''}.*${word}`);
        await until(
          `${name} ${at} answers`,
          async () => answered.test(String(await page.evaluate(outcome))) || undefined,
        );
        await unharmed(`${path}/read`, answered);
      }
  });
});

/** Compares the index with the node's answers: every block and transaction, and every holder of the coin. */
async function mustEqualChain(): Promise<void> {
  const { node } = clients();
  const newest = await indexed();
  const blocks = (await all('/blocks')).filter(({ number }) => number <= newest).reverse();
  expect(blocks.map(({ number }) => number)).toEqual(Array.from({ length: newest }, (_, index) => index + 1));
  const transactions = (await all('/transactions')).filter(({ block }) => block <= newest).reverse();
  const expected = [];
  for (const { number, hash } of blocks) {
    const block = await node.getBlock({ blockNumber: BigInt(number) });
    expect(block.hash).toBe(hash);
    expected.push(...block.transactions);
  }
  expect(transactions.map(({ hash }) => hash)).toEqual(expected);
  const holders = await all(`/tokens/${coin}/holders`);
  for (const { address, balance } of holders) {
    const held = await node.readContract({
      address: coin,
      abi: getAbi('Coin'),
      functionName: 'balanceOf',
      args: [address],
    });
    expect([address, balance]).toEqual([address, String(held)]);
  }
}

test('killed again and again while tokens move, its index equals the chain', { timeout: 180_000 }, async () => {
  let isOver = false;
  const moving = (async () => {
    for (let number = 0; !isOver; number += 1)
      await call(0, coin, 'Coin', 'transfer', [devAddress(1 + (number % 4)), 1n]);
  })();
  const pids = new Set<number>();
  for (let kill = 0; kill < 3; kill += 1) {
    const pid = await until('another explorer runs', async () => {
      const now = await network.pid('explorer');
      return pids.has(now) ? undefined : now;
    });
    pids.add(pid);
    await until('it reads blocks', async () => ((await get('/v1/status')).rollups[0]?.number > 0 ? true : undefined));
    process.kill(pid, 'SIGKILL');
  }
  isOver = true;
  await moving;
  await mustEqualChain();
});

test('an index that is deleted is filled again, with the same contents', { timeout: 180_000 }, async () => {
  const newest = await indexed();
  const contents = async () => {
    const transactions = (await all('/transactions')).filter(({ block }) => block <= newest);
    const holders = await all(`/tokens/${coin}/holders`);
    const { items } = await api(`/tokens/${things}/items`);
    return { transactions, holders, items };
  };
  const before = await contents();
  await network.stop();
  // Sources of verified contracts are next to it, cannot be made again from the chain, and give methods their names.
  const index = join(network.home, network.instance, 'data', 'explorer', 'index.db');
  rmSync(index);
  for (const end of ['-wal', '-shm']) rmSync(`${index}${end}`, { force: true });
  await network.start();
  await mustEqualChain();
  expect(await contents()).toEqual(before);
});
