import type { Field, standardFields } from '@switchyard/service/settings';
import type { Deployment } from './deployment.ts';
import type { Kind, Member, ProgramName } from './network.ts';
import type { Entry, Value } from './values.ts';
import type { Wiring } from './wiring.ts';

export interface Listener {
  /** The setting with its address. */
  readonly field: Field<unknown>;
  /** Purpose, for people. */
  readonly use: string;
  /** Only bound if the sequencer runs by this engine. */
  readonly engine?: 'solo' | 'cometbft';
}

type StandardFields = ReturnType<typeof standardFields>;
export type ProgramFields = StandardFields & Readonly<Record<string, Field<unknown>>>;

/** Facts for running one of our programs, wherever it runs. */
export interface Program<F extends ProgramFields = ProgramFields, Follows extends string = string> {
  readonly name: ProgramName;
  /** Heading of its settings in a file. */
  readonly title: string;
  /** Every setting that it has. */
  readonly fields: F;
  /** Everything it listens on except its metrics. */
  readonly listeners: Readonly<Record<string, Listener>>;
  /** Ports of further processes of the program in one network. */
  readonly further?: Readonly<Partial<Record<Kind, Readonly<Record<string, number>>>>>;
  /** Which listener answers over HTTP whether it is ready, and where. */
  readonly ready: { readonly listener: string; readonly path: string };
  /** Programs that it may call. Each waits for the others on its own, so all are started at once. */
  readonly needs: readonly ProgramName[];
  /** The setting that names the directory of its state, which no other process may use. */
  readonly store?: Field<unknown>;
  /** The setting that leaves it out of a network if it is false. */
  readonly enabled?: Field<unknown>;
  /** Settings that every network states for itself: they must not reach another one by a file that networks share. */
  readonly unshared?: readonly Field<unknown>[];
  /** Defaults that a new file of settings spells out, so that people find and change them. */
  readonly documented?: readonly Field<unknown>[];
  readonly memory: Memory;
  /** Its settings in a network on one machine, except the common ones. */
  readonly settings: (member: Member, wiring: Wiring) => ValuesFor<F, Follows>;
}

/** A program that manifests describe too. */
export interface Deployable<F extends ProgramFields = ProgramFields, Follows extends string = string>
  extends Program<F, Follows> {
  /** Its settings in pods, containers and on this machine if a manifest describes it, except the common ones. */
  readonly deployed: (deployment: Deployment) => ValuesFor<F, Follows>;
}

export interface Memory {
  /**
   * Megabytes of Node's young generation. A small one keeps memory small; bytes that wait for their block outlive it, and
   * would be collected at a higher price.
   */
  readonly young: number;
  /**
   * Megabytes of the heap on a machine without another bound. Node collects late if the bound is the machine's memory, and
   * is no faster for it; the processes through which all bytes pass would collect all the time within a small one.
   */
  readonly heap?: number;
}

/**
 * Values of a program's settings, by the names of its table. Settings that follow from other processes are stated wherever the program
 * runs, if only as `undefined`: without that, an environment without it would compile.
 */
export type ValuesFor<F, Follows = never> = { readonly [K in keyof F]?: Value } & {
  readonly [K in Follows & string]: Value;
};

/** Settings of a program in the order of their values. */
export function settingsFor<P extends Program>(
  { name: program, fields }: P,
  values: ReturnType<P['settings']>,
): Entry[] {
  const known: Readonly<Record<string, Field<unknown> | undefined>> = fields;
  return Object.entries<Value>(values).flatMap(([name, value]): Entry[] => {
    const field = known[name];
    if (field === undefined) throw new Error(`${program} has no setting ${name}`);
    return [[field, value]];
  });
}
