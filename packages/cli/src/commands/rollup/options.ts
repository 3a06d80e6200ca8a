import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import type { Connections, RollupPort } from '../../connections.ts';
import { type KeyOptions, withKey } from '../../key-options.ts';

export const DEFAULT_ROLLUP_URL = 'http://127.0.0.1:3030';

export interface RollupOptions {
  readonly rollupUrl?: string;
}

/** Options of the commands that sign. */
export interface SubmitOptions extends RollupOptions, KeyOptions {
  readonly chainId?: string;
  readonly prefix: string;
  readonly feeAsset: string;
  readonly wait: boolean;
  readonly timeout: string;
}

export function withRollup(command: Command): Command {
  return command.option('--rollup-url <url>', `HTTP address of the rollup (ROLLUP_URL; default ${DEFAULT_ROLLUP_URL})`);
}

export function withSubmit(command: Command, keyVariables: readonly string[]): Command {
  return withRollup(withKey(command, keyVariables))
    .option('--chain-id <id>', "the rollup's chain id (ROLLUP_CHAIN_ID; default: asked from the rollup)")
    .option('--prefix <prefix>', 'prefix of addresses', 'astria')
    .option('--fee-asset <asset>', 'asset that pays the fee: one that the rollup takes', 'nria')
    .option('--timeout <seconds>', 'longest wait for the execution', '60')
    .option('--no-wait', 'return when the rollup has accepted the transaction, do not wait for its execution');
}

/** @throws {Failure} when the URL is none. */
export async function rollupOf({ rollupUrl }: RollupOptions, cli: Cli, connect: Connections): Promise<RollupPort> {
  const { urlOf } = await import('../../arguments.ts');
  const variable = cli.world.env.ROLLUP_URL;
  const fromFlag = rollupUrl !== undefined;
  const text = rollupUrl ?? (variable === undefined || variable === '' ? DEFAULT_ROLLUP_URL : variable);
  return connect.rollup(urlOf(fromFlag ? '--rollup-url' : 'ROLLUP_URL', text));
}
