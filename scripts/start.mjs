// The main job: a local network with the messenger rollup, in the foreground, in the instance `default`.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './prepare.mjs';

const cli = join(root, 'packages', 'cli', 'bin', 'switchyard.mjs');
const init = spawnSync(process.execPath, [cli, 'dev', 'init'], {
  stdio: ['inherit', 'pipe', 'inherit'],
  encoding: 'utf8',
});
if (init.status !== 0) {
  process.stdout.write(init.stdout ?? '');
  process.exit(init.status ?? 1);
}
const child = spawn(process.execPath, [cli, 'dev', 'run', '--network', 'local', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// The terminal sends Ctrl+C to both; the child stops the network and this process waits for it.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
