import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { askedRollup, withRollup } from './options.ts';

/** `rollup-cli status` */
export function statusCommand(cli: Cli, connect: Connections) {
  return withRollup(
    leaf('status', "show the rollup's name, chain id and heights", '', '--instance chat --json'),
  ).action(async (options) => {
    const { name, chainId, height, firm, all } = await (await askedRollup(options, cli, connect)).status();
    cli.print(all, [
      `Rollup: ${name}`,
      `Chain id: ${chainId}`,
      `Block: ${height}`,
      `Firm block: ${firm ?? 'none yet'}`,
    ]);
  });
}
