import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Failure } from '../failure.ts';
import { plain } from '../print.ts';

export interface ToolOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Standard input of the program. */
  readonly input?: string;
  /** Called with each line that it writes to its standard error, which is where such tools report progress. */
  readonly say?: (line: string) => void;
}

/** Whether a program of this name is on PATH. */
export function isOnPath(name: string, env: NodeJS.ProcessEnv): boolean {
  return (env.PATH ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return directory !== '';
    } catch {
      return false;
    }
  });
}

/** Most of what a tool prints that is kept. */
const KEPT_CHARACTERS = 1_000_000;

/** Runs a tool to its end. @returns what it wrote to its standard output. @throws {Failure} with the last line that it reported. */
export function runTool(name: string, args: readonly string[], { env, input, say }: ToolOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(name, [...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let last = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout = (stdout + text).slice(0, KEPT_CHARACTERS);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
        last = plain(line.trim());
        say?.(`${name}: ${last}`);
      }
    });
    child.once('error', (error) => reject(new Failure(`${name} cannot be run: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(stdout);
      const how = signal === null ? `exit code ${code}` : signal;
      reject(new Failure(`${[name, ...args].join(' ')} failed: ${last === '' ? how : last}`));
    });
    // A tool that reads nothing may end first.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
