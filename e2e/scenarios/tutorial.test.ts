import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freeOffset, PORTS, root, run, until } from '../support/network.ts';
import { type Step, shows, stepsOf } from '../support/tutorial.ts';

/** `docs/tutorial.md`, command by command, in one shell session, on ports and in a home of its own. */
const page = join(root, 'docs', 'tutorial.md');
const home = mkdtempSync(join(tmpdir(), 'switchyard-tutorial-'));
const exported: Record<string, string> = {};

beforeAll(async () => {
  const offset = await freeOffset();
  Object.assign(exported, {
    NO_COLOR: '1',
    SWITCHYARD_HOME: home,
    SWITCHYARD_PORT_OFFSET: String(offset),
    ROLLUP_URL: `http://127.0.0.1:${PORTS.rollup + offset}`,
    SEQUENCER_URL: `http://127.0.0.1:${PORTS.rpc + offset}`,
  });
});

afterAll(async () => {
  await run('npx', ['switchyard', 'dev', 'stop', '--instance', 'tutorial'], exported);
  rmSync(home, { recursive: true, force: true });
});

/** The binaries that npx finds, without the half second that npx itself takes for each. */
const shell = (command: string) => command.replaceAll('npx ', `${root}/node_modules/.bin/`);

async function once({ command }: Step) {
  const assignment = /^export (\w+)=(\S+)$/.exec(command);
  if (assignment?.[1] !== undefined && assignment[2] !== undefined) {
    exported[assignment[1]] = assignment[2];
    return { status: 0, stdout: '', stderr: '' };
  }
  return run('bash', ['-c', shell(command)], exported);
}

async function background({ command, output }: Step): Promise<void> {
  const child = spawn('bash', ['-c', `exec ${shell(command)}`], {
    env: { ...process.env, ...exported },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Uint8Array) => (printed += String(chunk)));
  await until(`"${command}" shows its output`, () => {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}:\n${printed}`);
    // The process continues to print after the lines that the page shows.
    return shows([...output, '…'], printed) || undefined;
  });
}

test('the commands of the tutorial print what it shows', async () => {
  const steps = stepsOf(page);
  expect(steps.length).toBeGreaterThan(25);
  for (const step of steps) {
    if (step.mode === 'background') {
      await background(step);
      continue;
    }
    const attempt = async () => {
      const { status, stdout, stderr } = await once(step);
      const got = { line: step.line, command: step.command, status, stdout, stderr };
      if (status === 0 && shows(step.output, stdout)) return got;
      throw new Error(`expected:\n${step.output.join('\n')}\ngot: ${JSON.stringify(got, null, 2)}`);
    };
    if (step.mode === 'eventually') await until(step.command, attempt);
    else await attempt();
  }
});
