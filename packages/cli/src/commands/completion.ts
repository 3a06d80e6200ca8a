import { Argument, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { type Cli, group, leaf } from '../cli.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export function completionCommand(cli: Cli) {
  return leaf('completion', 'print what makes a shell complete commands, options and names on Tab', 'bash')
    .addArgument(new Argument('<shell>', 'which').choices(SHELLS))
    .addHelpText('after', (context) => help(context.command))
    .action(async (shell, _, command) => {
      const { SCRIPTS } = await import('../completion/scripts.ts');
      const text = SCRIPTS[shell](command.parent?.name() ?? '');
      cli.print({ shell, script: text }, text.trimEnd());
    });
}

function help(command: CommandUnknownOpts): string {
  const name = command.parent?.name() ?? '';
  return `
In the shell that is open now, and in every new one:
  bash  source <(${name} completion bash)     the same line in ~/.bashrc
  zsh   source <(${name} completion zsh)      the same line in ~/.zshrc
  fish  ${name} completion fish | source      ${name} completion fish > ~/.config/fish/completions/${name}.fish`;
}

/** A program whose parts are built only when the arguments name them, with all of its parts. */
export async function wholeProgram(build: (args: readonly string[]) => Promise<CommandUnknownOpts>) {
  const bare = await build([]);
  const parts = await Promise.all(
    bare.commands.map(async (command) => {
      const { commands } = await build([command.name()]);
      return commands.find((other) => other.name() === command.name()) ?? command;
    }),
  );
  return group(bare.name(), bare.description(), parts);
}
