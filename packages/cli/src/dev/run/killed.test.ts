import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findMark, isRunning } from '@switchyard/network/supervisor/processes';
import { expect, test } from 'vitest';

/** Another process cannot run these sources, so it runs the build. */
const built = join(import.meta.dirname, '..', '..', '..', 'dist', 'dev', 'index.js');

/** A supervisor of one service of ours, which reacts like all of them when their standard input ends. */
const TOOL = `
  import { Supervisor } from ${JSON.stringify(pathToFileURL(built).href)};
  const script = "if (process.env.SWITCHYARD_PARENT_PIPE === '1') process.stdin.on('end', () => process.exit(0)).resume();"
    + "console.log('up'); setInterval(() => {}, 1000)";
  const supervisor = new Supervisor([
    { name: 'own', command: process.execPath, args: ['-e', script], env: {}, own: true, ports: [], after: [] },
  ]);
  supervisor.on((event) => event.kind === 'line' && console.log(supervisor.status()[0].pid));
  supervisor.start();
`;

test.runIf(existsSync(built))('services of ours end with a tool that was killed', async () => {
  const tool = spawn(process.execPath, ['--input-type=module', '-e', TOOL], { stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = await new Promise<number>((resolve) => tool.stdout.once('data', (text) => resolve(Number(text))));
  const service = findMark(pid);
  expect(service).toBeDefined();
  tool.kill('SIGKILL');
  await expect.poll(() => service && isRunning(service), { timeout: 5_000, interval: 20 }).toBe(false);
});
