import { type RollupClient, rollupClient } from '@switchyard/client';
import { type EvmClient, evmClient } from '@switchyard/evm/client';
import { messenger as definition } from '@switchyard/messenger';
import type { AnyRollup } from '@switchyard/rollup/internal';
import type { ProcessSpec } from '@switchyard/service';
import { evmGenesisFileOf, type RollupGenesis, rollupGenesisFile } from './genesis/genesis-files.ts';
import { type MessengerClient, messengerClient } from './messenger-client.ts';
import type { AnyProcess } from './programs.ts';
import type { RollupAccess } from './rollup-access.ts';

/** Facts of the network that the genesis of a rollup states. */
export type RollupFacts = Required<Omit<RollupGenesis, 'skips'>>;

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
  /** Its definition, where it has one. */
  readonly defined?: { readonly definition: AnyRollup; readonly takesDeposits: boolean } | undefined;
  /** Text of its genesis file. */
  genesis(facts: RollupFacts): string;
  /** Reads a genesis as the rollup does; undefined where it cannot be read before its start. @throws {Error} */
  read(text: string, file: string): Promise<GenesisNames | undefined>;
  client(access: RollupAccess): Client;
}

export interface RollupOptions {
  /** The text of a genesis file, instead of one with funds for the development accounts. It has to have the names of the network. */
  readonly genesis?: string | ((facts: RollupFacts) => string);
}

interface Named<Name extends string> extends RollupOptions {
  readonly name: Name;
}

/** Without a name, where the compiler would take any name for the expected one. */
interface Unnamed extends RollupOptions {
  readonly name?: undefined;
}

/** The messenger, for `localNetwork`. It is called `messenger`, unless another name is given. */
export function messenger(options?: Unnamed): Rollup<'messenger', MessengerClient>;
export function messenger<const Name extends string>(options: Named<Name>): Rollup<Name, MessengerClient>;
export function messenger({
  name = 'messenger',
  genesis,
}: RollupOptions & { name?: string | undefined } = {}): Rollup<string, MessengerClient> {
  return {
    ...{ name, program: 'messenger', genesis: genesisOf(genesis, rollupGenesisFile), client: messengerClient },
    defined: { definition, takesDeposits: true },
    async read(text, file) {
      const { parseGenesis } = await import('@switchyard/messenger/process');
      return parseGenesis(text, file);
    },
  };
}

/** The EVM rollup, for `localNetwork`, called `evm` unless another name is given. Any Ethereum library talks to it by its URL too. */
export function evm(options?: Unnamed): Rollup<'evm', EvmClient>;
export function evm<const Name extends string>(options: Named<Name>): Rollup<Name, EvmClient>;
export function evm({
  name = 'evm',
  genesis,
}: RollupOptions & { name?: string | undefined } = {}): Rollup<string, EvmClient> {
  return {
    ...{
      name,
      program: 'evm',
      genesis: genesisOf(genesis, evmGenesisFileOf),
      client: ({ url, links }: RollupAccess) => evmClient({ url, links }),
    },
    async read(text, file) {
      const { parseEvmGenesis } = await import('@switchyard/evm/process');
      const { rollupName, sequencer } = parseEvmGenesis(text, file);
      return { rollupName, sequencerChainId: sequencer.chainId };
    },
  };
}

export interface OwnRollup<Name extends string, F extends AnyProcess['fields'], Client> {
  readonly name: Name;
  /** The argument of `runProcess` in the entry file of the rollup. Its settings are `rollupFields`, or have them. */
  readonly process: ProcessSpec<F>;
  /** The text of its genesis file. */
  readonly genesis: string | ((facts: RollupFacts) => string);
  /** Reads the genesis as the process does, to find mistakes before anything is started. */
  readonly parseGenesis?: (text: string, file: string) => GenesisNames;
  /** Makes the result of `network.client`; the client of every rollup, if absent. */
  readonly client?: (access: RollupAccess) => Client;
}

/**
 * A rollup of the user's own, for `localNetwork`.
 *
 * An action whose handler throws anything but a `Rejected` ends the conductor of the rollup: `network.failed`, and whatever waits, has the
 * name of the action with the line that threw. So it does where a handler has not ended within three seconds, which holds up the thread
 * of the test meanwhile.
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

function genesisOf(genesis: RollupOptions['genesis'], usual: (facts: RollupFacts) => string) {
  if (genesis === undefined) return usual;
  return typeof genesis === 'string' ? () => genesis : genesis;
}
