import { ATTACKS, type Attack } from '@switchyard/evm/testing';
import type { Hex } from 'viem';
import { devAddress, devKey } from '../support/evm.ts';
import { quantile } from '../support/statistics.ts';
import { type Endpoint, signed } from './evm-load.ts';
import { withEndpoint } from './evm-pair.ts';
import { pause } from './load.ts';
import { type Measure, type Row, row } from './measure.ts';
import { changeEvmGenesis, withNetwork } from './network.ts';

/** Between two questions of the client that waits. */
const PAUSE_MS = 5;
/** Most gas that one transaction may have by the rules of Osaka. */
const GAS = 2 ** 24;
/** Transactions in a block of 100 million gas. */
const IN_BLOCK = 5;
/** Calls that another client has going at the same time. */
const CALLS_AT_A_TIME = 2;

/** How long a short question waits: on its own, alongside calls that spend their gas on one thing each, and alongside blocks of them. */
export const waits: Measure = ({ seconds, progress }) =>
  withNetwork({ template: 'evm', prepare: (network) => changeEvmGenesis(network, withContracts) }, (network) =>
    withEndpoint(network.url('evm'), (wanted) =>
      withEndpoint(network.url('evm'), async (hostile) => {
        const loads = {
          'nothing else': async () => undefined,
          'hostile calls': (isOver: () => boolean) => calls(hostile, isOver),
          'hostile blocks': (isOver: () => boolean) => blocks(hostile, isOver),
        };
        const rows: Row[] = [];
        for (const [name, load] of Object.entries(loads)) {
          const end = performance.now() + seconds * 1_000;
          const isOver = () => performance.now() > end;
          const [times] = await Promise.all([questions(wanted, isOver), load(isOver)]);
          const at = (share: number, part: string, goal = '') =>
            row([`eth_blockNumber beside ${name}, ${part}`, 'ms', goal], [quantile(times, share)]);
          const found = [at(0.5, 'median'), at(0.99, '99 %'), at(1, `longest of ${times.length}`, '<= 20')];
          progress(found.map(({ name, runs }) => `${name}: ${runs[0]?.toFixed(1)} ms`).join('; '));
          rows.push(...found);
        }
        return rows;
      }),
    ),
  );

interface Placed {
  readonly to: Hex;
  readonly data: Hex;
  readonly code: Hex;
}

/** Attacks in the state of the first block; except attacks that need other contracts, at addresses that several of them use. */
const PLACED: readonly Placed[] = ATTACKS.filter(({ others }: Attack) => Object.keys(others).length === 0).map(
  ({ code, data }, index) => ({ to: `0x${(0xa77ac000 + index).toString(16).padStart(40, '0')}`, data, code }),
);

function withContracts({ alloc, ...others }: { readonly alloc: object }): object {
  const placed = PLACED.map(({ to, code }) => [to, { balance: '0xde0b6b3a7640000', code }]);
  return { ...others, alloc: { ...alloc, ...Object.fromEntries(placed) } };
}

function placed(index: number): Placed {
  const found = PLACED[index % PLACED.length];
  if (found === undefined) throw new Error('there are no attacks');
  return found;
}

async function questions(node: Endpoint, isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!isOver()) {
    const start = performance.now();
    await node.blockNumber();
    times.push(performance.now() - start);
    await pause(PAUSE_MS);
  }
  return times;
}

async function calls(node: Endpoint, isOver: () => boolean): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (!isOver()) {
      const { to, data } = placed(next++);
      const params = [{ to, data, from: devAddress(1), gas: `0x${GAS.toString(16)}` }, 'latest'];
      await node.post(JSON.stringify({ jsonrpc: '2.0', id: next, method: 'eth_call', params }));
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_A_TIME }, lane));
}

/** One attack after another, as many as fill a block at a time; that its gas is gone is a receipt too. */
async function blocks(node: Endpoint, isOver: () => boolean): Promise<void> {
  for (let first = 0; !isOver(); first += IN_BLOCK) {
    const sent = Array.from({ length: IN_BLOCK }, (_, index) => {
      const { to, data } = placed(first + index);
      const fields = {
        to,
        data: Buffer.from(data.slice(2), 'hex'),
        gasLimit: BigInt(GAS),
        nonce: BigInt(first + index),
      };
      const raw = signed(devKey(0), fields);
      return index === IN_BLOCK - 1 ? node.sendAndWait(raw, PAUSE_MS) : node.rpc('eth_sendRawTransaction', raw);
    });
    await Promise.all(sent);
  }
}
