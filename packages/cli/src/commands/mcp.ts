import type { Cli } from '../cli.ts';
import type { Program } from '../mcp/tools.ts';
import { getPaths, instanceLeaf } from './dev/options.ts';

/** `switchyard mcp`: tools for a language model, by the Model Context Protocol. */
export function mcpCommand(cli: Cli, program: Program) {
  return instanceLeaf(
    'mcp',
    'serve tools for a language model on standard input and output, by the Model Context Protocol',
    '--instance chat',
  )
    .addHelpText('after', HELP)
    .action(async (options) => {
      const { requireInstance } = await import('../dev/instance/instance.ts');
      const paths = await getPaths(options, cli);
      requireInstance(paths);
      const { serve } = await import('../mcp/serve.ts');
      await serve(paths, cli.world, program);
    });
}

const HELP = `
A client starts it as a process. The tools read an instance, replay its blocks, simulate networks and search the documentation; one submits
texts and transfers of development accounts, and refuses where the network is not one of this machine. Standard output has messages only.`;
