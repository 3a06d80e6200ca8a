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
    ...{ name, program: 'evm', genesis: genesisOf(genesis, evmGenesisFileOf), client: (url) => evmClient({ url }) },
    async read(text, file) {
      const { parseEvmGenesis } = await import('@switchyard/evm/process');
      const { rollupName, sequencer } = parseEvmGenesis(text, file);
      return { rollupName, sequencerChainId: sequencer.chainId };
    },
  };
}

function genesisOf(genesis: RollupOptions['genesis'], usual: (facts: RollupFacts) => string) {
  if (genesis === undefined) return usual;
  return typeof genesis === 'string' ? () => genesis : genesis;
}
