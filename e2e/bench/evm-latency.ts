import { encodeFunctionData, parseAbi } from 'viem';
import { median } from '../support/statistics.ts';
import { type Endpoint, include, Senders } from './evm-load.ts';
import { both, type Pair, withPair } from './evm-pair.ts';
import { type Measure, type Row, repeated } from './measure.ts';

const LOG_BLOCKS = 1_000;
const BALANCE_OF = parseAbi(['function balanceOf(address) view returns (uint256)']);

/** How long single questions take on the same state: a token, and a thousand blocks of which each has one event. */
export const latency: Measure = (options) =>
  // The blocks are made one after another, each when the one before is there.
  withPair({ intervalMs: 10 }, async (pair) => {
    const senders = new Senders();
    await makeEvents(pair, senders, options.progress);
    const addressAt = (index: number) => senders.addresses[index % senders.addresses.length] ?? '0x';
    const balanceOf = (index: number) =>
      encodeFunctionData({ abi: BALANCE_OF, functionName: 'balanceOf', args: [addressAt(index)] });
    const logs = { address: senders.token, fromBlock: 'earliest', toBlock: 'latest' };
    const questions: readonly [string, number, (index: number) => readonly unknown[]][] = [
      ['eth_getBalance', 2_000, (index) => [addressAt(index), 'latest']],
      ['eth_call', 1_000, (index) => [{ to: senders.token, data: balanceOf(index) }, 'latest']],
      ['eth_getLogs', 40, () => [logs]],
    ];
    const rows: Row[] = [];
    for (const [method, count, getParams] of questions) {
      const figures = {
        ours: [`${method}, median of ${count}`, 'ms'],
        ratio: [`${method}, ours / anvil`, 'ratio', '<= 1'],
      } as const;
      const once = (run: number) => both(pair, run, (node) => medianMs(node, method, getParams, count));
      // The first round warms both up.
      await once(1);
      rows.push(...(await repeated<'ours' | 'ratio'>(options, `latency, ${method}`, figures, once)));
    }
    return rows;
  });

async function makeEvents({ nodes }: Pair, senders: Senders, progress: (text: string) => void): Promise<void> {
  const loads = [senders.funding(), await senders.tokenFunding()];
  const raws = Array.from({ length: LOG_BLOCKS }, () => senders.tokenTransfer());
  for (const node of nodes) {
    for (const load of loads) await include(node, load);
    progress(`latency, ${node.name}: making ${LOG_BLOCKS} blocks with an event`);
    for (const raw of raws) await node.sendAndWait(raw, 2);
  }
}

async function medianMs(
  node: Endpoint,
  method: string,
  getParams: (index: number) => readonly unknown[],
  count: number,
): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const params = getParams(index);
    const start = performance.now();
    await node.rpc(method, ...params);
    times.push(performance.now() - start);
  }
  return median(times);
}
