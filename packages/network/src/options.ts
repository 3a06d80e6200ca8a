import { didYouMean } from '@switchyard/service/settings';
import { PROGRAMS } from '@switchyard/stack/programs';
import { BadOptions } from './bad-options.ts';
import { checkFree, type Listen, toOpened } from './listen.ts';
import { getMembers } from './members.ts';
import type { Rollup } from './rollups.ts';

/** A value for each of some parts, by the names of the parts. */
type ByPart<T> = Readonly<Record<string, T>>;

/** Rollups of a network, and the parts around them. */
export interface LocalNetworkOptions<Rollups extends readonly Rollup[] = readonly Rollup[]> {
  /** Each with a name of its own. */
  readonly rollups: Rollups;
  /**
   * Starts the faucets of the sequencer, of the first rollup of each kind of ours, and of each other one whose definition has an action
   * `transfer`: `<rollup>-faucet`, which gives funds of the account in its `/status`.
   */
  readonly faucet?: boolean;
  readonly explorer?: boolean;
  /** Starts the local data-availability layer and a relayer: blocks are firm once they are posted. Else they are at once. */
  readonly layer?: boolean;
  /** Starts a process for each bridge account that pays its withdrawals on the sequencer: `<rollup>-withdrawer`, `<rollup>-withdrawer-2`. */
  readonly withdrawals?: boolean;
  /** Milliseconds between two blocks of the sequencer while there are transactions; 1, if absent. */
  readonly blockIntervalMs?: number;
  /** With `manual`, a sequencer makes its first block, and from then on only those of `network.mine`. `automatic`, if absent. */
  readonly blocks?: 'automatic' | 'manual';
  /**
   * With manual blocks, all hashes follow from this text and from what is in the blocks: it decides the key of the validator, and blocks
   * have a time each second from a fixed one on.
   */
  readonly seed?: string;
  /** Directory for all files, which is made if it is not there and stays. Without one, stores end with the network. */
  readonly directory?: string;
  readonly chainId?: string;
  /** Asset of the sequencer that pays fees. */
  readonly asset?: string;
  /** Listeners that open a port, for clients outside of this process. All others are reached inside it only, without a port. */
  readonly listen?: Listen;
  /** Takes warnings and errors from the logs of rollups of one's own, line by line; standard error, if absent. */
  readonly note?: (line: string) => void;
  /** Settings of single parts as their environment variables, such as `{ sequencer: { SVC_SEQUENCER_LOG: 'debug' } }`. */
  readonly settings?: ByPart<Readonly<Record<string, string>>>;
}

const NAMES: Readonly<Record<keyof LocalNetworkOptions, true>> = {
  ...{ rollups: true, faucet: true, explorer: true, layer: true, withdrawals: true, blockIntervalMs: true, seed: true },
  ...{ blocks: true, directory: true, chainId: true, asset: true, listen: true, note: true, settings: true },
};

/** Names that are parts of the network already, or begin the names of files that it has. */
const RESERVED: ReadonlySet<string> = new Set(Object.keys(PROGRAMS).filter((name) => !/^(messenger|evm)$/.test(name)));

/** Checks options before a genesis is read. @throws {BadOptions} with one line. */
export function checkOptions(options: LocalNetworkOptions): void {
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(NAMES, name))
      throw new BadOptions(`there is no option ${name}${didYouMean(name, Object.keys(NAMES))}`);
  }
  checkRollups(options);
  const { blockIntervalMs } = options;
  if (
    blockIntervalMs !== undefined &&
    !(Number.isInteger(blockIntervalMs) && blockIntervalMs >= 1 && blockIntervalMs <= 60_000)
  ) {
    throw new BadOptions(`blockIntervalMs: expected a whole number from 1 to 60000, got ${blockIntervalMs}`);
  }
  checkBlocks(options);
}

/** @returns the parts of the network, and the listeners that open a port. @throws {BadOptions} with one line. */
export async function checkedMembers(options: LocalNetworkOptions, bridges: ByPart<readonly unknown[]>) {
  const members = getMembers(options, (rollup) => bridges[rollup]?.length ?? 0);
  for (const label of Object.keys(options.settings ?? {})) {
    if (members.some((member) => member.label === label)) continue;
    const labels = members.map((member) => member.label);
    throw new BadOptions(`settings: there is no part ${label}: expected ${labels.join(', ')}`);
  }
  const opened = toOpened(options.listen ?? {}, members);
  await checkFree(opened);
  return { members, opened };
}

/** Settings by which blocks are made in time. */
const PACE = ['blockIntervalMs', 'emptyBlockIntervalMs', 'quietBlockIntervalMs'] as const;

function checkBlocks({ blocks = 'automatic', blockIntervalMs, seed, settings = {} }: LocalNetworkOptions): void {
  if (blocks === 'automatic') {
    if (seed !== undefined)
      throw new BadOptions("seed: expected blocks: 'manual', since other blocks come by the clock");
    return;
  }
  if (blocks !== 'manual') {
    throw new BadOptions(`blocks: expected automatic or manual, got ${JSON.stringify(blocks)}`);
  }
  const problem = 'leave it out, since blocks are manual';
  if (blockIntervalMs !== undefined) throw new BadOptions(`blockIntervalMs: ${problem}`);
  for (const [name] of PACE.map((each) => PROGRAMS.sequencer.fields[each].names)) {
    if (settings.sequencer?.[name] !== undefined) throw new BadOptions(`settings.sequencer.${name}: ${problem}`);
  }
}

function checkRollups({ rollups, faucet }: LocalNetworkOptions): void {
  const names = rollups.map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    if (!/^[a-z][a-z0-9-]{0,31}$/.test(name)) {
      throw new BadOptions(
        `rollups: expected a name of at most 32 lower-case letters, digits and dashes, got ${JSON.stringify(name)}`,
      );
    }
    if (names.indexOf(name) !== index)
      throw new BadOptions(`rollups: two have the name ${name}: give one of them another name`);
    if (RESERVED.has(name) || /-(conductor|faucet|withdrawer(-\d+)?)$/.test(name)) {
      throw new BadOptions(`rollups: ${name} is the name of another part: give the rollup another one`);
    }
  }
  if (faucet === true && names.length === 0) throw new BadOptions('faucet: there is no rollup that it could pay on');
}
