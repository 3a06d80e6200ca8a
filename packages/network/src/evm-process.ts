import type { NetworkControls } from '@switchyard/evm/process';
import type { ManualBlocks } from './manual-blocks.ts';
import type { NetworkSnapshot } from './memory-stores.ts';
import type { AnyProcess } from './programs.ts';
import type { ShiftedTime } from './shifted-time.ts';

/** A network as its user has it. */
interface Network {
  isRunning(part: string): boolean;
  mine(count: number): Promise<void>;
  newestBlock(): Promise<{ readonly height: bigint }>;
  advanceTime(ms: number): Promise<void>;
  snapshot(): NetworkSnapshot;
  revert(snapshot: NetworkSnapshot): Promise<void>;
}

interface Composed {
  readonly time: ShiftedTime;
  readonly blocks: ManualBlocks | undefined;
}

/** The process of an EVM rollup, by whose methods the network around it is changed. It can be started any number of times. */
export async function evmProcess(name: string, network: Network, { time, blocks }: Composed): Promise<AnyProcess> {
  const { evmInNetwork } = await import('@switchyard/evm/process');
  const controls: NetworkControls<NetworkSnapshot> = {
    isManual: blocks !== undefined,
    get aheadMs() {
      return time.aheadMs;
    },
    get isDriven() {
      return network.isRunning(`${name}-conductor`);
    },
    advance: (ms) => network.advanceTime(ms),
    nextBlockAt: (unixMs) => blocks?.nextAt(unixMs),
    async mine(count) {
      await network.mine(count);
      return (await network.newestBlock()).height;
    },
    snapshot: () => network.snapshot(),
    revert: (snapshot) => network.revert(snapshot),
  };
  // Its fields and its `main` belong together, which the type of any process cannot say.
  return (await evmInNetwork(controls)) as unknown as AnyProcess;
}
