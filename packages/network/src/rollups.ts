import { type RollupClient, rollupClient } from '@switchyard/client';
import { type EvmClient, evmClient } from '@switchyard/evm/client';
import { messenger as definition } from '@switchyard/messenger';
import type { AnyRollup } from '@switchyard/rollup/internal';
import type { ProcessSpec } from '@switchyard/service';
import { getEvmGenesisFile, type RollupGenesis, rollupGenesisFile } from './genesis/genesis-files.ts';
import { type MessengerClient, messengerClient } from './messenger-client.ts';
import type { AnyProcess } from './programs.ts';
import type { RollupAccess } from './rollup-access.ts';

/** Facts of the network that the genesis of a rollup states. */
export interface RollupFacts extends Required<Omit<RollupGenesis, 'skips'>> {
  /**
   * Address of a bridge account for deposits of an asset, which alice then has on the sequencer; `bridge` is that of the network's
   * asset. The network has the accounts that are requested.
   */
  getBridge(asset: string): string;
}

/** Members of a genesis that have to agree with the network. */
export interface GenesisNames {
  readonly rollupName: string;
  readonly sequencerChainId: string;
}

/** A rollup for a network, and how a test talks to it. */
export interface Rollup<Name extends string = string, Client = unknown> {
  /** Name of the rollup on the sequencer, and of its part in the network. */
  readonly name: Name;
  /** The program of ours that it runs, or whose settings its own process has. */
  readonly program: 'messenger' | 'evm';
  /** A process of the user's, which has the settings of every rollup. */
  readonly process?: AnyProcess | undefined;
  /** Its definition, if it has one. */
  readonly defined?: { readonly definition: AnyRollup; readonly takesDeposits: boolean } | undefined;
  genesis(facts: RollupFacts): string;
  /** Reads a genesis as the rollup does; undefined if it cannot be read before its start. @throws {Error} */
  read(text: string, file: string): Promise<GenesisNames | undefined>;
  client(access: RollupAccess): Client;
}

interface NamedOptions<Name extends string> extends RollupOptions {
  readonly name?: Name;
}

/** Options that every rollup has. */
export interface RollupOptions {
  /** The text of a genesis file, instead of one with funds for the development accounts. It has to have the names of the network. */
  readonly genesis?: string | ((facts: RollupFacts) => string);
}

/** The messenger, for `localNetwork`. It is called `messenger`, unless another name is given. See the example of {@link evm}. */
export function messenger<const Name extends string = 'messenger'>(
  options: NamedOptions<Name> = {},
): Rollup<NoInfer<Name>, MessengerClient> {
  return {
    ...named(options, 'messenger', rollupGenesisFile),
    client: messengerClient,
    defined: { definition, takesDeposits: true },
    async read(text, file) {
      const { parseGenesis } = await import('@switchyard/messenger/process');
      return parseGenesis(text, file);
    },
  };
}

/**
 * The EVM rollup, for `localNetwork`, called `evm` unless another name is given. Any Ethereum library talks to it by its URL too.
 * @example
 * ```ts
 * const own = rollup({ name: 'own', process: rollupProcess(counter), genesis: genesisText });
 * await using network = await localNetwork({ rollups: [messenger(), evm({ name: 'evm-2' }), own] });
 * ```
 */
export function evm<const Name extends string = 'evm'>(
  options: NamedOptions<Name> = {},
): Rollup<NoInfer<Name>, EvmClient> {
  return {
    ...named(options, 'evm', getEvmGenesisFile),
    client: ({ url, links }) => evmClient({ url, links }),
    async read(text, file) {
      const { parseEvmGenesis } = await import('@switchyard/evm/process');
      const { rollupName, sequencer } = parseEvmGenesis(text, file);
      return { rollupName, sequencerChainId: sequencer.chainId };
    },
  };
}

/** A rollup of ours, which has the name of its program unless another one is given. */
function named<Name extends string>(
  { name, genesis }: NamedOptions<Name>,
  program: Rollup['program'],
  usual: (facts: RollupFacts) => string,
) {
  const made = typeof genesis === 'string' ? () => genesis : (genesis ?? usual);
  // Without a name, the type is that of the program's.
  return { name: name ?? (program as Name), program, genesis: made };
}

/** A rollup of the user's own: its process, its genesis and its client. */
export interface OwnRollup<Name extends string, F extends AnyProcess['fields'], Client> {
  readonly name: Name;
  /** The argument of `runProcess` in the entry file of the rollup. Its settings are `rollupFields`, or have them. */
  readonly process: ProcessSpec<F>;
  readonly genesis: string | ((facts: RollupFacts) => string);
  /** Reads the genesis as the process does, to find mistakes before anything is started. */
  readonly parseGenesis?: (text: string, file: string) => GenesisNames;
  /** Makes the result of `network.client`; the client of every rollup, if absent. */
  readonly client?: (access: RollupAccess) => Client;
}

/**
 * A rollup of the user's own, for `localNetwork`. See the example of {@link evm}.
 *
 * An action whose handler throws anything but a `Rejected` ends the conductor of the rollup: `network.failed`, and pending calls, have the
 * name of the action with the line that threw. So it does if a handler has not ended within three seconds, which holds up the thread
 * of the test in the meantime.
 */
export function rollup<const Name extends string, F extends AnyProcess['fields'], Client = RollupClient>(
  own: OwnRollup<Name, F, Client>,
): Rollup<Name, Client> {
  const { name, genesis, parseGenesis } = own;
  return {
    ...{ name, program: 'messenger', genesis: typeof genesis === 'string' ? () => genesis : genesis },
    // Its fields and its `main` belong together, which the type of any process cannot say.
    process: own.process as unknown as AnyProcess,
    read: async (text, file) => parseGenesis?.(text, file),
    // Without a maker of clients, the type is that of its default.
    client: own.client ?? (({ url, fetch }) => rollupClient({ url, fetch }) as Client),
  };
}
