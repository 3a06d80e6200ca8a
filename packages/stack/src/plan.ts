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
  type Source,
  settingsFor,
  type Text,
  textOf,
  urlOf,
  type Value,
} from './process.ts';
import { composer } from './processes/composer.ts';
import { conductor, type LayerAccess, readsLayer } from './processes/conductor.ts';
import { da, localLayerSettings } from './processes/da.ts';
import { evm } from './processes/evm.ts';
import { explorer } from './processes/explorer.ts';
import { coinOf, FAUCET_KINDS, type FaucetKind, faucet } from './processes/faucet.ts';
import { messenger } from './processes/messenger.ts';
import { relayer } from './processes/relayer.ts';
import { sequencer } from './processes/sequencer.ts';
import { withdrawer } from './processes/withdrawer.ts';

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
function bound<T extends Value>(value: T): T {
  return typeof value === 'object' ? { ...value, differs: 'error' } : value;
}

/** Milliseconds between two looks at a layer on this machine; a light node of others is asked less often. */
export const LAYER_POLL_MS = '250';

/** Titles of the faucets, which one network has several of. */
const FAUCET_TITLES: Readonly<Record<FaucetKind, string>> = {
  evm: 'Faucet',
  sequencer: 'Sequencer faucet',
  messenger: 'Messenger faucet',
  rollup: 'Rollup faucet',
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
  const running = (member: Member, program: Program) => ({
    ...{ forceStdout: true, prettyPrint: true, metricsHttpListenerAddr: usual(member, program, 'metrics') },
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
  const several = {
    sequencerAbciEndpoint: ofNodes(rpc, 'rpc', sequencer.fields.cometbftRpcUrl),
    sequencerGrpcEndpoint: ofNodes(grpc, 'grpc', sequencer.fields.grpcAddr),
  };
  const one = { sequencerAbciEndpoint: rpc, sequencerGrpcEndpoint: grpc };
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
    const chain = other?.expectedCelestiaChainId ?? layerChain ?? (poster && stated(poster, relayer.fields.daChainId));
    const isRead = readsLayer(stated(member, conductor.fields.executionCommitLevel)?.value ?? textOf(level));
    const expectedCelestiaChainId = isRead ? bound(chain) : chain;
    const celestiaAuthors = other?.celestiaAuthors ?? network.authors?.();
    if (other !== undefined) {
      const { level: _, grpc: __, ...access } = other;
      return { level, access: { ...access, expectedCelestiaChainId, celestiaAuthors } };
    }
    const node = url(layer, da, 'rpc');
    if (layerPlace === undefined) return { level, access: { celestiaNodeHttpUrl: node, expectedCelestiaChainId } };
    const celestiaBlockTimeMs = follow(LAYER_POLL_MS, layerPlace);
    const celestiaNodeHttpUrl = isRead ? bound(node) : node;
    return { level, access: { celestiaNodeHttpUrl, expectedCelestiaChainId, celestiaAuthors, celestiaBlockTimeMs } };
  };

  return {
    pages,
    sequencer: (member) => {
      const index = nodeIndex(member);
      const ports = nodePorts(index, offset);
      const shared = { quietBlockIntervalMs: 12_000, retainBlocks: 100_000, retainMegabytes: 128 };
      if (kind === 'cometbft') {
        return settingsFor(sequencer, {
          ...{ engine: 'cometbft', listenAddr: `tcp://127.0.0.1:${ports.abci}` },
          ...{ cometbftRpcUrl: `http://127.0.0.1:${ports.rpc}`, genesisFilepath: places.sequencerGenesis },
          ...{ grpcAddr: `127.0.0.1:${ports.grpc}`, dbFilepath: places.data(`node-${index}/sequencer`), ...shared },
          ...{ ...running(member, sequencer), metricsHttpListenerAddr: `127.0.0.1:${ports.metrics}` },
        });
      }
      return settingsFor(sequencer, {
        ...{ rpcAddr: bound(listenerOf(network.rpc)), genesisFilepath: places.sequencerGenesis },
        privValidatorKeyFile: places.config('priv_validator_key.json'),
        ...{ grpcAddr: bound(listenerOf(network.grpc)), dbFilepath: places.data('sequencer'), ...shared },
        ...running(member, sequencer),
      });
    },
    composer: (member) =>
      settingsFor(composer, {
        ...{ grpcAddr: usual(member, composer, 'collector'), apiListenAddr: usual(member, composer, 'health') },
        ...{ ...several, sequencerChainId: chainId, privateKeyFile: places.composerKey },
        ...{ allowDevKey: network.allowDevKey || undefined, dbFilepath: places.data('composer') },
        maxSubmitIntervalMs: 20,
        // Below the limit of a sequencer for a transaction: that of the genesis here, and of 256,000 bytes elsewhere.
        maxBytesPerBundle: kind === 'remote' ? 200_000 : 500_000,
        feeAsset:
          kind === 'solo' ? asset : { ...asset, written: true, ...(kind === 'remote' && { differs: 'warning' }) },
        ...{ grpcSecretFile: places.composerSecret, ...running(member, composer) },
      }),
    da: (member) =>
      localLayerSettings(network.layerAccount, {
        ...{ apiListenAddr: usual(member, da, 'rpc'), grpcAddr: usual(member, da, 'grpc') },
        ...{ dbFilepath: places.data('da'), emptyBlockIntervalMs: 12_000, ...running(member, da) },
      }),
    relayer: (member) => {
      const other = network.layerOf?.(member.label);
      return settingsFor(relayer, {
        ...{ ...several, sequencerChainId: chainId },
        daGrpcEndpoint: layer === undefined ? other?.grpc : bound(url(layer, da, 'grpc')),
        daChainId: bound(layerChain ?? other?.expectedCelestiaChainId),
        privateKeyFile: places.config('relayer_dev_priv_key'),
        // Blocks wait for each other only while the transaction before is under way.
        batchMs: layer === undefined ? 200 : 1_000,
        ...{ dbFilepath: places.data('relayer'), apiListenAddr: usual(member, relayer, 'health') },
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
      return settingsFor(conductor, {
        ...{ executionRpcUrl: fed && url(fed, programOf(fed), 'execution'), executionCommitLevel: level },
        ...{ sequencerGrpcUrl: several.sequencerGrpcEndpoint, sequencerCometbftUrl: several.sequencerAbciEndpoint },
        ...{ expectedSequencerChainId: chainId, sequencerBlockTimeMs: pace && { ...pace, differs: 'warning' } },
        ...{ apiListenAddr: usual(member, conductor, 'health'), executionSecretFile: places.executionSecret },
        ...{ ...access, ...running(member, conductor) },
      });
    },
    messenger: (member) => {
      const payer = ours('faucet').find((each) => kindOf(each) === 'messenger' && isStarted(each, faucet));
      return settingsFor(messenger, {
        ...{ restAddr: usual(member, messenger, 'http'), executionGrpcAddr: usual(member, messenger, 'execution') },
        ...{ dbFilepath: places.data('rollup'), genesisFilepath: places.messengerGenesis, retainBlocks: 50_000 },
        ...{ sequencerChainId: chainId, composerAddr: collector, ...secrets },
        ...{ explorerUrl, faucetUrl: url(payer, faucet, 'http'), pages, ...running(member, messenger) },
      });
    },
    evm: (member) =>
      settingsFor(evm, {
        ...{ genesisFilepath: places.evmGenesis, dbFilepath: places.data('evm') },
        ...{ executionGrpcAddr: usual(member, evm, 'execution'), httpAddr: usual(member, evm, 'http') },
        ...{ wsAddr: usual(member, evm, 'ws'), composerAddr: collector, retainBlocks: 20_000 },
        ...{ devAccounts: kind !== 'remote' || undefined, ...secrets, ...running(member, evm) },
      }),
    withdrawer: (member) => {
      const [prefix] = member.label.split('-withdrawer');
      const isEvm = prefix === 'evm' || acting('evm').some(({ label }) => label === prefix);
      // Several rollups in one process have a withdrawer each, of their name.
      const named = rollups.find(({ label }) => label === prefix) ?? (isEvm ? evmNode : acting('messenger')[0]);
      return settingsFor(withdrawer, {
        kind: isEvm ? 'evm' : 'framework',
        // If another program has taken the place of the rollup, its withdrawals are unknown.
        enabled: named?.isOurs === true ? undefined : follow('false', noLayer),
        apiListenAddr: usual(member, withdrawer, 'http'),
        rollupUrl: url(named, isEvm ? evm : messenger, 'http'),
        ...{ ...one, sequencerChainId: chainId },
        privateKeyFile: places.config(`${isEvm ? 'evm_' : ''}withdrawer_dev_priv_key`),
        ...{ commitment: 'soft', pollMs: 250, dbFilepath: places.data(member.label), ...running(member, withdrawer) },
      });
    },
    faucet: (member) => {
      const paid = kindOf(member);
      // If another program has taken the place of the messenger, there is nothing to pay on.
      const enabled = paid === 'messenger' && chat === undefined ? follow('false', noLayer) : undefined;
      const coins = { asset, symbol: mapText(asset, coinOf), precision: 9 };
      // One claim is enough to write for long, and a shared network has one client for many people.
      const claims = { minutes: 60, clientClaims: 100 };
      return settingsFor(faucet, {
        ...{ kind: paid, enabled, listenAddr: usual(member, faucet, 'http'), rpcUrl: url(evmNode, evm, 'http') },
        ...{ ...one, rollupUrl: chat, ...(paid === 'sequencer' && coins), ...(paid === 'messenger' && claims) },
        privateKeyFile: places.config(`${paid === 'evm' ? '' : `${paid}_`}faucet_dev_priv_key`),
        ...{ dbFilepath: places.data(member.label), explorerUrl, walletRpcUrl: url(ours('evm')[0], evm, 'http') },
        allowedOrigins: paid === 'messenger' ? chat && mapText(chat, originsOf) : undefined,
        ...{ pages, ...running(member, faucet) },
      });
    },
    explorer: (member) =>
      settingsFor(explorer, {
        ...{ listenAddr: usual(member, explorer, 'http'), ...one, chainId },
        composerUrl: url(acting('composer')[0], composer, 'health'),
        relayerUrl: url(ours('relayer')[0], relayer, 'health'),
        withdrawerUrls: urls(ours('withdrawer'), withdrawer, 'http'),
        rollupUrls: urls(
          rollups.filter(({ acts }) => acts !== 'evm'),
          messenger,
          'http',
        ),
        evmUrls: urls(acting('evm'), evm, 'http'),
        ...{ dbFilepath: places.data('explorer'), pages, ...running(member, explorer) },
      }),
  };
}
