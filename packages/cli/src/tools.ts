import { spawn } from 'node:child_process';
import { delimiter, isAbsolute, join } from 'node:path';
import { signalGroup } from '@switchyard/network/supervisor/processes';
import { plain } from '@switchyard/protocol/hidden-characters';
import { isExecutable } from './dev/files/files.ts';

/** The first program of this name that this user may run: on PATH, else in other directories. */
export function programIn(name: string, env: NodeJS.ProcessEnv, others: readonly string[] = []): string | undefined {
  const onPath = (env.PATH ?? '').split(delimiter).filter((directory) => isAbsolute(directory));
  return [...onPath, ...others].map((directory) => join(directory, name)).find(isExecutable);
}

export interface ToolOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Standard input of the program. */
  readonly input?: string | undefined;
  /** Ends the program with all that it has started. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each line that it writes. */
  readonly onLine: (line: string, stream: 'stdout' | 'stderr') => void;
}

/** Bound on the kept output of a tool. */
const KEPT_CHARACTERS = 1_000_000;

/**
 * Runs a tool to its end.
 *
 * @returns its standard output, and if it failed the last line of its standard error, or else how it ended.
 * @throws the system's error if it cannot be run.
 */
export function runTool(
  command: string,
  args: readonly string[],
  { env, cwd, input, signal, onLine }: ToolOptions,
): Promise<{ readonly stdout: string; readonly problem: string | undefined }> {
  return new Promise((resolve, reject) => {
    // In a group of its own, Ctrl+C does not reach it.
    const child = spawn(command, [...args], { env, cwd, detached: signal !== undefined });
    const end = () => child.pid !== undefined && signalGroup(child.pid, 'SIGTERM');
    signal?.addEventListener('abort', end);
    let stdout = '';
    let last = '';
    const formatLines = (text: string) => text.split('\n').flatMap((line) => plain(line.trim()) || []);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout = (stdout + text).slice(0, KEPT_CHARACTERS);
      for (const line of formatLines(text)) onLine(line, 'stdout');
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      for (const line of formatLines(text)) {
        last = line;
        onLine(line, 'stderr');
      }
    });
    child.once('error', reject);
    child.once('close', (code, how) => {
      signal?.removeEventListener('abort', end);
      resolve({ stdout, problem: code === 0 ? undefined : last || (how ?? `exit code ${code}`) });
    });
    // A tool that reads nothing may end first.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
