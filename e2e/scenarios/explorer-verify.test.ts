import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { evmClient, readWithdrawals, WITHDRAWER_ADDRESS } from '@switchyard/evm/client';
import solc from 'solc';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, hasAxe } from '../support/axe.ts';
import { findBrowser, openPage, type Page } from '../support/browser.ts';
import { castText, compiler, contracts, devAddress, devKey } from '../support/evm.ts';
import { hardhatThree, hardhatThreeIsThere } from '../support/hardhat-three.ts';
import { injectWallet } from '../support/injected-wallet.ts';
import { createNetwork, type Network, root, run, until } from '../support/network.ts';
import { ask, read } from '../support/submitting.ts';
import { tool } from '../support/tools.ts';

/** The plugin of Hardhat 3 verifies nothing on the chains 1337 and 31337. */
const CHAIN_ID = 7_331;

/** A token is deployed with forge, verified by it, and read and written in the page, with users' tools. */
let network: Network;
let token: string;

const VERSION = String(solc.version()).replace('.Emscripten.clang', '');
const source = readFileSync(join(contracts, 'src', 'Token.sol'), 'utf8');

const project = () => join(network.home, 'project');
const explorer = (path: string) => `${network.url('explorer')}${path}`;
/** Runs the real `forge` in a project with the token. @throws {Error} if it fails. */
async function forge(command: string, ...args: string[]): Promise<string> {
  const env = { HOME: network.home, ...(command !== 'create' && { FOUNDRY_CACHE_PATH: 'none' }) };
  const common = ['--root', project(), '--use', compiler, '--rpc-url', network.url('evm')];
  const { status, stdout, stderr } = await run(tool('forge'), [command, ...common, ...args], env);
  if (status !== 0) throw new Error(`forge ${command}: ${stderr}${stdout}`);
  return stdout;
}

/** The project, and what forge would download: the compiler in its cache. */
function prepareForge(): void {
  cpSync(join(contracts, 'src'), join(project(), 'src'), { recursive: true });
  const settings = readFileSync(join(contracts, 'foundry.toml'), 'utf8');
  const etherscan = `[etherscan]\nswitchyard = { key = "any", chain = ${CHAIN_ID}, url = "${explorer('/api')}" }\n`;
  writeFileSync(join(project(), 'foundry.toml'), `${settings}\n${etherscan}`);
  const [number = ''] = VERSION.split('+');
  mkdirSync(join(network.home, '.svm', number), { recursive: true });
  symlinkSync(compiler, join(network.home, '.svm', number, `solc-${number}`));
}

async function deployToken(): Promise<string> {
  const printed = await forge(
    ...(['create', '--private-key', devKey(2), '--broadcast', 'src/Token.sol:Token'] as const),
    ...['--constructor-args', 'Coin', 'CN', '1000'],
  );
  return /Deployed to: (0x[0-9a-fA-F]{40})/.exec(printed)?.[1] ?? '';
}

const verifyToken = (address: string, ...verifier: string[]) =>
  forge(
    'verify-contract',
    ...[address, 'src/Token.sol:Token', '--watch', '--delay', '1', '--retries', '60'],
    ...['--compiler-version', VERSION, '--constructor-args', constructorArguments(), ...verifier],
  );

/** `Coin`, `CN`, 1000. */
const constructorArguments = () => encoded.trim();
let encoded: string;

const api = (path: string) => read(explorer(`/v1/rollups/evm/evm${path}`));

beforeAll(async () => {
  network = await createNetwork({ init: ['--template', 'evm'], hasProcesses: false });
  const genesis = join(network.home, network.instance, 'config', 'evm_genesis.json');
  writeFileSync(genesis, readFileSync(genesis, 'utf8').replace('"chainId": 1337', `"chainId": ${CHAIN_ID}`));
  await network.start();
  prepareForge();
  encoded = await castText(network, 'abi-encode', 'f(string,string,uint256)', 'Coin', 'CN', '1000');
  token = await deployToken();
  await until('the explorer follows the rollup', async () => (await api('/blocks')).items.length > 0 || undefined);
}, 300_000);
afterAll(() => network?.dispose());

test('forge verify-contract with the verifier blockscout makes a full match', { timeout: 300_000 }, async () => {
  expect(await api(`/contracts/${token}`)).toMatchObject({ verification: null });
  const verified = await verifyToken(token, '--verifier', 'blockscout', '--verifier-url', explorer('/api?'));
  expect(verified).toMatch(/successfully verified/i);
  const { verification } = await api(`/contracts/${token}`);
  expect(verification).toMatchObject({
    match: 'full',
    name: 'Token',
    compiler: VERSION,
    sources: { 'src/Token.sol': source },
    constructorValues: [{ value: 'Coin' }, { value: 'CN' }, { value: '1000' }],
  });
  const again = await verifyToken(token, '--verifier', 'blockscout', '--verifier-url', explorer('/api?'));
  expect(again).toMatch(/already verified/i);
});

test('forge verify-contract with the verifier etherscan works as well', { timeout: 300_000 }, async () => {
  const other = await deployToken();
  expect(await verifyToken(other, '--verifier', 'etherscan', '--verifier-url', explorer('/api'))).toMatch(
    /successfully verified/i,
  );
  expect(await api(`/contracts/${other}`)).toMatchObject({ verification: { match: 'full' } });
});

const hardhatFiles = join(root, 'e2e', 'hardhat');
const hardhatProgram = join(hardhatFiles, 'node_modules', 'hardhat', 'internal', 'cli', 'bootstrap.js');

const hardhatProject = () => join(network.home, 'hardhat');

/** Hardhat wants sources and its own packages below the project. */
function prepareHardhat(): void {
  cpSync(join(contracts, 'src'), join(hardhatProject(), 'contracts'), { recursive: true });
  for (const file of ['package.json', 'hardhat.config.cjs', 'deploy.cjs'])
    cpSync(join(hardhatFiles, file), join(hardhatProject(), file));
  symlinkSync(join(hardhatFiles, 'node_modules'), join(hardhatProject(), 'node_modules'));
}

/** Runs the real `hardhat` in its project. @throws {Error} if it fails. */
async function hardhat(...args: string[]): Promise<string> {
  const env = {
    ...{ HOME: network.home, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' },
    ...{ EVM_URL: network.url('evm'), CHAIN_ID: String(CHAIN_ID), EXPLORER_URL: explorer(''), DEPLOYER_KEY: devKey(1) },
    ...{ SOLJSON: join(root, 'node_modules', 'solc', 'soljson.js'), SOLC_VERSION: VERSION },
    CONSTRUCTOR_ARGUMENTS: constructorArguments(),
  };
  const { status, stdout, stderr } = await run(process.execPath, [hardhatProgram, ...args], env, hardhatProject());
  if (status !== 0) throw new Error(`hardhat ${args[0]}: ${stderr}${stdout}`);
  return stdout;
}

test.skipIf(!existsSync(hardhatProgram))('hardhat verify makes a full match', { timeout: 300_000 }, async () => {
  prepareHardhat();
  const printed = await hardhat('run', 'deploy.cjs', '--network', 'switchyard');
  const address = /deployed (0x[0-9a-fA-F]{40})/.exec(printed)?.[1] ?? '';
  const verified = await hardhat('verify', '--network', 'switchyard', address, 'Coin', 'CN', '1000');
  expect(verified).toMatch(/Successfully verified contract Token/);
  expect(await api(`/contracts/${address}`)).toMatchObject({ verification: { match: 'full', name: 'Token' } });
});

test.skipIf(!hardhatThreeIsThere())('Hardhat 3 verifies what Ignition has deployed', { timeout: 300_000 }, async () => {
  const hardhat = hardhatThree(network.home, {
    ...{ EVM_URL: network.url('evm'), CHAIN_ID: String(CHAIN_ID) },
    ...{ EXPLORER_URL: explorer(''), DEPLOYER_KEY: devKey(4) },
  });
  const deployed = await hardhat.printed('ignition', 'deploy', '--network', 'switchyard', 'ignition/modules/token.js');
  const [, address = ''] = /First - (0x\w{40})/.exec(deployed) ?? [];
  const printed = await hardhat.printed('verify', '--network', 'switchyard', address, 'Coin', 'CN', '1000');
  // The plugin asks both APIs, and the second one knows the contract by then.
  expect(printed).toMatch(/Contract verified successfully on Etherscan[\s\S]*already been verified on Blockscout/);
  expect(await api(`/contracts/${address}`)).toMatchObject({ verification: { match: 'full', name: 'Token' } });
});

test('a client of Etherscan reads source and ABI', { timeout: 120_000 }, async () => {
  const { body } = await ask(explorer(`/api?module=contract&action=getabi&address=${token}`));
  expect(JSON.parse(body.result).map(({ name }: { name?: string }) => name)).toContain('NotEnough');
  const shown = await run(tool('cast'), [
    ...['source', token, '--explorer-api-url', explorer('/api'), '--explorer-url', explorer(''), '-e', 'any'],
  ]);
  expect(shown).toMatchObject({ status: 0, stdout: expect.stringContaining('contract Token {') });
});

test('calls, events and reverts of the verified contract are decoded', { timeout: 120_000 }, async () => {
  const from = ['--private-key', devKey(2)];
  const sent = await castText(
    network,
    'send',
    token,
    'transfer(address,uint256)',
    devAddress(3),
    '40',
    ...from,
    '--json',
  );
  const { transactionHash } = JSON.parse(sent);
  const found = await until('the transfer is in the index', () => api(`/transactions/${transactionHash}`));
  expect(found.call).toMatchObject({
    signature: 'transfer(address,uint256)',
    arguments: [
      { name: 'to', value: devAddress(3) },
      { name: 'value', value: '40' },
    ],
  });
  expect(found.logs).toMatchObject([
    { event: { name: 'Transfer', arguments: [{}, {}, { name: 'value', value: '40' }] } },
  ]);
  const tooMuch = await castText(
    network,
    ...['send', token, 'transfer(address,uint256)', devAddress(3), '5000', ...from, '--gas-limit', '100000', '--json'],
  );
  const failed = await until('the failure is in the index', () =>
    api(`/transactions/${JSON.parse(tooMuch).transactionHash}`),
  );
  expect(failed).toMatchObject({ status: 0 });
  expect(JSON.stringify(failed.revertReason)).toMatch(/NotEnough.*960.*5000/);
});

test('an upload of 50 MB is refused, and the explorer answers others', { timeout: 120_000 }, async () => {
  const body = new Uint8Array(50_000_000).fill(0x20);
  for (const path of ['/api', `/v1/rollups/evm/evm/contracts/${token}/verify`]) {
    const answer = await fetch(explorer(path), { method: 'POST', body }).catch((error: unknown) => error);
    // A sender that does not look for the answer while it sends finds the connection closed.
    if (answer instanceof Response) expect(answer.status).toBe(413);
  }
  expect((await ask(explorer('/v1/status'))).status).toBe(200);
});

const browser = findBrowser();

/** The forms for the functions of a contract's page. */
function makeForms(page: Page) {
  return {
    /** Opens the tab with the forms that read, or that write. */
    open: async (tab: 'read' | 'write', shows: RegExp) => {
      await page.evaluate(`document.querySelector('.tabs [href$="/contract/${tab}"]').click()`);
      await page.sees(shows);
    },
    /** Fills the form of a function and sends it. */
    call: (name: string, ...values: string[]) =>
      page.evaluate(`(() => {
        const form = document.querySelector('form[aria-label^=${JSON.stringify(name)}]');
        const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
        const values = ${JSON.stringify(values)};
        [...form.querySelectorAll('input')].forEach((input, at) => {
          set.call(input, values[at] ?? '');
          input.dispatchEvent(new Event('input', { bubbles: true }));
        });
        form.requestSubmit();
      })()`),
    outcome: (name: string) =>
      page.evaluate(`document.querySelector('form[aria-label^=${JSON.stringify(name)}] output')?.innerText`),
  };
}

test.skipIf(browser === undefined)(
  'a contract is read and written in the page, by a wallet that does not know the chain',
  { timeout: 300_000 },
  async () => {
    const page = await openPage(browser ?? '');
    const wallet = await injectWallet(page, network, devKey(2));
    const shot = (name: string) => {
      const directory = process.env.SWITCHYARD_SCREENSHOTS;
      return directory === undefined ? undefined : page.screenshot(join(directory, `explorer-contract-${name}.png`));
    };
    const { open, call, outcome } = makeForms(page);
    try {
      await page.open(`${explorer('')}/#/rollups/evm/evm/addresses/${token}/contract`);
      await page.sees(/full match/, 60_000);
      await page.sees(/An ERC-20 token whose maker holds all of it in the beginning\./);
      await shot('page');

      await open('read', /balanceOf/);
      await call('Read balanceOf', devAddress(3));
      await until('the balance is shown', async () => (await outcome('Read balanceOf')) === '40' || undefined);
      await call('Read balanceOf', 'here');
      await until(
        'the mistake is named',
        async () =>
          /expected 0x and 40 hex digits, got "here"/.test(String(await outcome('Read balanceOf'))) || undefined,
      );

      await open('write', /Test <b>Wallet<\/b>/);
      expect(await page.evaluate('document.querySelectorAll("main select b").length')).toBe(0);
      await call('Write transfer(', devAddress(4), '7');
      await until(
        'the transfer is executed',
        async () => /Executed in block \d+/.test(String(await outcome('Write transfer('))) || undefined,
        60_000,
      );
      expect(wallet.seen.map(({ method }) => method)).toEqual([
        ...[
          'eth_requestAccounts',
          'eth_chainId',
          'wallet_switchEthereumChain',
          'wallet_addEthereumChain',
          'eth_chainId',
        ],
        'eth_sendTransaction',
      ]);
      expect(wallet.seen.find(({ method }) => method === 'wallet_addEthereumChain')?.params).toMatchObject([
        { chainId: '0x1ca3', chainName: 'evm', rpcUrls: [network.url('evm')], blockExplorerUrls: [explorer('/evm')] },
      ]);
      await open('read', /balanceOf/);
      await call('Read balanceOf', devAddress(4));
      await until('the new balance is shown', async () => (await outcome('Read balanceOf')) === '7' || undefined);

      await page.evaluate('document.querySelectorAll("details").forEach((each) => { each.open = true; })');
      if (hasAxe()) expect(await axeViolations(page)).toEqual([]);
      await page.resize(390, 844);
      await page.dark(true);
      const widths = await page.evaluate('[document.documentElement.scrollWidth, innerWidth]');
      expect(widths).toEqual([390, 390]);
      if (hasAxe()) expect(await axeViolations(page)).toEqual([]);
      await shot('phone');
    } finally {
      await wallet.close();
      await page.close();
    }
  },
);

// Defect: a contract could be verified by tools alone
test.skipIf(browser === undefined)(
  'a contract is verified by the form in its page, which has its functions at once',
  { timeout: 120_000 },
  async () => {
    const page = await openPage(browser ?? '');
    const address = await deployToken();
    const fill = (id: string, value: string) =>
      page.evaluate(`(() => {
        const field = document.querySelector(${JSON.stringify(`form[aria-label="Verify the contract"] [name=${id}]`)});
        const set = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set;
        set.call(field, ${JSON.stringify(value)});
        field.dispatchEvent(new Event('input', { bubbles: true }));
      })()`);
    const submit = () =>
      page.evaluate(`document.querySelector('form[aria-label="Verify the contract"]').requestSubmit()`);
    try {
      await page.open(`${explorer('')}/#/rollups/evm/evm/addresses/${address}/contract`);
      await page.sees(/not verified[\s\S]*--verifier-url '/, 60_000);
      await fill('sourcecode', source);
      await fill('runs', 'many');
      await submit();
      await page.sees(/runs: expected a whole number from 0 to/);
      if (hasAxe()) expect(await axeViolations(page)).toEqual([]);
      const directory = process.env.SWITCHYARD_SCREENSHOTS;
      if (directory !== undefined) await page.screenshot(join(directory, 'explorer-contract-verify.png'));
      await fill('runs', '');
      await fill('evmversion', 'cancun');
      await submit();
      await page.sees(/(partial|full) match/, 60_000);
      await makeForms(page).open('read', /balanceOf/);
    } finally {
      await page.close();
    }
  },
);

test.skipIf(browser === undefined)(
  'coins are withdrawn in the page of a contract that was not verified by anyone',
  { timeout: 300_000 },
  async () => {
    const page = await openPage(browser ?? '');
    const wallet = await injectWallet(page, network, devKey(3));
    const { open, call, outcome } = makeForms(page);
    try {
      await page.open(`${explorer('')}/#/rollups/evm/evm/addresses/${WITHDRAWER_ADDRESS}/contract`);
      await page.sees(/full match/, 60_000);
      await open('write', /Test <b>Wallet<\/b>/);
      await call('Write withdrawToSequencer(', 'astria1d7zjjljc0dsmxa545xkpwxym86g8uvvwhtezcr', '0.5');
      const executed = await until(
        'the withdrawal is executed',
        async () => /Executed in block (\d+)/.exec(String(await outcome('Write withdrawToSequencer('))) ?? undefined,
        60_000,
      );
      const block = BigInt(executed[1] ?? '');
      const client = evmClient({ url: network.url('evm') });
      expect(await readWithdrawals({ client, from: block, to: block })).toMatchObject([
        { sender: devAddress(3).toLowerCase(), amount: 5n * 10n ** 17n },
      ]);
    } finally {
      await wallet.close();
      await page.close();
    }
  },
);

test('sources outlive the index', { timeout: 120_000 }, async () => {
  await network.stop();
  const directory = join(network.home, network.instance, 'data', 'explorer');
  for (const end of ['', '-wal', '-shm']) rmSync(join(directory, `index.db${end}`), { force: true });
  await network.start();
  const found = await until('the contract is known', () => api(`/contracts/${token}`), 60_000);
  expect(found).toMatchObject({ verification: { match: 'full', name: 'Token' } });
  await until(
    'the index is full again',
    async () => (await api('/transactions')).items.length >= 4 || undefined,
    60_000,
  );
});
