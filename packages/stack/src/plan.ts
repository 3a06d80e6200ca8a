import { type Field, type NetworkPage, networkPagesText } from '@switchyard/service/settings';
import { nodePorts, usualListener } from './ports.ts';
import {
  type Entry,
  type Followed,
  joined,
  listenerOf,
  mapText,
  originsOf,
  type Program,
  type ProgramName,
  type Running,
  type SequencerAccess,
  type Source,
  type Text,
  textOf,
  urlOf,
} from './process.ts';
import { composer, composerSettings } from './processes/composer.ts';
import { conductor, conductorSettings, type LayerAccess, readsLayer } from './processes/conductor.ts';
import { da, localLayerSettings } from './processes/da.ts';
import { evm, evmSettings } from './processes/evm.ts';
import { explorer, explorerSettings } from './processes/explorer.ts';
import { coinOf, FAUCET_KINDS, type FaucetKind, faucet, faucetSettings } from './processes/faucet.ts';
import { messenger, messengerSettings } from './processes/messenger.ts';
import { relayer, relayerSettings } from './processes/relayer.ts';
import { sequencer, sequencerSettings } from './processes/sequencer.ts';
import { withdrawer, withdrawerSettings } from './processes/withdrawer.ts';

/*
 * A network on one machine: from its members and a few facts, the settings of every member. A value that another member or a
 * fact decides is a `Followed`, so it cannot disagree with its origin, and its place is known.
 */

/** A service of a network. */
export interface Member {
  readonly label: string;
  /** The program of ours that it runs, or stands in for; `undefined` for one that stands for none. */
  readonly acts: ProgramName | undefined;
  /** Whether it runs our program: the settings of another one are unknown. */
  readonly isOurs: boolean;
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
  layerOf?(label: string): NetworkLayer | undefined;
  /** Account that has the funds of a new local layer: `celestia1...`. */
  readonly layerAccount: string;
  /** Where the start page listens, as `host:port`, if there is one. */
  readonly startPage?: string | undefined;
  /** Whether the composer of a remote network may pay with a key that everybody has. */
  readonly allowDevKey?: boolean | undefined;
}

export interface NetworkLayer extends LayerAccess {
  readonly level: Text;
  /** Consensus node of the layer, for relayers. */
  readonly grpc?: Text | undefined;
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

const nodeIndex = ({ label }: Member) => Number(/^sequencer-(\d+)$/.exec(label)?.[1] ?? 0);

/** Settings of every member, by its label. Of a program that is not ours, those of the program that it stands in for. */
export function planNetwork(network: Network, stated: Stated): ReadonlyMap<string, readonly Entry[]> {
  const plan = planner(network, stated);
  return new Map(
    network.members.map((member) => [member.label, member.acts === undefined ? [] : plan[member.acts](member)]),
  );
}

/** Settings of one member. */
export function planMember(network: Network, stated: Stated, member: Member): readonly Entry[] {
  return member.acts === undefined ? [] : planner(network, stated)[member.acts](member);
}

/** A value that every process has to agree with. */
function bound<T extends Text | undefined>(text: T): T {
  return typeof text === 'object' ? { ...text, differs: 'error' } : text;
}

/** Milliseconds between two looks at a layer on this machine; a light node of others is asked less often. */
export const LAYER_POLL_MS = '250';

/** Titles of the faucets, which one network has several of. */
const FAUCET_TITLES: Readonly<Record<FaucetKind, string>> = {
  evm: 'Faucet',
  sequencer: 'Sequencer faucet',
  messenger: 'Messenger faucet',
};

/** The pages of a network, as the setting of each process that serves one; `undefined` where none does. */
export function pagesOf(network: Network, stated: Stated): Followed | undefined {
  return planner(network, stated).pages;
}

type Planner = Readonly<Record<ProgramName, (member: Member) => Entry[]>> & {
  readonly pages: Followed | undefined;
};

function planner(network: Network, stated: Stated): Planner {
  const { name, members, kind, places, offset } = network;
  const isRollup = ({ acts }: Member) => acts === 'messenger' || acts === 'evm';
  const acting = (program: ProgramName) => members.filter(({ acts }) => acts === program);
  const ours = (program: ProgramName) => acting(program).filter(({ isOurs }) => isOurs);
  const place = ({ label }: Member): Source => ({
    file: places.networksFile,
    key: `networks.${name}.services.${label}`,
  });
  const usual = (member: Member, program: Program, listener: string) =>
    usualListener(program, listener, { label: member.label, offset });
  /** Where a member listens, for the others. */
  const listens = (member: Member | undefined, program: Program, listener: string): Followed | undefined => {
    const field = program.listeners[listener]?.field;
    if (member === undefined || field === undefined) return undefined;
    return stated(member, field) ?? { value: usual(member, program, listener), from: place(member) };
  };
  const url = (...of: Parameters<typeof listens>): Text | undefined => {
    const listener = listens(...of);
    return listener && urlOf(listener);
  };
  const urls = (of: readonly Member[], program: Program, listener: string) =>
    joined(of.flatMap((member) => url(member, program, listener) ?? []));
  const isStarted = (member: Member, { enabled }: Program) =>
    enabled === undefined || !/^(0|false|off|no)$/i.test(stated(member, enabled)?.value.trim() ?? '');
  const running = (member: Member, program: Program): Running => ({
    ...{ forceStdout: true, prettyPrint: true, metrics: usual(member, program, 'metrics') },
  });

  const { networksFile } = places;
  /** Other chains may be reached by many nodes; here one listens, and what is called has to be that one. */
  const node = kind === 'remote' ? (text: Followed) => text : bound;
  const rpc: Followed = { ...node(network.rpc), overrides: true };
  const grpc: Followed = { ...node(network.grpc), overrides: true };
  const chainId: Followed = { ...bound(network.chainId), overrides: true };
  const nodes = kind === 'cometbft' ? acting('sequencer') : [];
  const ofNodes = (single: Followed, port: 'rpc' | 'grpc', field: Field<unknown>): Text =>
    nodes.length === 0
      ? single
      : {
          ...single,
          value: nodes
            .map((node) => {
              const at = `127.0.0.1:${nodePorts(nodeIndex(node), offset)[port]}`;
              return textOf(urlOf(stated(node, field)?.value ?? at));
            })
            .join(','),
        };
  /** For readers that go from one node to the next, and for those that know one. */
  const several: SequencerAccess = {
    rpc: ofNodes(rpc, 'rpc', sequencer.fields.cometbftRpcUrl),
    grpc: ofNodes(grpc, 'grpc', sequencer.fields.grpcAddr),
    chainId,
  };
  const one: SequencerAccess = { rpc, grpc, chainId };
  const { asset } = network;

  const collector = bound(url(acting('composer')[0], composer, 'collector'));
  const secrets = { executionSecretFile: places.executionSecret, composerSecretFile: places.composerSecret };
  const rollups = members.filter(isRollup);
  const programOf = (member: Member) => (member.acts === 'evm' ? evm : messenger);
  const evmNode = acting('evm')[0];
  const chat = url(ours('messenger')[0], messenger, 'http');
  const [page] = ours('explorer').filter((member) => isStarted(member, explorer));
  const explorerUrl = url(page, explorer, 'http');
  const kindOf = (member: Member): FaucetKind => {
    const text = stated(member, faucet.fields.kind)?.value;
    return FAUCET_KINDS.find((each) => each === (text ?? member.label.replace(/-?faucet$/, ''))) ?? 'evm';
  };
  const pageAt = (kind: NetworkPage['kind'], at: Text | undefined, path = '', title = ''): NetworkPage[] =>
    at === undefined ? [] : [{ kind, title, url: `${textOf(at)}${path}` }];
  const served = [
    ...ours('messenger')
      .slice(0, 1)
      .flatMap(() => [...pageAt('chat', chat), ...pageAt('api', chat, '/docs')]),
    ...pageAt('explorer', explorerUrl),
    ...ours('faucet')
      .filter((member) => isStarted(member, faucet))
      .flatMap((member) => pageAt('faucet', url(member, faucet, 'http'), '', FAUCET_TITLES[kindOf(member)])),
  ];
  const start = pageAt('start', network.startPage === undefined ? undefined : urlOf(network.startPage));
  const pages: Followed | undefined =
    served.length === 0
      ? undefined
      : {
          value: networkPagesText({ network: name, pages: [...start, ...served] }),
          from: { file: places.networksFile, key: `networks.${name}.services` },
        };
  const layer = ours('da')[0];
  const layerPlace = layer && place(layer);
  const layerChain =
    layer &&
    (stated(layer, da.fields.chainId) ?? {
      value: da.fields.chainId.fallback ?? '',
      from: place(layer),
    });
  const follow = (value: string, from: Source): Followed => ({ value, from });
  const noLayer = { file: networksFile, key: `networks.${name}.services` };

  const [poster] = ours('relayer');
  const layerFor = (member: Member): { readonly level: Text; readonly access: LayerAccess } => {
    const other = network.layerOf?.(member.label);
    const level = other?.level ?? (layerPlace ? follow('SoftAndFirm', layerPlace) : follow('SoftIsFirm', noLayer));
    // The layer that a relayer posts to, where no node of it is known.
    const chain = other?.chainId ?? layerChain ?? (poster && stated(poster, relayer.fields.daChainId));
    const isRead = readsLayer(stated(member, conductor.fields.executionCommitLevel)?.value ?? textOf(level));
    const chainId = isRead ? bound(chain) : chain;
    const authors = other?.authors ?? network.authors?.();
    if (other !== undefined) return { level, access: { ...other, chainId, authors } };
    const node = url(layer, da, 'rpc');
    if (layerPlace === undefined) return { level, access: { url: node, chainId } };
    const blockTimeMs = follow(LAYER_POLL_MS, layerPlace);
    return { level, access: { url: isRead ? bound(node) : node, chainId, authors, blockTimeMs } };
  };

  return {
    pages,
    sequencer: (member) => {
      const index = nodeIndex(member);
      const ports = nodePorts(index, offset);
      const shared = { quietBlockMs: 12_000, retain: { blocks: 100_000, megabytes: 128 } };
      if (kind === 'cometbft') {
        return sequencerSettings({
          engine: {
            ...{ kind: 'cometbft', abci: `tcp://127.0.0.1:${ports.abci}`, rpc: `http://127.0.0.1:${ports.rpc}` },
            genesis: places.sequencerGenesis,
          },
          ...{ grpc: `127.0.0.1:${ports.grpc}`, data: places.data(`node-${index}/sequencer`), ...shared },
          ...{ ...running(member, sequencer), metrics: `127.0.0.1:${ports.metrics}` },
        });
      }
      return sequencerSettings({
        engine: {
          ...{ kind: 'solo', rpc: bound(listenerOf(network.rpc)), genesis: places.sequencerGenesis },
          validatorKey: places.config('priv_validator_key.json'),
        },
        ...{ grpc: bound(listenerOf(network.grpc)), data: places.data('sequencer'), ...shared },
        ...running(member, sequencer),
      });
    },
    composer: (member) =>
      composerSettings({
        ...{ collector: usual(member, composer, 'collector'), health: usual(member, composer, 'health') },
        ...{ sequencer: several, keyFile: places.composerKey, data: places.data('composer') },
        feeAsset:
          kind === 'solo' ? asset : { ...asset, written: true, ...(kind === 'remote' && { differs: 'warning' }) },
        ...{ secretFile: places.composerSecret, maxSubmitIntervalMs: 20, allowDevKey: network.allowDevKey },
        // Below the limit of a sequencer for a transaction: that of the genesis here, and of 256,000 bytes elsewhere.
        maxBytesPerBundle: kind === 'remote' ? 200_000 : 500_000,
        ...running(member, composer),
      }),
    da: (member) =>
      localLayerSettings({
        ...{ rpc: usual(member, da, 'rpc'), grpc: usual(member, da, 'grpc'), account: network.layerAccount },
        ...{ data: places.data('da'), emptyBlockMs: 12_000 },
        ...running(member, da),
      }),
    relayer: (member) => {
      const other = network.layerOf?.(member.label);
      return relayerSettings({
        ...{ sequencer: several, health: usual(member, relayer, 'health'), data: places.data('relayer') },
        keyFile: places.config('relayer_dev_priv_key'),
        // Blocks wait for each other only while the transaction before is under way.
        batchMs: layer === undefined ? 200 : 1_000,
        layerGrpc: layer === undefined ? other?.grpc : bound(url(layer, da, 'grpc')),
        layerChainId: bound(layerChain ?? other?.chainId),
        ...running(member, relayer),
      });
    },
    conductor: (member) => {
      // Conductors feed the rollups in the order of the file.
      const place = acting('conductor').findIndex(({ label }) => label === member.label);
      const fed = rollups[Math.max(place, 0)];
      const { level, access } = layerFor(member);
      const [first] = acting('sequencer');
      const pace = first && stated(first, sequencer.fields.blockIntervalMs);
      return conductorSettings({
        ...{ execution: fed && url(fed, programOf(fed), 'execution'), sequencer: several, commitLevel: level },
        ...{ health: usual(member, conductor, 'health'), layer: access, secretFile: places.executionSecret },
        blockTimeMs: pace && { ...pace, differs: 'warning' },
        ...running(member, conductor),
      });
    },
    messenger: (member) => {
      const payer = ours('faucet').find((each) => kindOf(each) === 'messenger' && isStarted(each, faucet));
      return messengerSettings({
        ...{ http: usual(member, messenger, 'http'), execution: usual(member, messenger, 'execution') },
        ...{ genesis: places.messengerGenesis, data: places.data('rollup'), retainBlocks: 50_000 },
        ...{ sequencerChainId: chainId, collector, explorer: explorerUrl, faucet: url(payer, faucet, 'http') },
        pages,
        ...{ ...secrets, ...running(member, messenger) },
      });
    },
    evm: (member) =>
      evmSettings({
        ...{ http: usual(member, evm, 'http'), ws: usual(member, evm, 'ws') },
        ...{ execution: usual(member, evm, 'execution'), genesis: places.evmGenesis, data: places.data('evm') },
        ...{ collector, retainBlocks: 20_000, devAccounts: kind !== 'remote', ...secrets, ...running(member, evm) },
      }),
    withdrawer: (member) => {
      const [prefix] = member.label.split('-withdrawer');
      const isEvm = prefix === 'evm' || acting('evm').some(({ label }) => label === prefix);
      // Several rollups in one process have a withdrawer each, of their name.
      const named = rollups.find(({ label }) => label === prefix) ?? (isEvm ? evmNode : acting('messenger')[0]);
      return withdrawerSettings({
        ...{ kind: isEvm ? 'evm' : 'framework', http: usual(member, withdrawer, 'http'), sequencer: one },
        rollup: url(named, isEvm ? evm : messenger, 'http'),
        // Where another program has taken the place of the rollup, its withdrawals are unknown.
        enabled: named?.isOurs === true ? undefined : follow('false', noLayer),
        keyFile: places.config(`${isEvm ? 'evm_' : ''}withdrawer_dev_priv_key`),
        ...{ commitment: 'soft', pollMs: 250, data: places.data(member.label), ...running(member, withdrawer) },
      });
    },
    faucet: (member) => {
      const paid = kindOf(member);
      const kinds = {
        evm: {},
        sequencer: { asset, symbol: mapText(asset, coinOf), precision: 9 },
        // One claim is enough to write for long, and a shared network has one client for many people.
        messenger: {
          ...{ minutes: 60, clientClaims: 100, allowedOrigins: chat && mapText(chat, originsOf) },
          // Where another program has taken the place of the messenger, there is nothing to pay on.
          enabled: chat === undefined ? follow('false', noLayer) : undefined,
        },
      } as const;
      return faucetSettings({
        ...{ kind: paid, http: usual(member, faucet, 'http'), sequencer: one, explorer: explorerUrl },
        keyFile: places.config(`${paid === 'evm' ? '' : `${paid}_`}faucet_dev_priv_key`),
        ...{ data: places.data(member.label), rpc: url(evmNode, evm, 'http'), rollup: chat },
        walletRpc: url(ours('evm')[0], evm, 'http'),
        pages,
        ...{ ...kinds[paid], ...running(member, faucet) },
      });
    },
    explorer: (member) =>
      explorerSettings({
        ...{ http: usual(member, explorer, 'http'), sequencer: one, data: places.data('explorer') },
        composer: url(acting('composer')[0], composer, 'health'),
        relayer: url(ours('relayer')[0], relayer, 'health'),
        withdrawers: urls(ours('withdrawer'), withdrawer, 'http'),
        rollups: urls(
          rollups.filter(({ acts }) => acts !== 'evm'),
          messenger,
          'http',
        ),
        evm: urls(acting('evm'), evm, 'http'),
        pages,
        ...running(member, explorer),
      }),
  };
}
