// The main job: everything that a local network needs, and then one with the messenger rollup, in the foreground, in the instance
// `default`. Each step is stated in a line. Plain Node: it runs before anything is installed.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';
import { startStep } from './progress.mjs';

prepare(true);
console.error(startStep('run'));
const cli = join(root, 'packages', 'cli', 'bin', 'switchyard.mjs');
const child = spawn(process.execPath, [cli, 'up', ...process.argv.slice(2)], { stdio: 'inherit' });
// The terminal sends Ctrl+C to both; the child stops the network and this process waits for it.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
