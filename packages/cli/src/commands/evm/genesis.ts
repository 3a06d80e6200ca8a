import type { Command } from 'commander';
import { type Cli, leaf } from '../../cli.ts';
import { type EvmOptions, requireRollup, withInstanceNamed } from './options.ts';

/** `switchyard evm genesis` */
export function genesisCommand(cli: Cli): Command {
  return withInstanceNamed(
    leaf('genesis', 'print the genesis of the EVM rollup; `geth init` and reth take it too', '', '--instance second'),
  ).action(async (options: EvmOptions) => {
    const [{ genesisFacts }, { parseJson, readText }] = await Promise.all([
      import('../../dev/networks/evm-rollup.ts'),
      import('../../dev/files/files.ts'),
    ]);
    const { genesisFile } = await requireRollup(options, cli);
    genesisFacts(genesisFile);
    const text = readText(genesisFile);
    cli.print(parseJson(text, genesisFile), text.trimEnd());
  });
}
