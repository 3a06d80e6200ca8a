import { sequencerClient } from '@switchyard/client';
import type { NetworkControls } from '@switchyard/evm/process';
import type { Links } from '@switchyard/service';
import type { Addresses } from './listen.ts';
import type { ManualBlocks } from './manual-blocks.ts';
import type { NetworkSnapshot } from './memory-stores.ts';
import type { AnyProcess } from './programs.ts';
import type { ShiftedTime } from './shifted-time.ts';

/** A network as its user has it. */
interface Network {
  readonly failed: AbortSignal;
  isRunning(part: string): boolean;
  mine(count: number): Promise<void>;
  advanceTime(ms: number): Promise<void>;
  snapshot(): NetworkSnapshot;
  revert(snapshot: NetworkSnapshot): Promise<void>;
}

interface Composed {
  readonly time: ShiftedTime;
  readonly blocks: ManualBlocks | undefined;
  readonly addresses: Addresses;
  /** View of the test. */
  readonly links: Links;
}

/** The process of an EVM rollup, by whose methods the network around it is changed. It can be started any number of times. */
export async function evmProcess(
  name: string,
  network: Network,
  { time, blocks, addresses, links }: Composed,
): Promise<AnyProcess> {
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
      const sequencer = sequencerClient({ rpcUrl: addresses.url('sequencer', 'rpc'), links });
      return (await sequencer.status(network.failed)).latestHeight;
    },
    snapshot: () => network.snapshot(),
    revert: (snapshot) => network.revert(snapshot),
  };
  // Its fields and its `main` belong together, which the type of any process cannot say.
  return (await evmInNetwork(controls)) as unknown as AnyProcess;
}
