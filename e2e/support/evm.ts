import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineChain, type Hex } from 'viem';
import { type Network, type Ran, root, run } from './network.ts';
import { tool } from './tools.ts';

export const contracts = join(root, 'e2e', 'contracts');
export const compiler = join(root, 'e2e', 'support', 'solc.mjs');

/** The published keys of anvil and Hardhat. */
export const DEV_KEYS: readonly Hex[] = [
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
  '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
];
export const DEV_ADDRESSES: readonly Hex[] = [
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
];

export const devKey = (index: number): Hex => known(DEV_KEYS[index]);
export const devAddress = (index: number): Hex => known(DEV_ADDRESSES[index]);

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there are five of these accounts');
  return value;
}

export const CHAIN_ID = 1337;

/** The chain as viem describes it. */
export function getChain(network: Network) {
  return defineChain({
    id: CHAIN_ID,
    name: 'Switchyard',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [network.url('evm')], webSocket: [network.url('evmWs').replace('http', 'ws')] } },
  });
}

/** Runs the real `cast` against the network. */
export function cast(network: Pick<Network, 'url'>, ...args: string[]): Promise<Ran> {
  return run(tool('cast'), args, { ETH_RPC_URL: network.url('evm') });
}

/** Output of `cast`, without the line's end. @throws when it fails. */
export async function castText(network: Pick<Network, 'url'>, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await cast(network, ...args);
  if (status !== 0) throw new Error(`cast ${args[0]}: ${stderr || stdout}`);
  return stdout.trimEnd();
}

/** Output of `cast --json`, parsed. @throws when it fails. */
export async function castJson(
  network: Pick<Network, 'url'>,
  ...args: string[]
): Promise<Readonly<Record<string, unknown>>> {
  // An object by the command; members are compared on use.
  return JSON.parse(await castText(network, ...args, '--json')) as Readonly<Record<string, unknown>>;
}

/** One request of JSON-RPC, verbatim. */
export async function rpc(url: string, body: unknown): Promise<unknown> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text });
  return JSON.parse(await answer.text());
}

export interface Compiled {
  readonly abi: readonly Readonly<Record<string, unknown>>[];
  readonly bytecode: Hex;
}

/** The token of `contracts/`, compiled by solc. */
export const compileToken = (): Promise<Compiled> => compile(join(contracts, 'src', 'Token.sol'), 'Token');

/** A contract of a file, compiled by solc. */
export async function compile(path: string, name: string): Promise<Compiled> {
  const input = {
    language: 'Solidity',
    sources: { 'one.sol': { content: readFileSync(path, 'utf8') } },
    settings: {
      evmVersion: 'cancun',
      optimizer: { enabled: true },
      outputSelection: { '*': { [name]: ['abi', 'evm.bytecode.object'] } },
    },
  };
  const child = spawn(process.execPath, [compiler, '--standard-json'], { stdio: ['pipe', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Uint8Array) => (printed += String(chunk)));
  child.stdin.end(JSON.stringify(input));
  await new Promise((resolve, reject) => child.on('close', resolve).on('error', reject));
  const { contracts: made, errors } = JSON.parse(printed);
  const found = made?.['one.sol']?.[name];
  if (found === undefined) throw new Error(`solc: ${JSON.stringify(errors)}`);
  return { abi: found.abi, bytecode: `0x${found.evm.bytecode.object}` };
}
