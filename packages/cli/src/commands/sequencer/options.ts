import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import type { Connections, SequencerPort } from '../../connections.ts';
import { type KeyOptions, withKey } from '../../key-options.ts';

export const DEFAULT_SEQUENCER_URL = 'http://127.0.0.1:26657';
export const KEY_VARIABLES = ['SEQUENCER_PRIVATE_KEY'] as const;

export interface SequencerOptions {
  readonly sequencerUrl?: string;
}

/** Options of the commands that sign. */
export interface SigningOptions extends SequencerOptions, KeyOptions {
  readonly 'sequencer.chainId'?: string;
  readonly prefix: string;
  readonly asset?: string;
  readonly feeAsset?: string;
}

export function withSequencer(command: Command): Command {
  return command.option(
    '-u, --sequencer-url <url>',
    `CometBFT RPC of the sequencer (SEQUENCER_URL; default ${DEFAULT_SEQUENCER_URL})`,
  );
}

/** For commands that sign and pay. */
export function withSigning(command: Command): Command {
  return withSequencer(withKey(command, KEY_VARIABLES))
    .option('--sequencer.chain-id <id>', 'chain id (ROLLUP_SEQUENCER_CHAIN_ID; default: asked from the sequencer)')
    .option('--prefix <prefix>', 'prefix of addresses', 'astria')
    .option('--fee-asset <asset>', 'asset that pays the fee (default: what the sequencer takes; ntia locally)');
}

/** For those among them that also move or name an asset. */
export function withAsset(command: Command): Command {
  return withSigning(command).option('--asset <asset>', 'which asset (default: the one that pays the fee)');
}

/** @throws {Failure} when the URL is none. */
export async function sequencerOf(
  { sequencerUrl }: SequencerOptions,
  cli: Cli,
  connect: Connections,
): Promise<SequencerPort> {
  const { urlOf } = await import('../../arguments.ts');
  const variable = cli.world.env.SEQUENCER_URL;
  const text = sequencerUrl ?? (variable === undefined || variable === '' ? DEFAULT_SEQUENCER_URL : variable);
  return connect.sequencer(urlOf(sequencerUrl === undefined ? 'SEQUENCER_URL' : '--sequencer-url', text));
}
