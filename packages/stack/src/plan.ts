import { type Field, type NetworkPage, networkPagesText } from '@switchyard/service/settings';
import type { FaucetKind, Member, Network, ProgramName, Stated } from './network.ts';
import { nodeListener, usualListener } from './ports.ts';
import { type Program, settingsFor } from './process.ts';
import { faucetKind } from './processes/faucet.ts';
import { PROGRAMS } from './programs.ts';
import { type Entry, type Followed, getUrl, type Text, toText } from './values.ts';
import { bound, placeIn, type Wiring } from './wiring.ts';

/*
 * A network on one machine: from its members and a few facts, the settings of every member. A value that another member or a
 * fact decides is a `Followed`, so it cannot disagree with its origin, and its place is known.
 */

/** Settings of every member, by its label. Of a program that is not ours, those of the program that it stands in for. */
export function planNetwork(network: Network, stated: Stated): ReadonlyMap<string, readonly Entry[]> {
  const wiring = toWiring(network, stated);
  return new Map(network.members.map((member) => [member.label, getSettings(member, wiring)]));
}

/** Settings of one member. */
export function planMember(network: Network, stated: Stated, member: Member): readonly Entry[] {
  return getSettings(member, toWiring(network, stated));
}

/** The pages of a network, as the setting of each process that serves one; `undefined` if none does. */
export function findPages(network: Network, stated: Stated): Followed | undefined {
  return toWiring(network, stated).pages;
}

function getSettings(member: Member, wiring: Wiring): readonly Entry[] {
  if (member.program === undefined) return [];
  const program: Program = PROGRAMS[member.program];
  return settingsFor(program, {
    ...program.settings(member, wiring),
    ...{ forceStdout: true, prettyPrint: true, metricsHttpListenerAddr: wiring.usual(member, 'metrics') },
  });
}

function toWiring(network: Network, stated: Stated): Wiring {
  const { kind, offset } = network;
  const members = (name: ProgramName) => network.members.filter(({ program }) => program === name);
  const running = (name: ProgramName) => {
    const { enabled }: Program = PROGRAMS[name];
    const isOn = (member: Member) =>
      !/^(0|false|off|no)$/i.test((enabled && stated(member, enabled)?.value.trim()) ?? '');
    return members(name).filter((member) => member.isBuiltin && isOn(member));
  };
  const usual = (member: Member, listener: string): string => {
    if (member.program === undefined) throw new Error(`${member.label} has no usual addresses`);
    return member.program === 'sequencer' && kind === 'cometbft'
      ? nodeListener(listener, { node: member.node, offset })
      : usualListener(PROGRAMS[member.program], listener, { kind: member.kind, offset });
  };
  const url = (member: Member | undefined, listener: string): Text | undefined => {
    const program: Program | undefined = member?.program && PROGRAMS[member.program];
    const field = program?.listeners[listener]?.field;
    if (member === undefined || field === undefined) return undefined;
    return getUrl(stated(member, field) ?? { value: usual(member, listener), from: placeIn(network, member) });
  };
  /** Other chains may be reached by many nodes; here one listens, and the called one has to be that one. */
  const node = kind === 'remote' ? (text: Followed) => text : bound;
  const rpc: Followed = { ...node(network.rpc), overrides: true };
  const grpc: Followed = { ...node(network.grpc), overrides: true };
  const nodes = kind === 'cometbft' ? members('sequencer') : [];
  const all = (single: Followed, listener: string, field: Field<unknown>): Text => {
    const urls = nodes.map((each) => toText(getUrl(stated(each, field)?.value ?? usual(each, listener))));
    return urls.length === 0 ? single : { ...single, value: urls.join(',') };
  };
  const { cometbftRpcUrl, grpcAddr } = PROGRAMS.sequencer.fields;
  const wiring = {
    ...{ network, stated, members, running, usual, url },
    rollups: network.members.filter(({ program }) => program === 'messenger' || program === 'evm'),
    chainId: { ...bound(network.chainId), overrides: true as const },
    node: { sequencerAbciEndpoint: rpc, sequencerGrpcEndpoint: grpc },
    nodes: {
      sequencerAbciEndpoint: all(rpc, 'rpc', cometbftRpcUrl),
      sequencerGrpcEndpoint: all(grpc, 'grpc', grpcAddr),
    },
  };
  return { ...wiring, pages: pagesIn(wiring) };
}

/** Titles of the faucets, which one network has several of. */
const FAUCET_TITLES: Readonly<Record<FaucetKind, string>> = {
  evm: 'Faucet',
  sequencer: 'Sequencer faucet',
  messenger: 'Messenger faucet',
  rollup: 'Rollup faucet',
};

function pagesIn({ network, stated, running, url }: Omit<Wiring, 'pages'>): Followed | undefined {
  const page = (kind: NetworkPage['kind'], at: Text | undefined, path = '', title = ''): NetworkPage[] =>
    at === undefined ? [] : [{ kind, title, url: `${toText(at)}${path}` }];
  const chat = url(running('messenger')[0], 'http');
  const served = [
    ...page('chat', chat),
    ...page('api', chat, '/docs'),
    ...page('explorer', url(running('explorer')[0], 'http')),
    ...running('faucet').flatMap((each) =>
      page('faucet', url(each, 'http'), '', FAUCET_TITLES[faucetKind(each, stated)]),
    ),
  ];
  if (served.length === 0) return undefined;
  const start = page('start', network.startPage === undefined ? undefined : getUrl(network.startPage));
  return {
    value: networkPagesText({ network: network.name, pages: [...start, ...served] }),
    from: placeIn(network),
  };
}
