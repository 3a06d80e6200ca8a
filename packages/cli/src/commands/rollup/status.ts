import type { Command } from 'commander';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { type RollupOptions, rollupOf, withRollup } from './options.ts';

/** `rollup-cli status` */
export function statusCommand(cli: Cli, connect: Connections): Command {
  return withRollup(
    leaf('status', "show the rollup's name, chain id and heights", '', '--instance chat --json'),
  ).action(async (options: RollupOptions) => {
    const { name, chainId, height, firm, all } = await (await rollupOf(options, cli, connect)).status();
    cli.print(all, [
      `Rollup: ${name}`,
      `Chain id: ${chainId}`,
      `Block: ${height}`,
      `Firm block: ${firm ?? 'none yet'}`,
    ]);
  });
}
