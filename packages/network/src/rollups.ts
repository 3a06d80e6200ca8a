import { type EvmClient, evmClient } from '@switchyard/evm/client';
import { evmGenesisFileOf, rollupGenesisFile } from './genesis/genesis-files.ts';
import { type MessengerClient, messengerClient } from './messenger-client.ts';

/** Facts of the network that the genesis of a rollup states. */
export interface RollupFacts {
  readonly rollupName: string;
  /** Chain id of the sequencer, and its asset. */
  readonly chainId: string;
  readonly nativeDenom: string;
  /** Address of the bridge account whose deposits are to be accepted. */
  readonly bridge: string;
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
  readonly program: 'messenger' | 'evm';
  /** Text of its genesis file. */
  genesis(facts: RollupFacts): string;
  /** Reads a genesis as the rollup does. @throws {Error} with a line for each mistake. */
  read(text: string, file: string): Promise<GenesisNames>;
  /** @param url Where it answers HTTP. */
  client(url: string): Client;
}

export interface RollupOptions<Name extends string> {
  readonly name?: Name;
  /** The text of a genesis file, instead of one with funds for the development accounts. It has to have the names of the network. */
  readonly genesis?: string | ((facts: RollupFacts) => string);
}

/** The messenger, for `localNetwork`. */
export function messenger<const Name extends string = 'messenger'>(
  options: RollupOptions<Name> = {},
): Rollup<Name, MessengerClient> {
  return {
    // The default of the type parameter is this name.
    name: options.name ?? ('messenger' as Name),
    program: 'messenger',
    genesis: genesisOf(options, rollupGenesisFile),
    async read(text, file) {
      const { parseGenesis } = await import('@switchyard/messenger/process');
      return parseGenesis(text, file);
    },
    client: messengerClient,
  };
}

/** The EVM rollup, for `localNetwork`. Any Ethereum library talks to it by its URL too. */
export function evm<const Name extends string = 'evm'>(options: RollupOptions<Name> = {}): Rollup<Name, EvmClient> {
  return {
    // The default of the type parameter is this name.
    name: options.name ?? ('evm' as Name),
    program: 'evm',
    genesis: genesisOf(options, evmGenesisFileOf),
    async read(text, file) {
      const { parseEvmGenesis } = await import('@switchyard/evm/process');
      const { rollupName, sequencer } = parseEvmGenesis(text, file);
      return { rollupName, sequencerChainId: sequencer.chainId };
    },
    client: (url) => evmClient({ url }),
  };
}

function genesisOf({ genesis }: RollupOptions<string>, usual: (facts: RollupFacts) => string) {
  if (genesis === undefined) return usual;
  return typeof genesis === 'string' ? () => genesis : genesis;
}
