import { existsSync } from 'node:fs';
import { usage } from '@switchyard/service/failure';
import { homeDirectory, type InstancePaths, instanceNames, instancePaths } from './home.ts';
import { type Instance, readInstance } from './instance.ts';
import { currentRun, RUN_VARIABLE, type RunFile } from './run-file.ts';

/** How a command was given its instance. */
export interface InstanceChoice {
  readonly instance?: string | undefined;
  readonly home?: string | undefined;
  readonly network?: string | undefined;
}

/** The instance whose nodes a command asks. */
export interface Chosen {
  readonly instance: Instance;
  readonly isRunning: boolean;
}

interface Situation {
  readonly env: NodeJS.ProcessEnv;
  /** Working directory of the shell. */
  readonly directory: string;
  /** The instance that a command without a name means. */
  readonly usual: () => Promise<string>;
  /** Names of the variables with an instance, those first that count. */
  readonly variables: readonly string[];
  /** Whether an instance has the parts required by the command. */
  readonly has: (instance: Instance) => boolean;
  readonly onNote: (line: string) => void;
}

interface Running {
  readonly paths: InstancePaths;
  readonly run: RunFile;
}

/**
 * Finds the instance that a command means: the one chosen by flag, by environment or because the command runs
 * inside of it; else the usual one if that runs; else the only running one.
 *
 * @returns `undefined` if none was named and none has the requested parts.
 * @throws {Failure} if several run and the choice is open.
 */
export async function chooseInstance(choice: InstanceChoice, situation: Situation): Promise<Chosen | undefined> {
  const { env, has, onNote } = situation;
  const home = homeDirectory(choice.home, env);
  const network = (run: RunFile | undefined) => choice.network ?? run?.network ?? 'local';
  const open = (paths: InstancePaths): Chosen => {
    const run = currentRun(paths);
    return { instance: readInstance(paths, network(run), env), isRunning: run !== undefined };
  };
  const running = instanceNames(home).flatMap((name): Running[] => {
    const paths = instancePaths(home, name);
    const run = currentRun(paths);
    return run === undefined ? [] : [{ paths, run }];
  });
  const named = findName(choice, home, running, situation);
  if (named !== undefined) return open(instancePaths(home, named));
  const usual = instancePaths(home, await situation.usual());
  if (choice.network !== undefined) return open(usual);
  const fit = running.filter(({ paths, run }) => has(readInstance(paths, network(run), env))).map(({ paths }) => paths);
  const names = fit.map(({ name }) => name);
  if (names.includes(usual.name)) {
    const others = names.filter((name) => name !== usual.name);
    if (others.length > 0) onNote(`using instance ${usual.name}; ${listed(others)} too: --instance NAME picks one`);
    return open(usual);
  }
  const [only, ...more] = fit;
  if (only !== undefined && more.length > 0) {
    throw usage(`which instance is meant? ${listed(names)}: name one with --instance NAME`);
  }
  if (only !== undefined) {
    onNote(`using instance ${only.name}, the only running one`);
    return open(only);
  }
  if (!existsSync(usual.networks)) return undefined;
  const found = open(usual);
  return has(found.instance) ? found : undefined;
}

function findName(
  { instance }: InstanceChoice,
  home: string,
  running: readonly Running[],
  { env, directory, variables }: Situation,
): string | undefined {
  if (instance !== undefined) return instance;
  const variable = variables.find((name) => (env[name] ?? '') !== '');
  if (variable !== undefined) return env[variable];
  // A process that `dev run` has started knows its run; a shell may stand in the directory of an instance.
  const id = env[RUN_VARIABLE] ?? '';
  const own = id === '' ? undefined : running.find(({ run }) => run.id === id);
  if (own !== undefined) return own.paths.name;
  return instanceNames(home).find((name) => {
    const root = instancePaths(home, name).directory;
    return directory === root || directory.startsWith(`${root}/`);
  });
}

const listed = (names: readonly string[]) => `${names.join(', ')} ${names.length === 1 ? 'runs' : 'run'}`;
