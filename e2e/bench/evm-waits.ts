import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ATTACKS, type Attack, signTransaction } from '@switchyard/evm/testing';
import type { Hex } from 'viem';
import { CHAIN_ID, devAddress, devKey } from '../support/evm.ts';
import { createNetwork } from '../support/network.ts';
import { Endpoint } from './evm-endpoint.ts';
import { quantile, type Row } from './statistics.ts';

/** Between two questions of the client that waits. */
const PAUSE_MS = 5;
/** Most gas that one transaction may have by the rules of Osaka. */
const GAS = 2 ** 24;
/** Transactions in a block of 100 million gas. */
const IN_BLOCK = 5;
/** That another client has going at the same time. */
const CALLS_AT_A_TIME = 2;

export interface WaitOptions {
  readonly seconds: number;
  readonly progress: (text: string) => void;
}

/** How long a short question waits: by itself, beside calls that spend their gas on one thing each, and beside blocks of them. */
export async function waits({ seconds, progress }: WaitOptions): Promise<Row[]> {
  const network = await createNetwork({ instance: 'bench', init: ['--template', 'evm'] });
  const genesis = join(network.home, network.instance, 'config', 'evm_genesis.json');
  const attacks = withContracts(genesis);
  const [asked, hostile] = [new Endpoint('ours', network.url('evm')), new Endpoint('hostile', network.url('evm'))];
  try {
    await network.start();
    const loads = {
      'nothing else': async () => undefined,
      'hostile calls': (isOver: () => boolean) => calls(hostile, attacks, isOver),
      'hostile blocks': (isOver: () => boolean) => blocks(hostile, attacks, isOver),
    };
    const rows: Row[] = [];
    for (const [name, load] of Object.entries(loads)) {
      const end = performance.now() + seconds * 1_000;
      const isOver = () => performance.now() > end;
      const [times] = await Promise.all([questions(asked, isOver), load(isOver)]);
      const shown = [0.5, 0.99, 1].map((q) => quantile(times, q).toFixed(1)).join(', ');
      progress(`waits beside ${name}: median, 99 %, longest ${shown} ms of ${times.length}`);
      const of = `eth_blockNumber beside ${name}`;
      rows.push(
        { name: `${of}, median`, unit: 'ms', goal: '', runs: [quantile(times, 0.5)] },
        { name: `${of}, 99 %`, unit: 'ms', goal: '', runs: [quantile(times, 0.99)] },
        { name: `${of}, longest of ${times.length}`, unit: 'ms', goal: '<= 20', runs: [quantile(times, 1)] },
      );
    }
    return rows;
  } finally {
    asked.close();
    hostile.close();
    await network.dispose();
  }
}

interface Placed {
  readonly to: Hex;
  readonly data: Hex;
}

/** Puts the attacks into the state of the first block; not those that need other contracts, at addresses that several of them use. */
function withContracts(genesis: string): Placed[] {
  const { alloc, ...others } = JSON.parse(readFileSync(genesis, 'utf8'));
  const placed = ATTACKS.filter(isAlone).map((attack, index) => {
    const to: Hex = `0x${(0xa77ac000 + index).toString(16).padStart(40, '0')}`;
    alloc[to] = { balance: '0xde0b6b3a7640000', code: attack.code };
    return { to, data: attack.data };
  });
  writeFileSync(genesis, JSON.stringify({ ...others, alloc }));
  return placed;
}

const isAlone = ({ others }: Attack) => Object.keys(others).length === 0;

async function questions(node: Endpoint, isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!isOver()) {
    const start = performance.now();
    await node.blockNumber();
    times.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return times;
}

async function calls(node: Endpoint, attacks: readonly Placed[], isOver: () => boolean): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (!isOver()) {
      const attack = attacks[next % attacks.length];
      next += 1;
      const request = { ...attack, from: devAddress(1), gas: `0x${GAS.toString(16)}` };
      await node.post(JSON.stringify({ jsonrpc: '2.0', id: next, method: 'eth_call', params: [request, 'latest'] }));
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_A_TIME }, lane));
}

/** One attack after another, as many as fill a block at a time; that its gas is gone is a receipt too. */
async function blocks(node: Endpoint, attacks: readonly Placed[], isOver: () => boolean): Promise<void> {
  for (let nonce = 0; !isOver(); nonce += IN_BLOCK) {
    const hashes = Array.from({ length: IN_BLOCK }, (_, index) => {
      const attack = attacks[(nonce + index) % attacks.length];
      if (attack === undefined) throw new Error('there are no attacks');
      return node.call('eth_sendRawTransaction', signed(attack, nonce + index));
    });
    const last = (await Promise.all(hashes)).at(-1);
    while ((await node.call('eth_getTransactionReceipt', last)) === null) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

function signed({ to, data }: Placed, nonce: number): string {
  const fees = { maxFeePerGas: 100n * 10n ** 9n, maxPriorityFeePerGas: 1n };
  const bytes = new Uint8Array(Buffer.from(data.slice(2), 'hex'));
  const fields = { chainId: BigInt(CHAIN_ID), nonce: BigInt(nonce), ...fees, gasLimit: BigInt(GAS), to, data: bytes };
  return `0x${Buffer.from(signTransaction(fields, devKey(0))).toString('hex')}`;
}
