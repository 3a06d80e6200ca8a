import type { Member, ProgramName } from '@switchyard/stack/network';
import type { Program } from '@switchyard/stack/process';
import { PROGRAMS } from '@switchyard/stack/programs';
import type { AnyProcess } from './programs.ts';
import type { Rollup } from './rollups.ts';

/** A part of a network: a member of its plan that runs a program of ours. */
export interface NetworkMember extends Member {
  readonly program: ProgramName;
  /** A process of the user's, in place of our program. */
  readonly process: AnyProcess | undefined;
  /** Names of its listeners. */
  readonly listeners: readonly string[];
}

/** Far longer than any block of a test takes, and below the five seconds after which Vitest gives up a test. */
const HANDLER_LIMIT_MS = 3_000;

/** Milliseconds that a block of a part may take: handlers of a rollup of the user may have a bug. */
export function findHandlerLimit({ process }: Pick<NetworkMember, 'process'>): number | undefined {
  return process === undefined ? undefined : HANDLER_LIMIT_MS;
}

/** Parts in the order of their dependencies: each wave needs only parts of the earlier ones. */
export function getWaves(members: readonly NetworkMember[]): readonly (readonly NetworkMember[])[] {
  const waves: NetworkMember[][] = [];
  const computeDepth = (program: ProgramName): number => 1 + Math.max(-1, ...PROGRAMS[program].needs.map(computeDepth));
  for (const each of members) {
    const depth = computeDepth(each.program);
    while (waves.length <= depth) waves.push([]);
    waves[depth]?.push(each);
  }
  return waves;
}

/** Choices that decide which parts there are. */
export interface Composition {
  readonly rollups: readonly Pick<Rollup, 'name' | 'program' | 'process' | 'defined'>[];
  readonly faucet?: boolean;
  readonly explorer?: boolean;
  readonly layer?: boolean;
  readonly withdrawals?: boolean;
}

/** Parts of a network, in the order in which they start. @param bridgesOf Counts the bridge accounts of a rollup. */
export function getMembers(composition: Composition, getBridges = (_: string) => 1): readonly NetworkMember[] {
  const { rollups, faucet, explorer, layer, withdrawals } = composition;
  return [
    member('sequencer', 'sequencer'),
    member('composer', 'composer'),
    ...rollups.map(({ name, program, process }) => member(name, program, { process })),
    ...(layer === true ? [member('da', 'da'), member('relayer', 'relayer')] : []),
    // The plan has the first conductor feed the first rollup, and so on.
    ...rollups.map(({ name }) => member(toConductor(name), 'conductor')),
    ...(withdrawals === true ? rollups.flatMap(({ name }) => withdrawers(name, getBridges(name))) : []),
    ...(faucet === true ? faucets(rollups) : []),
    ...(explorer === true ? [member('explorer', 'explorer')] : []),
  ];
}

/** Name of the part that pays withdrawals of a rollup. @param place Of its bridge account, from 0. */
export const toWithdrawer = (rollup: string, place = 0): string =>
  `${rollup}-withdrawer${place === 0 ? '' : `-${place + 1}`}`;

const withdrawers = (rollup: string, length: number): readonly NetworkMember[] =>
  Array.from({ length }, (_, place) => member(toWithdrawer(rollup, place), 'withdrawer', { rollup }));

export const toConductor = (rollup: string): string => `${rollup}-conductor`;

/** A rollup that is not ours has a faucet if its definition has the action by which faucets pay. */
const paysByItself = ({ process, defined }: Pick<Rollup, 'process' | 'defined'>): boolean =>
  process !== undefined && defined?.definition.fields.has('transfer') === true;

function faucets(rollups: Composition['rollups']): NetworkMember[] {
  const kinds = (['messenger', 'evm'] as const).filter((name) =>
    rollups.some((each) => each.program === name && !each.process),
  );
  return [
    ...[...kinds, 'sequencer' as const].map((kind) => member(`${kind}-faucet`, 'faucet', { kind })),
    ...rollups
      .filter(paysByItself)
      .map(({ name: rollup }) => member(`${rollup}-faucet`, 'faucet', { kind: 'rollup', rollup })),
  ];
}

function member(
  label: string,
  program: ProgramName,
  { process, ...facts }: Partial<Pick<NetworkMember, 'process' | 'kind' | 'rollup'>> = {},
): NetworkMember {
  const { listeners }: Program = PROGRAMS[program];
  const bound = Object.entries(listeners).filter(([, { engine }]) => engine !== 'cometbft');
  return { label, program, process, isBuiltin: !process, listeners: bound.map(([name]) => name), ...facts };
}
