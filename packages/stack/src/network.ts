import type { fields as conductorFields } from '@switchyard/conductor/config';
import type { Field } from '@switchyard/service/settings';
import type { Followed, Text, Value } from './values.ts';

/* Members of a network on one machine, and the facts from which their settings follow. */

/** Programs of ours, in the order in which a local network starts them; they stop in the reverse. */
export const PROGRAM_NAMES = [
  ...(['sequencer', 'composer', 'messenger', 'evm', 'da'] as const),
  ...(['relayer', 'conductor', 'withdrawer', 'faucet', 'explorer'] as const),
] as const;

export type ProgramName = (typeof PROGRAM_NAMES)[number];

/** Chains and rollups on which a faucet pays: `rollup` is one of an author's. */
export const FAUCET_KINDS = ['evm', 'sequencer', 'messenger', 'rollup'] as const;
export type FaucetKind = (typeof FAUCET_KINDS)[number];

/** Tells the processes of one program in a network apart. */
export type Kind = FaucetKind | 'second';

/** A service of a network. */
export interface Member {
  readonly label: string;
  /** The program of ours that it runs or stands in for; `undefined` for a service that stands in for none. */
  readonly program: ProgramName | undefined;
  /** Whether it runs our program: the settings of another program are unknown. */
  readonly isBuiltin: boolean;
  /** A kind for which the program has `further` ports; absent for the usual process of a program. */
  readonly kind?: Kind | undefined;
  /** Position among the nodes of a network under CometBFT. */
  readonly node?: number;
  /** Label of the rollup whose withdrawals it pays; the first one of its kind, if absent. */
  readonly rollup?: string | undefined;
}

/** Kinds by the first word of a label, for each program that a network of a file has several processes of. */
const KINDS: Readonly<Partial<Record<ProgramName, Readonly<Record<string, Kind>>>>> = {
  conductor: { evm: 'second', rollup: 'second' },
  withdrawer: { evm: 'evm' },
  faucet: Object.fromEntries(FAUCET_KINDS.map((kind) => [kind, kind])),
};

/**
 * A service by its label in a file, such as `evm-conductor`, `sequencer-2` or `messenger-faucet`. Nothing else reads labels.
 *
 * @param program The program that it runs, if the file names one.
 */
export function memberFromLabel(label: string, program = programFromLabel(label), isBuiltin = !!program): Member {
  const [prefix = label] = label.split(`-${program}`);
  const isPrefixed = prefix !== label;
  return {
    ...{ label, program, isBuiltin },
    kind: isPrefixed && program !== undefined ? KINDS[program]?.[prefix] : undefined,
    node: Number(/^sequencer-(\d+)$/.exec(label)?.[1] ?? 0),
    rollup: isPrefixed ? prefix : undefined,
  };
}

/** The program that the last word of a label names. */
const programFromLabel = (label: string) => programNamed(/([a-z]+)(?:-\d+)?$/.exec(label)?.[1]);

/** The program of ours with this name in a file, which has `rollup` for the messenger. */
export function programNamed(name: string | undefined): ProgramName | undefined {
  return PROGRAM_NAMES.find((each) => each === (name === 'rollup' ? 'messenger' : name));
}

/** Facts of a network, each once. */
export interface Network {
  readonly name: string;
  readonly members: readonly Member[];
  readonly chainId: Followed;
  /** Asset that pays fees. */
  readonly asset: Followed;
  /** URLs of the sequencer's first node. */
  readonly rpc: Followed;
  readonly grpc: Followed;
  /** The sequencer runs elsewhere, here by its solo engine, or here under CometBFT. */
  readonly kind: 'remote' | 'solo' | 'cometbft';
  readonly places: Places;
  /** Added to every usual port. */
  readonly offset: number;
  /** Accounts of the relayers here, separated by commas. */
  authors?(): Followed | undefined;
  /** A layer other than the local one. @param label Of the member that uses it. */
  getLayer?(label: string): NetworkLayer | undefined;
  /** Account that has the funds of a new local layer: `celestia1...`. */
  readonly layerAccount: string;
  /** Address of the start page, as `host:port`, if there is one. */
  readonly startPage?: string | undefined;
  /** Whether the composer of a remote network may pay with a key that everybody has. */
  readonly allowDevKey?: boolean | undefined;
}

/** Files of a network. */
export interface Places {
  readonly networksFile: string;
  /** @param name Of a file that all networks share. */
  config(name: string): string;
  /** @param label Of a member with state of its own. */
  data(label: string): string;
  readonly sequencerGenesis: string;
  readonly messengerGenesis: string;
  readonly evmGenesis: string;
  readonly composerKey: string;
  readonly executionSecret: Followed;
  readonly composerSecret: Followed;
}

/** A setting that a file states for a member. */
export type Stated = (member: Member, field: Field<unknown>) => Followed | undefined;

/**
 * Settings of a conductor that follow from the data-availability layer that firm blocks are read from. An archive, and how long to
 * wait for a posted block, are the user's choice.
 */
export type LayerSetting = Exclude<
  Extract<keyof typeof conductorFields, `celestia${string}` | 'expectedCelestiaChainId'>,
  `celestiaArchive${string}` | 'celestiaLookAhead'
>;

export interface NetworkLayer extends Readonly<Partial<Record<LayerSetting, Value>>> {
  readonly level: Text;
  /** Consensus node of the layer, for relayers. */
  readonly grpc?: Text | undefined;
}
