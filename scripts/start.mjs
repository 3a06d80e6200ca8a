// The main job: a local network with the messenger rollup, in the foreground, in the instance `default`.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './prepare.mjs';

const cli = join(root, 'packages', 'cli', 'bin', 'switchyard.mjs');
const child = spawn(process.execPath, [cli, 'up', ...process.argv.slice(2)], { stdio: 'inherit' });
// The terminal sends Ctrl+C to both; the child stops the network and this process waits for it.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
