import { FORKS, type Fork } from '@switchyard/evm-machine/fork';

/** Names of forks in the public tests if they are not ours with a capital. */
const OTHERS: readonly (readonly [name: string, fork: Fork])[] = [
  ['EIP150', 'tangerineWhistle'],
  ['EIP158', 'spuriousDragon'],
  ['ConstantinopleFix', 'petersburg'],
  ['Merge', 'paris'],
];
const NAMES: ReadonlyMap<string, Fork> = new Map([...FORKS.map((fork) => [capital(fork), fork] as const), ...OTHERS]);

/** Undefined for a name of no fork that is known here, and for changes from one to another. */
export function forkNamed(name: string): Fork | undefined {
  return NAMES.get(name);
}

/** Name of a fork in geth and in the public tests. */
export function nameOfFork(fork: Fork): string {
  return OTHERS.find(([name, other]) => other === fork && name !== 'Merge')?.[0] ?? capital(fork);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
