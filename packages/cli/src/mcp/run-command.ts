import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { Failure } from '@switchyard/service/failure';
import type { Cli, Output, World } from '../cli.ts';
import { runProgram } from '../run.ts';

/** Most characters of an answer; a client puts all of it before its model. */
export const MAX_ANSWER = 32_000;

/** The part of the world that commands of a tool get: no terminal, and a signal that aborts when the client cancels. */
export interface ToolWorld {
  readonly env: NodeJS.ProcessEnv;
  readonly directory: string;
  readonly signal: AbortSignal;
}

/**
 * Runs a command in this process, as a command line with `--json` would, and keeps its output.
 *
 * @throws {Failure} with its output, if its exit status is not 0.
 */
export async function runCommand(
  build: (cli: Cli) => CommandUnknownOpts | Promise<CommandUnknownOpts>,
  args: readonly string[],
  { env, directory, signal }: ToolWorld,
): Promise<string> {
  const stdout = boundedOutput();
  const stderr = boundedOutput();
  const world: World = {
    ...{ env, directory, stdout, stderr },
    ask: async () => undefined,
    onStop: (stop) => signal.addEventListener('abort', () => stop('the client'), { once: true }),
  };
  const status = await runProgram(build, args, world);
  if (status === 0) return stdout.text();
  throw new Failure([stdout.text(), stderr.text()].join('').trim());
}

/** Keeps the beginning of the output, and counts the rest. */
function boundedOutput(): Output & { text(): string } {
  let kept = '';
  let length = 0;
  return {
    write(text) {
      length += text.length;
      kept += text.slice(0, Math.max(0, MAX_ANSWER - kept.length));
    },
    text: () => (length > kept.length ? `${kept}\n[cut: ${MAX_ANSWER} of ${length} characters]` : kept),
  };
}
