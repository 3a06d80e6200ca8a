import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** The attacker's processor, apart from the network and its honest users. */
export interface Processors {
  /** Prefix of the attacker's command. */
  readonly attacker: readonly string[];
  /** Describes how they are divided. */
  readonly note: string;
}

/** Keeps this process, and its later children, off the last processor, which is the attacker's. */
export function divideProcessors(): Processors {
  const count = availableParallelism();
  if (count < 2) return { attacker: [], note: 'one processor for all' };
  const rest = count === 2 ? '0' : `0-${count - 2}`;
  const pinned = spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', rest, String(process.pid)], {
    stdio: 'ignore',
  });
  if (pinned.status !== 0) return { attacker: [], note: 'taskset is not there: processors are shared' };
  const last = String(count - 1);
  return {
    attacker: ['taskset', '--cpu-list', last],
    note: `network and honest users on processor ${rest}, attacker on ${last}`,
  };
}
