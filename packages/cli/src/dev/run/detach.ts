import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jsonIn } from '@switchyard/network/supervisor/http-get';
import { createLineCutter } from '@switchyard/network/supervisor/lines';
import { Failure } from '@switchyard/service/failure';
import type { World } from '../../cli.ts';
import { attempt, makeDirectory } from '../files/files.ts';
import { argumentsBeyondUsual, type InstancePaths, instanceArguments } from '../instance/home.ts';
import { requireInstance } from '../instance/instance.ts';
import { currentRun } from '../instance/run-file.ts';
import type { Overview } from '../status/network.ts';
import { banner } from './banner.ts';
import { programsFor } from './programs.ts';

export interface DetachOptions {
  readonly paths: InstancePaths;
  /** More arguments of `dev run`. */
  readonly args: readonly string[];
  readonly world: World;
  readonly json: boolean;
}

const LOOK_EVERY_MS = 25;
const READY = /^ready (\{.*\})$/;

/** Runs `startDetached`, and prints the services with their addresses. @returns it. */
export async function runDetached(options: DetachOptions): Promise<Overview> {
  const { paths, world, json } = options;
  const overview = await startDetached(options);
  if (!json) {
    const programs = programsFor(world.env, world.directory);
    const lines = banner(overview, programs).slice(0, -1);
    const flag = argumentsBeyondUsual(paths);
    const dev = `${programs.switchyard} dev`;
    lines.push('It runs in the background; its state is kept when it is stopped:');
    lines.push(...['status', 'logs --follow', 'stop'].map((verb) => `  ${dev} ${verb}${flag}`));
    world.stdout.write(`${lines.join('\n')}\n`);
  }
  world.stdout.write(`ready ${JSON.stringify(overview)}\n`);
  return overview;
}

/**
 * Starts the tool in the background and waits until all services are ready. Its output in the meantime goes to stderr, and
 * to `logs/run.out` for later.
 *
 * @throws {Failure} when it ends before that, with its reason; nothing is left running then.
 */
export async function startDetached({ paths, args, world }: Omit<DetachOptions, 'json'>): Promise<Overview> {
  requireInstance(paths);
  const running = currentRun(paths);
  if (running !== undefined) {
    throw new Failure(
      `instance ${paths.name} already runs (process ${running.tool.pid}): stop it with \`switchyard dev stop${instanceArguments(paths)}\``,
    );
  }
  makeDirectory(paths.logs);
  const path = join(paths.logs, 'run.out');
  const output = openOutput(path);
  const child = spawnTool(paths, args, world, output.write);
  let hasEnded = false;
  for (const event of ['error', 'exit']) child.once(event, () => (hasEnded = true));
  world.onStop(() => child.kill('SIGTERM'));
  try {
    let overview: Overview | undefined;
    let silent = true;
    const cutter = createLineCutter((line) => {
      const [, text] = READY.exec(line) ?? [];
      if (text === undefined) {
        silent = false;
        world.stderr.write(`${line}\n`);
        // Our own tool wrote it.
      } else overview = jsonIn(text) as Overview;
    });
    while (overview === undefined) {
      // Asked before reading, so that the last words are read.
      const over = hasEnded;
      for (let chunk = output.read(); chunk.length > 0; chunk = output.read()) cutter.push(chunk);
      if (over && overview === undefined) {
        cutter.end();
        throw new Failure(`instance ${paths.name} did not start${silent ? '' : ': see above'} (${path})`);
      }
      if (overview === undefined) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    child.unref();
    return overview;
  } finally {
    output.close();
  }
}

function spawnTool({ name, home }: InstancePaths, args: readonly string[], world: World, output: number): ChildProcess {
  const program = fileURLToPath(new URL('../../../bin/switchyard.mjs', import.meta.url));
  const command = [program, 'dev', 'run', '--background', '--instance', name, '--home', home, ...args];
  return spawn(process.execPath, command, {
    cwd: existsSync(world.directory) ? world.directory : '/',
    env: world.env,
    stdio: ['ignore', output, output],
    // A session of its own: the end of this terminal is not the end of it.
    detached: true,
  });
}

function openOutput(path: string) {
  return attempt(path, 'written', () => {
    const write = openSync(path, 'w', 0o600);
    const read = openSync(path, 'r');
    const buffer = Buffer.alloc(65_536);
    return {
      /** Descriptor for the writer. */
      write,
      read: () => Buffer.from(buffer.subarray(0, readSync(read, buffer))),
      close: () => {
        closeSync(write);
        closeSync(read);
      },
    };
  });
}
