import type { TestAccount } from '@switchyard/evm/testing';
import { eventually } from '@switchyard/service/testing';
import { AbiCoder, Interface } from 'ethers/abi';
import solc from 'solc';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EvmExplorer, evmExplorer } from '../testing.ts';

/* A real compiler and a real EVM: contracts are deployed, and their sources sent to the API. */

const SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
const source = () => `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
library Sums {
  function add(uint256 a, uint256 b) external pure returns (uint256) { return a + b; }
}
contract Child {
  uint256 public immutable born;
  constructor(uint256 value) { born = value; }
}
contract Vault {
  error Poor(uint256 held, uint256 needed);
  address public immutable owner;
  uint256 public immutable limit;
  string public name;
  Child public child;
  constructor(string memory name_, uint256 limit_) {
    (owner, limit, name, child) = (msg.sender, limit_, name_, new Child(7));
  }
  function sum(uint256 a, uint256 b) external pure returns (uint256) { return Sums.add(a, b); }
  function spend(uint256 needed) external view { if (needed > limit) revert Poor(limit, needed); }
}
contract Proxy {
  constructor(address target) { assembly { sstore(${SLOT}, target) } }
  fallback() external payable {
    assembly {
      calldatacopy(0, 0, calldatasize())
      let ok := delegatecall(gas(), sload(${SLOT}), 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      if iszero(ok) { revert(0, returndatasize()) }
      return(0, returndatasize())
    }
  }
}`;

const input = (content = source(), settings: object = {}) => ({
  language: 'Solidity',
  sources: { 'src/Vault.sol': { content } },
  settings: { evmVersion: 'cancun', optimizer: { enabled: true, runs: 200 }, ...settings },
});

function compiledCode(content: string, settings: object = {}): Record<string, string> {
  const outputSelection = { '*': { '*': ['evm.bytecode.object'] } };
  const whole = { ...input(content), settings: { ...input(content, settings).settings, outputSelection } };
  const { contracts, errors } = JSON.parse(solc.compile(JSON.stringify(whole)));
  const made = contracts?.['src/Vault.sol'];
  if (made === undefined) throw new Error(JSON.stringify(errors));
  return Object.fromEntries(
    Object.entries(made).map(([name, each]) => [
      name,
      (each as { evm: { bytecode: { object: string } } }).evm.bytecode.object,
    ]),
  );
}

let explorer: EvmExplorer;
let account: TestAccount;
let deployed: Record<'Sums' | 'Vault' | 'Child' | 'Proxy', string>;

async function deploy(code: string): Promise<string> {
  const bytes = new Uint8Array(Buffer.from(code, 'hex'));
  const { receipts } = await explorer.chain.sequence([account.deploy(bytes, { gasLimit: 5_000_000n })]);
  expect(receipts).toMatchObject([{ contractAddress: expect.stringMatching(/^0x/) }]);
  return String(receipts[0]?.contractAddress);
}

// biome-ignore lint/suspicious/noExplicitAny: any JSON
const etherscan = async (parameters: Record<string, string>, post?: boolean): Promise<any> => {
  const body = new URLSearchParams(parameters);
  const isPost = post ?? parameters.action === 'verifysourcecode';
  const response = await (isPost ? explorer.ask('/api?', { method: 'POST', body }) : explorer.ask(`/api?${body}`));
  expect(response.status).toBe(200);
  return response.json();
};

const compilerVersion = () => `v${String(solc.version()).replace('.Emscripten.clang', '')}`;

/** Sends sources for an address, and waits for the outcome. */
async function verify(address: string, request: object) {
  const body = JSON.stringify({ compiler: compilerVersion(), ...request });
  const headers = { 'content-type': 'application/json' };
  const sent = await explorer.ask(`/v1/rollups/test-evm/evm/contracts/${address}/verify`, {
    method: 'POST',
    headers,
    body,
  });
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  const answer: any = await sent.json();
  if (sent.status !== 202) return { status: sent.status, ...answer };
  return eventually(async () => {
    const state = await explorer.api(`/contracts/verify/${answer.job}`);
    return state.state === 'queued' ? undefined : state;
  }, 120_000);
}

beforeAll(async () => {
  explorer = await evmExplorer();
  account = explorer.chain.account(0);
  await explorer.indexed();
  const made = compiledCode(source());
  const Sums = await deploy(made.Sums ?? '');
  const linked = (made.Vault ?? '').replace(/__\$[0-9a-f]{34}\$__/g, Sums.slice(2));
  const encoded = AbiCoder.defaultAbiCoder().encode(['string', 'uint256'], ['deposits', 100]).slice(2);
  const Vault = await deploy(`${linked}${encoded}`);
  const read = new Interface(['function child() view returns (address)']);
  const child = await etherscan({
    module: 'proxy',
    action: 'eth_call',
    to: Vault,
    data: read.encodeFunctionData('child'),
  });
  const [Child] = read.decodeFunctionResult('child', child.result);
  const front = await deploy(`${made.Proxy}${'0'.repeat(24)}${Vault.slice(2)}`);
  deployed = { Sums, Vault, Child, Proxy: front };
  await explorer.indexed();
}, 180_000);
afterAll(() => explorer?.close());

test('sources that differ in a comment match but for the hash of their metadata', async () => {
  const commented = source().replace('contract Vault {', 'contract Vault { // elsewhere');
  expect(await verify(deployed.Vault, { input: input(commented), contract: 'Vault' })).toMatchObject({
    state: 'verified',
    match: 'partial',
  });
  const { verification } = await explorer.api(`/contracts/${deployed.Vault}`);
  expect(verification).toMatchObject({
    match: 'partial',
    constructorValues: [{ value: 'deposits' }, { value: '100' }],
  });
}, 180_000);

test('the very sources match in full, with arguments, immutables and a library that only the chain has', async () => {
  expect(await verify(deployed.Vault, { input: input() })).toMatchObject({ state: 'verified', match: 'full' });
  const { verification, proxy } = await explorer.api(`/contracts/${deployed.Vault}`);
  expect(proxy).toBeNull();
  expect(verification).toMatchObject({
    match: 'full',
    name: 'Vault',
    path: 'src/Vault.sol',
    compiler: compilerVersion().slice(1),
    evmVersion: 'cancun',
    sources: { 'src/Vault.sol': source() },
    libraries: { 'src/Vault.sol:Sums': deployed.Sums },
    constructorValues: [
      { name: 'name_', type: 'string', value: 'deposits' },
      { name: 'limit_', type: 'uint256', value: '100' },
    ],
  });
  expect(verification.abi.map(({ name = '' }) => name)).toContain('spend');
  expect((await explorer.api('/contracts')).items).toMatchObject([
    { address: expect.stringMatching(new RegExp(deployed.Vault, 'i')), match: 'full' },
  ]);
  expect(await verify(deployed.Vault, { input: input() })).toMatchObject({ status: 409, code: 'already-verified' });
}, 180_000);

test('a contract that another one made has its constructor arguments', async () => {
  expect(await verify(deployed.Child, { input: input(), contract: 'Child' })).toMatchObject({ match: 'full' });
  const { verification } = await explorer.api(`/contracts/${deployed.Child}`);
  expect(verification.constructorValues).toEqual([{ name: 'value', type: 'uint256', value: '7' }]);
  const { result } = await etherscan({
    module: 'contract',
    action: 'getcontractcreation',
    contractaddresses: `${deployed.Vault},${deployed.Child}`,
  });
  expect(result.map((each: { contractCreator: string }) => each.contractCreator)).toEqual([
    account.address,
    deployed.Vault.toLowerCase(),
  ]);
}, 180_000);

test('calls and reverts are read by the ABI of the contract behind a proxy', async () => {
  const { proxy, verification } = await explorer.api(`/contracts/${deployed.Proxy}`);
  expect([proxy, verification]).toMatchObject([{ standard: 'eip-1967' }, null]);
  expect(proxy.implementation.toLowerCase()).toBe(deployed.Vault.toLowerCase());
  const rollup = { id: explorer.indexer.state().head?.id ?? '', node: explorer.node };
  const vault = new Interface(['function spend(uint256 needed)', 'error Poor(uint256 held, uint256 needed)']);
  const data = vault.encodeFunctionData('spend', [101]);
  const { decoder } = explorer.contracts;
  const to = deployed.Proxy.slice(2).toLowerCase();
  expect(await decoder.call(rollup, to, data)).toMatchObject({
    signature: 'spend(uint256)',
    arguments: [{ name: 'needed', value: '101' }],
  });
  expect(await decoder.method(rollup, to, data)).toBe('spend');
  const { error } = await etherscan({ module: 'proxy', action: 'eth_call', to: deployed.Proxy, data });
  expect(await decoder.revert(rollup, to, error.data)).toMatchObject({
    name: 'Poor',
    arguments: [{ value: '100' }, { value: '101' }],
  });
  // Decoded by the selector alone, at an address of which nothing is known.
  expect(await decoder.call(rollup, '11'.repeat(20), data)).toMatchObject({ signature: 'spend(uint256)' });
});

test.each([
  [
    'a compiler that is not installed',
    { compiler: '0.4.1', input: input() },
    422,
    /an installed one \(0\.8\.\d+\).*SVC_EXPLORER_EVM_SOLC_DIRPATH/,
  ],
  ['another language', { input: { ...input(), language: 'Yul' } }, 400, /language: expected "Solidity"/],
  ['sources by address', { input: { ...input(), sources: { a: { urls: ['file:///etc/passwd'] } } } }, 400, /content/],
  ['no sources', { input: { ...input(), sources: {} } }, 400, /at least one source/],
])('%s is refused at once', async (_, request, status, detail) => {
  expect(await verify(deployed.Proxy, request)).toMatchObject({ status, detail: expect.stringMatching(detail) });
});

test('an account without code is refused', async () => {
  expect(await verify(account.address, { input: input() })).toMatchObject({ status: 404, code: 'no-contract' });
});

test('clients of Etherscan verify a contract by a form and read what is known, in the words they look for', async () => {
  const content = '// SPDX-License-Identifier: MIT\npragma solidity ^0.8.20; contract Small { uint256 public a = 5; }';
  const outputSelection = { '*': { '*': ['evm.bytecode.object'] } };
  const whole = { language: 'Solidity', sources: { 'a.sol': { content } }, settings: { outputSelection } };
  const { contracts } = JSON.parse(solc.compile(JSON.stringify(whole)));
  const address = await deploy(contracts['a.sol'].Small.evm.bytecode.object);
  const contract = (action: string, more: Record<string, string> = {}) =>
    etherscan({ module: 'contract', action, address, ...more });
  const unverified = 'Contract source code not verified';
  expect(await contract('getabi')).toEqual({ status: '0', message: 'NOTOK', result: unverified });
  expect((await contract('getsourcecode')).result).toMatchObject([{ SourceCode: '', ABI: unverified, Proxy: '0' }]);
  const form = {
    ...{ module: 'contract', action: 'verifysourcecode', contractaddress: address, contractname: 'Small' },
    ...{ codeformat: 'solidity-single-file', sourceCode: content, compilerversion: compilerVersion() },
    ...{ optimizationUsed: '0', runs: '200', evmversion: 'Default', constructorArguements: '' },
  };
  const nowhere = { ...form, contractaddress: account.address };
  expect((await etherscan(nowhere, true)).result).toMatch(/^Unable to locate ContractCode at 0x/);
  const { status, result: guid } = await etherscan(form, true);
  expect(status).toBe('1');
  const pending = { status: '0', message: 'NOTOK', result: 'Pending in queue' };
  expect(await contract('checkverifystatus', { guid })).toEqual(pending);
  await explorer.contracts.verifier.idle();
  const passed = { status: '1', message: 'OK', result: 'Pass - Verified' };
  expect(await contract('checkverifystatus', { guid })).toEqual(passed);
  // An id from before a restart.
  const forgotten = `${guid.slice(0, 40)}${'0'.repeat(24)}`;
  expect(await contract('checkverifystatus', { guid: forgotten })).toEqual(passed);
  expect(await contract('checkverifystatus', { guid: 'x' })).toMatchObject({ status: '0', result: 'Unknown UID' });
  expect(JSON.parse((await contract('getabi')).result)).toMatchObject([{ type: 'function', name: 'a' }]);
  const [found] = (await contract('getsourcecode')).result;
  expect(found).toMatchObject({
    ...{ ContractName: 'Small', CompilerVersion: compilerVersion(), OptimizationUsed: '0', Runs: '200' },
    ...{ EVMVersion: 'Default', ConstructorArguments: '' },
  });
  expect(JSON.parse(found.SourceCode.slice(1, -1)).sources['contract.sol'].content).toBe(content);
}, 180_000);

test('a contract that is verified in full is not verified again, and a proxy is found at once', async () => {
  const again = await etherscan({
    ...{ module: 'contract', action: 'verifysourcecode', contractaddress: deployed.Vault },
    ...{ codeformat: 'solidity-standard-json-input', sourceCode: JSON.stringify(input()) },
    compilerversion: compilerVersion(),
  });
  expect(again).toMatchObject({ status: '0', result: 'Contract source code already verified' });
  const proxy = (action: string, more: object) =>
    etherscan({ module: 'contract', action, address: deployed.Proxy, ...more });
  const { result: guid } = await proxy('verifyproxycontract', {});
  expect((await proxy('checkproxyverification', { guid })).result).toContain(deployed.Vault.toLowerCase());
});

test.each([
  [{}, /Missing Or invalid Module name: account, contract, logs, proxy/],
  [{ module: 'constructor', action: 'x' }, /Module name/],
  [{ module: 'contract', action: 'toString' }, /Action name/],
  [{ module: 'contract', action: 'getabi', address: '0x12' }, /Invalid address format/],
  [
    {
      module: 'contract',
      action: 'verifysourcecode',
      contractaddress: `0x${'1'.repeat(40)}`,
      sourceCode: '{',
      codeformat: 'solidity-standard-json-input',
    },
    /expected JSON/,
  ],
  [
    {
      module: 'contract',
      action: 'verifysourcecode',
      contractaddress: `0x${'1'.repeat(40)}`,
      sourceCode: 'x',
      codeformat: 'vyper-json',
    },
    /codeformat: expected/,
  ],
  [{ module: 'proxy', action: 'eth_sendRawTransaction', hex: '0x' }, /Action name/],
  [{ module: 'proxy', action: 'eth_call', to: 'here' }, /to: expected hex/],
])('a request that is none is answered with what is wrong: %j', async (parameters, message) => {
  const { status, result } = await etherscan(parameters as Record<string, string>);
  expect([status, result]).toEqual(['0', expect.stringMatching(message)]);
});

// Defect: An address alone had the explorer compile sources
test('an address alone, which any page can have a browser ask for, has nothing compiled', async () => {
  const query = { module: 'contract', action: 'verifysourcecode', contractaddress: `0x${'1'.repeat(40)}` };
  expect(await etherscan(query, false)).toMatchObject({
    status: '0',
    result: 'Error! verifysourcecode: expected POST',
  });
});

/** The last test: the queue then ends with the explorer, without being compiled. */
test('only so many requests of a client may wait', async () => {
  const path = `/v1/rollups/test-evm/evm/contracts/${deployed.Proxy}/verify`;
  const body = JSON.stringify({ compiler: compilerVersion(), input: input('contract {') });
  const sent = await Promise.all(Array.from({ length: 6 }, () => explorer.ask(path, { method: 'POST', body })));
  expect(sent.map(({ status }) => status).sort()).toEqual([202, 202, 202, 202, 429, 429]);
});
