import type { Member, Network, ProgramName, Stated } from './network.ts';
import type { Followed, Source, Text, Value } from './values.ts';

/** Milliseconds between two looks at a layer on this machine; a light node of others is queried less often. */
export const LAYER_POLL_MS = '250';

/** URLs of a sequencer, by the names that most programs have for them. */
export interface SequencerUrls {
  readonly sequencerAbciEndpoint: Text;
  readonly sequencerGrpcEndpoint: Text;
}

/** Members and addresses of a network, from which each program makes its settings. */
export interface Wiring {
  readonly network: Network;
  readonly stated: Stated;
  readonly chainId: Followed;
  /** For programs that know one node of the sequencer, and for programs that go from one node to the next. */
  readonly node: SequencerUrls;
  readonly nodes: SequencerUrls;
  /** The pages of the network, as the setting of each process that serves a page. */
  readonly pages: Followed | undefined;
  /** Rollups, in the order of the file. */
  readonly rollups: readonly Member[];
  /** Members that run a program of ours, or another one in its place. */
  members(program: ProgramName): readonly Member[];
  /** Members that run our program and are not turned off. */
  running(program: ProgramName): readonly Member[];
  /** The address at which a member listens unless a file states another one. */
  usual(member: Member, listener: string): string;
  /** The URL at which other members call a listener. */
  url(member: Member | undefined, listener: string): Text | undefined;
}

/** A value that every process has to agree with. */
export function bound<T extends Value>(value: T): T {
  return typeof value === 'object' ? { ...value, differs: 'error' } : value;
}

/** The place of a member in the files of its network. */
export const placeIn = ({ name, places }: Network, member?: Member): Source => ({
  file: places.networksFile,
  key: `networks.${name}.services${member === undefined ? '' : `.${member.label}`}`,
});
