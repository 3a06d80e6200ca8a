import { quoted } from '@switchyard/storage/damaged';
import { urlArgument } from './arguments.ts';
import type { Cli } from './cli.ts';
import type { Instance } from './dev/instance/instance.ts';
import type { Chosen, InstanceChoice } from './dev/instance/which.ts';

/** The instance that a command asks; the same rule for the messenger, the EVM rollup and the sequencer. */
export async function findTarget(
  choice: InstanceChoice,
  cli: Cli,
  has: (instance: Instance) => boolean,
): Promise<Chosen | undefined> {
  const { chooseInstance } = await import('./dev/instance/which.ts');
  const { homeDirectory } = await import('./dev/instance/home.ts');
  const { unnamed, VARIABLES } = await import('./commands/dev/options.ts');
  const { env, directory } = cli.world;
  const chosen = await chooseInstance(choice, {
    ...{ env, directory, has, variables: VARIABLES },
    usual: () => unnamed(homeDirectory(choice.home, env), cli),
    onNote: cli.note,
  });
  cli.nextStep = stepFor(chosen, choice);
  return chosen;
}

/** The URL that a command asks. @param option How the user gives it. @throws {Failure} when it is none. */
export function askedByUrl(cli: Cli, option: string, url: string): string {
  cli.nextStep = async () => {
    const { listenerAt } = await import('./dev/status/listener-at.ts');
    const listener = await listenerAt(url, cli.world.env);
    const check = `check ${option}; \`switchyard dev status\` shows what runs here`;
    return listener === undefined ? check : `${listener}: ${check}`;
  };
  return urlArgument(option, url);
}

function stepFor(chosen: Chosen | undefined, { home }: InstanceChoice): string {
  if (chosen === undefined)
    return 'start a network with `switchyard dev init` and `switchyard dev start`, or give its URL';
  const { name } = chosen.instance.paths;
  const flags = `${name === 'default' ? '' : ` --instance ${name}`}${home === undefined ? '' : ` --home ${quoted(home)}`}`;
  return chosen.isRunning
    ? `instance ${name} runs: \`switchyard dev status${flags}\` shows how its services are`
    : `instance ${name} is not running: start it with \`switchyard dev start${flags}\``;
}
