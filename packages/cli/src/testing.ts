import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Cli, World } from './cli.ts';
import type { ComposerPort, Connections, EvmPort, RollupPort, SequencerPort, WithdrawerPort } from './connect.ts';
import { runProgram } from './run.ts';

export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface FakeWorld {
  readonly env?: NodeJS.ProcessEnv;
  readonly directory?: string;
  /** Answer of a person to a question; absent: not a terminal. */
  readonly answer?: string;
  /** Hidden input (such as passphrases), in order; absent: not a terminal. */
  readonly secrets?: readonly string[];
  readonly rollup?: Partial<RollupPort>;
  readonly sequencer?: Partial<SequencerPort>;
  readonly evm?: Partial<EvmPort>;
  readonly withdrawer?: Partial<WithdrawerPort>;
  readonly composer?: Partial<ComposerPort>;
}

/** Runs a command line in memory, with nodes that give only the test's answers. */
export async function runWith(
  build: (cli: Cli, connect: Connections) => CommandUnknownOpts | Promise<CommandUnknownOpts>,
  args: readonly string[],
  { env = {}, directory = '/', answer, secrets, rollup, sequencer, evm, composer, withdrawer }: FakeWorld = {},
): Promise<Ran & { readonly urls: readonly string[] }> {
  const written = { stdout: '', stderr: '' };
  const urls: string[] = [];
  const typed = secrets?.slice();
  const world: World = {
    // No instances except the ones a test makes.
    env: { SWITCHYARD_HOME: '/dev/null/none', ...env },
    directory,
    stdout: { write: (text) => (written.stdout += text) },
    stderr: { write: (text) => (written.stderr += text) },
    ask: async () => answer,
    ...(typed !== undefined && { askSecret: async () => typed.shift() }),
    onStop: () => {},
  };
  const reach = async <T extends object>(url: string, node: Partial<T> | undefined): Promise<T> => {
    urls.push(url);
    if (node === undefined) throw new Error('this test gives no such node');
    // A method that the test did not give fails when it is called, with its name.
    return node as T;
  };
  const connect: Connections = {
    rollup: (url) => reach<RollupPort>(url, rollup),
    sequencer: (url) => reach<SequencerPort>(url, sequencer),
    evm: (url) => reach<EvmPort>(url, evm),
    withdrawer: (url) => reach<WithdrawerPort>(url, withdrawer),
    composer: (url) => reach<ComposerPort>(url, composer && { close: () => undefined, ...composer }),
  };
  const status = await runProgram((cli) => build(cli, connect), args, world);
  return { status, ...written, urls };
}
