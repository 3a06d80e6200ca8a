import { cast, devAddress, devKey } from '../support/evm.ts';
import { median } from '../support/statistics.ts';
import { usage, watched } from '../support/usage.ts';
import { hostileCalls } from './evm-hostile-calls.ts';
import { latency } from './evm-latency.ts';
import { include, type Load, Senders } from './evm-load.ts';
import { both, withEndpoint, withPair } from './evm-pair.ts';
import { stored } from './evm-stored.ts';
import { waits } from './evm-waits.ts';
import { stock } from './geth.ts';
import { pause } from './load.ts';
import { type Figure, type Measure, type Options, type Row, repeated, row, seconds } from './measure.ts';
import { withNetwork } from './network.ts';

const SERVICES = ['sequencer', 'composer', 'conductor', 'evm'] as const;

/** One load after another on both nodes. @param begin Called once; the loads come from its result. */
function rates(
  options: Options,
  figures: Readonly<Record<'ours' | 'anvil' | 'ratio', Figure>>,
  begin: (senders: Senders) => Promise<{ readonly funding: readonly Load[]; next(): Load }>,
): Promise<Row[]> {
  return withPair({ anvilArgs: ['--block-time', '1'] }, async (pair) => {
    const { funding, next } = await begin(new Senders());
    // With a first load, since loading, compiling and connecting for the first time is not to be measured.
    const first = [...funding, next()];
    for (const node of pair.nodes) for (const load of first) await include(node, load);
    return repeated(options, figures.ours[0], figures, (run) => {
      const load = next();
      return both(pair, run, async (node) => {
        const { result, text } = await watched(pair.network, SERVICES, () => include(node, load));
        options.progress(`${node.name}: ${result.toFixed(0)}/s; of ours, ${text}`);
        return result;
      });
    });
  });
}

const transfers: Measure = (options) =>
  rates(
    options,
    {
      ours: ['value transfers, sent to included', 'tx/s'],
      anvil: ['the same at anvil, 1 s blocks', 'tx/s'],
      ratio: ['value transfers, ours / anvil', 'ratio', '>= 1.2'],
    },
    async (senders) => ({ funding: [senders.funding()], next: () => senders.transfers(options.transactions) }),
  );

const tokens: Measure = (options) =>
  rates(
    options,
    {
      ours: ['ERC-20 transfers, sent to included', 'tx/s', '>= 500'],
      anvil: ['the same at anvil, 1 s blocks', 'tx/s'],
      ratio: ['ERC-20 transfers, ours / anvil', 'ratio', '>= 1'],
    },
    async (senders) => ({
      funding: [senders.funding(), await senders.tokenFunding()],
      next: () => senders.tokenTransfers(options.transactions),
    }),
  );

/** In the rhythm of a person: the network has been idle before each. */
const idle: Measure = (options) =>
  withNetwork({ template: 'evm' }, async (network) => {
    const send = async () => {
      const { status, stderr } = await cast(network, 'send', devAddress(1), '--value', '1', '--private-key', devKey(0));
      if (status !== 0) throw new Error(stderr);
    };
    await send();
    const figures = { receipt: ['cast send to receipt, idle network', 's', '<= 1.5'] } as const;
    return repeated(options, 'idle', figures, async () => {
      await pause(2_000 + Math.random() * 2_000);
      return { receipt: await seconds(send) };
    });
  });

const PARTS = 10;

/** Memory of the EVM node after each tenth of a long run, and of many hostile calls after it: flat when no tenth has more. */
const memory: Measure = ({ 'long-run': longRun, calls, progress }) =>
  withNetwork({ template: 'evm' }, (network) =>
    withEndpoint(network.url('evm'), async (node) => {
      const pid = await network.pid('evm');
      const inTenths = async (item: string, total: number, run: (count: number) => Promise<void>): Promise<Row[]> => {
        const held: number[] = [];
        const perSecond: number[] = [];
        for (let part = 1; part <= PARTS; part += 1) {
          perSecond.push(total / PARTS / (await seconds(() => run(total / PARTS))));
          const { privateMiB, residentMiB } = usage(pid);
          held.push(privateMiB);
          const mib = `${privateMiB.toFixed(0)} MiB private, ${residentMiB.toFixed(0)} resident`;
          progress(`memory: ${mib} after ${(part * total) / PARTS} ${item}, ${perSecond.at(-1)?.toFixed(0)} a second`);
        }
        const middle = median(held.slice(PARTS / 2 - 2, PARTS / 2 + 1));
        const last = held.slice(-3).map((at) => at / middle);
        return [
          row([`private memory of the EVM node over ${total} ${item}`, 'MiB', '<= 400'], held),
          row([`${item}: the last tenths / those in the middle`, 'ratio', '<= 1.2'], last),
          row([`${item}, signing included`, '1/s'], perSecond),
        ];
      };
      const senders = new Senders();
      await include(node, senders.funding());
      const transferred = await inTenths('transfers', longRun, async (count) => {
        // Signing takes as long as sending, and all of it at once would be a gigabyte here.
        for (let left = count; left > 0; left -= 20_000) await include(node, senders.transfers(Math.min(left, 20_000)));
      });
      return [...transferred, ...(await inTenths('hostile calls', calls, hostileCalls(node)))];
    }),
  );

/** The EVM rollup end to end, alongside anvil and geth. */
export const evm = { transfers, tokens, latency, idle, stored, waits, memory, stock };
