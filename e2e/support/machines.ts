import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Ran, root, run } from './network.ts';

/** Machines of their own as far as the network goes: namespaces of Linux, joined by a switch that can be cut in two. */
export interface Machines {
  /** Addresses of the machines. */
  readonly hosts: readonly string[];
  /** Starts a program on a machine, in a directory; it ends with the test. */
  start(machine: number, command: readonly string[], directory: string): ChildProcess;
  /** Runs `switchyard` there. */
  switchyard(machine: number, ...args: string[]): Promise<Ran>;
  /** From now on these reach each other, and the others each other. */
  cut(half: readonly number[]): void;
  heal(): void;
  dispose(): Promise<void>;
}

function ip(...args: string[]): boolean {
  return spawnSync('ip', args, { stdio: 'ignore' }).status === 0;
}

/** Whether this user can make namespaces here; else prints that scenarios are left out. */
export function machinesCanBeMade(): boolean {
  const name = `sw-try-${process.pid}`;
  const can = process.platform === 'linux' && ip('netns', 'add', name);
  if (can) ip('netns', 'del', name);
  else console.log('network namespaces cannot be made by this user: the scenario with separate machines is left out');
  return can;
}

export function createMachines(count: number): Machines {
  const prefix = `sw${process.pid}`;
  const hub = `${prefix}-hub`;
  const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  const hosts = names.map((_, index) => `10.77.0.${index + 1}`);
  const children: ChildProcess[] = [];
  const must = (...args: string[]) => {
    if (!ip(...args)) throw new Error(`ip ${args.join(' ')} failed`);
  };
  const remove = () => {
    for (const name of [...names, hub]) ip('netns', 'del', name);
  };
  const attach = (machine: number, bridge: string) => must('-n', hub, 'link', 'set', `v${machine}`, 'master', bridge);
  try {
    must('netns', 'add', hub);
    for (const bridge of ['one', 'two']) {
      must('-n', hub, 'link', 'add', bridge, 'type', 'bridge');
      must('-n', hub, 'link', 'set', bridge, 'up');
    }
    for (const [index, name] of names.entries()) {
      must('netns', 'add', name);
      must('-n', hub, 'link', 'add', `v${index}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
      attach(index, 'one');
      must('-n', hub, 'link', 'set', `v${index}`, 'up');
      must('-n', name, 'addr', 'add', `${hosts[index]}/24`, 'dev', 'eth0');
      for (const device of ['eth0', 'lo']) must('-n', name, 'link', 'set', device, 'up');
    }
  } catch (error) {
    remove();
    throw error;
  }
  const on = (machine: number) => ['netns', 'exec', names[machine] ?? ''];
  const bin = join(root, 'packages', 'cli', 'bin', 'switchyard.mjs');
  return {
    hosts,
    start(machine, command, directory) {
      const child = spawn('ip', [...on(machine), ...command], { cwd: directory, stdio: 'ignore' });
      children.push(child);
      return child;
    },
    switchyard: (machine, ...args) =>
      run('ip', [...on(machine), process.execPath, bin, ...args], { SEQUENCER_URL: '', SEQUENCER_PRIVATE_KEY: '' }),
    cut(half) {
      for (const [index] of names.entries()) attach(index, half.includes(index) ? 'two' : 'one');
    },
    heal() {
      for (const [index] of names.entries()) attach(index, 'one');
    },
    async dispose() {
      await Promise.all(
        children.map((child) => {
          if (child.exitCode !== null || child.signalCode !== null) return undefined;
          const ended = new Promise((resolve) => child.once('exit', resolve));
          child.kill('SIGKILL');
          return ended;
        }),
      );
      remove();
    },
  };
}
