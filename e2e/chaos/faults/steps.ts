import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../support/network.ts';

/** Has processes of ours end themselves by SIGKILL at a chosen step, where a signal from outside would hit none in particular. */
export interface StepKills {
  /** Environment of a service that can be killed so. */
  env(service: string): Readonly<Record<string, string>>;
  /** From now on it takes this many steps: turns of its event loop's callbacks and awaits, each of which may be cut off. */
  begin(service: string, pid: number, steps: number): void;
}

const PRELOAD = join(root, 'e2e', 'dist', 'chaos', 'faults', 'end-at-step.js');

export function createStepKills(directory: string): StepKills {
  const files = join(directory, 'steps');
  mkdirSync(files);
  return {
    env: (service) => ({ NODE_OPTIONS: `--import ${PRELOAD}`, SWITCHYARD_CHAOS_STEPS: join(files, service) }),
    begin(service, pid, steps) {
      writeFileSync(join(files, service), String(steps));
      process.kill(pid, 'SIGUSR2');
    },
  };
}
