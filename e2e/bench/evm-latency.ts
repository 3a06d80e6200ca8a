import { encodeFunctionData, parseAbi } from 'viem';
import type { Network } from '../support/network.ts';
import type { Endpoint } from './evm-endpoint.ts';
import { include, Senders } from './evm-load.ts';
import { median, type Row } from './statistics.ts';

const LOG_BLOCKS = 1_000;
const REQUESTS = { eth_getBalance: 2_000, eth_call: 1_000, eth_getLogs: 40 } as const;
const BALANCE_OF = parseAbi(['function balanceOf(address) view returns (uint256)']);

/** How long single questions take on the same state: a token, and a thousand blocks of which each has one event. */
export async function latencyRows(
  { nodes }: { readonly network: Network; readonly nodes: readonly Endpoint[] },
  { runs, progress }: { readonly runs: number; readonly progress: (text: string) => void },
): Promise<Row[]> {
  const senders = new Senders();
  const loads = [senders.funding(), await senders.tokenFunding()];
  const raws = Array.from({ length: LOG_BLOCKS }, () => senders.tokenTransfer());
  for (const node of nodes) {
    for (const load of loads) await include(node, load);
    progress(`latency, ${node.name}: making ${LOG_BLOCKS} blocks with an event`);
    await eventBlocks(node, raws);
  }
  const questions = {
    eth_getBalance: (index: number) => [senders.addresses[index % senders.addresses.length], 'latest'],
    eth_call: (index: number) => {
      const args = [senders.addresses[index % senders.addresses.length] ?? '0x'] as const;
      const data = encodeFunctionData({ abi: BALANCE_OF, functionName: 'balanceOf', args });
      return [{ to: senders.token, data }, 'latest'];
    },
    eth_getLogs: () => [{ address: senders.token, fromBlock: 'earliest', toBlock: 'latest' }],
  };
  const rows: Row[] = [];
  for (const [method, paramsOf] of Object.entries(questions)) {
    const found = new Map(nodes.map(({ name }) => [name, [] as number[]]));
    // The keys are those of the questions.
    const count = REQUESTS[method as keyof typeof REQUESTS];
    for (let run = -1; run < runs; run += 1) {
      for (const node of run % 2 === 0 ? nodes : [...nodes].reverse()) {
        const ms = await medianMs(node, method, paramsOf, count);
        // The first round warms both up.
        if (run >= 0) found.get(node.name)?.push(ms);
      }
    }
    const [ours = [], anvil = []] = ['ours', 'anvil'].map((name) => found.get(name));
    progress(`latency: ${method} ours ${median(ours).toFixed(3)} ms, anvil ${median(anvil).toFixed(3)} ms`);
    const ratios = ours.map((ms, index) => ms / (anvil[index] ?? Number.NaN));
    rows.push(
      { name: `${method}, median of ${count}`, unit: 'ms', goal: '', runs: ours },
      { name: `${method}, ours / anvil`, unit: 'ratio', goal: '<= 2', runs: ratios },
    );
  }
  return rows;
}

/** Each transaction in a block of its own. */
async function eventBlocks(node: Endpoint, raws: readonly string[]): Promise<void> {
  for (const raw of raws) {
    const hash = await node.call('eth_sendRawTransaction', raw);
    while ((await node.call('eth_getTransactionReceipt', hash)) === null) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}

async function medianMs(
  node: Endpoint,
  method: string,
  paramsOf: (index: number) => readonly unknown[],
  count: number,
): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const params = paramsOf(index);
    const start = performance.now();
    await node.call(method, ...params);
    times.push(performance.now() - start);
  }
  return median(times);
}
