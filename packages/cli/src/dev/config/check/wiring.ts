import type { Instance, ServiceEntry } from '../../instance/instance.ts';
import { FIELDS, type SettingField } from '../known-settings.ts';
import { type Role, rollupFields, withRole } from '../roles.ts';
import { type CheckInput, error, type Finding, type Place, warning } from './finding.ts';
import { networkPlace, settingPlace } from './places.ts';

/** Checks calls between services: every address that one is given has to be one where another listens. */
export function checkWiring(input: CheckInput): Finding[] {
  return [...input.instances.flatMap((instance) => wiring(instance)), ...sharedState(input)];
}

type FieldOf = (entry: ServiceEntry) => SettingField;

interface Call {
  readonly from: Role;
  readonly url: FieldOf;
  readonly to: Role;
  /** Under CometBFT, the RPC is CometBFT's own. */
  readonly listens: (entry: ServiceEntry, isComet: boolean) => SettingField;
}

const { composer, conductor, sequencer } = FIELDS;
const rpcOf = (_: ServiceEntry, isComet: boolean) => (isComet ? sequencer.cometbftRpcUrl : sequencer.rpcAddr);

const CALLS: readonly Call[] = [
  {
    from: 'rollup',
    url: (entry) => rollupFields(entry).composerAddr,
    to: 'composer',
    listens: () => composer.grpcAddr,
  },
  {
    ...{ from: 'conductor', url: () => conductor.executionRpcUrl, to: 'rollup' },
    listens: (entry) => rollupFields(entry).executionGrpcAddr,
  },
  { from: 'composer', url: () => composer.sequencerAbciEndpoint, to: 'sequencer', listens: rpcOf },
  { from: 'composer', url: () => composer.sequencerGrpcEndpoint, to: 'sequencer', listens: () => sequencer.grpcAddr },
  { from: 'conductor', url: () => conductor.sequencerCometbftUrl, to: 'sequencer', listens: rpcOf },
  { from: 'conductor', url: () => conductor.sequencerGrpcUrl, to: 'sequencer', listens: () => sequencer.grpcAddr },
];

function wiring(instance: Instance): Finding[] {
  const { network } = instance;
  const findings = CALLS.flatMap(({ from, url, to, listens }) => {
    const listeners = withRole(network, to).map((entry) =>
      settingOrDefault(instance, entry, listens(entry, isComet(instance, entry))),
    );
    // The addresses of a remote sequencer, or of a foreign program, are unknown.
    if (listeners.length === 0) return [];
    return withRole(network, from).flatMap((entry) => {
      const called = settingOrDefault(instance, entry, url(entry));
      const answered = (url: string) => listeners.some((place) => place && reaches(url, place.value));
      // A list of several nodes is right only if each is one.
      if (called === undefined || called.value.split(',').every((url) => answered(url.trim()))) return [];
      const places = [called, ...listeners.filter((place) => place !== undefined)];
      const fix = `make ${called.key} the address at which ${to === 'rollup' ? 'a rollup' : `the ${to}`} listens`;
      return [error(`${entry.name} calls an address where no ${to} of network ${network.name} listens`, places, fix)];
    });
  });
  return [...findings, ...withoutConductor(instance)];
}

const isComet = (instance: Instance, entry: ServiceEntry) =>
  settingPlace(instance, entry, sequencer.engine)?.value === 'cometbft';

/** A rollup that no conductor feeds never gets a block. */
function withoutConductor(instance: Instance): Finding[] {
  const { network } = instance;
  const conductors = withRole(network, 'conductor').map((entry) =>
    settingOrDefault(instance, entry, conductor.executionRpcUrl),
  );
  return withRole(network, 'rollup').flatMap((rollup) => {
    const listens = settingOrDefault(instance, rollup, rollupFields(rollup).executionGrpcAddr);
    if (listens === undefined || conductors.some((place) => place && reaches(place.value, listens.value))) return [];
    const fix = `add a service with local_path = "builtin:conductor" and its own svc_conductor_execution_rpc_url = "http://${listens.value}"`;
    return [warning(`no conductor brings blocks to ${rollup.name}, so nothing is executed`, [listens], fix)];
  });
}

/** Finds stores that services of two chains would share: state of one chain must not be taken for another's. */
function sharedState({ instances }: CheckInput): Finding[] {
  const stores = instances.flatMap((instance) =>
    (
      [
        ['composer', () => composer.dbFilepath],
        ['rollup', (entry: ServiceEntry) => rollupFields(entry).dbFilepath],
        ['sequencer', () => sequencer.dbFilepath],
      ] as const
    ).flatMap(([role, fieldOf]) =>
      withRole(instance.network, role).flatMap((entry) => {
        const field = fieldOf(entry);
        const place = settingPlace(instance, entry, field);
        return place === undefined ? [] : [{ instance, entry, name: field.names[0], place }];
      }),
    ),
  );
  return stores.flatMap((store, index) => {
    const other = stores
      .slice(0, index)
      .find(
        ({ instance, place }) =>
          place.value === store.place.value &&
          instance.network.sequencerChainId !== store.instance.network.sequencerChainId,
      );
    if (other === undefined) return [];
    const { network } = store.instance;
    const places = [
      { ...other.place, key: `${other.place.key} (network ${other.instance.network.name})` },
      { ...store.place, key: `${store.place.key} (network ${network.name})` },
    ];
    const fix = `give ${store.name.toLowerCase()} a directory of its own in [networks.${network.name}.services.${store.entry.label}.env]`;
    return [error(`${store.entry.name} would store the data of two chains in one place`, places, fix)];
  });
}

export function settingOrDefault(instance: Instance, entry: ServiceEntry, field: SettingField): Place | undefined {
  const place = settingPlace(instance, entry, field);
  if (place !== undefined) return place;
  // Defaults of a user's own program are unknown.
  if (entry.localPath !== '' && !entry.localPath.startsWith('builtin:')) return undefined;
  const value = field.fallback;
  return value === undefined
    ? undefined
    : { ...networkPlace(instance, `services.${entry.label}`, value), key: `${field.names[0].toLowerCase()} (default)` };
}

/** Whether a URL leads to a listener, given as `host:port`, on this machine or under the same name. */
export function reaches(url: string, listens: string): boolean {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  const [, host = '', port] = /^(?:http:\/\/)?\[?([^\]]*?)\]?:(\d{1,5})\/?$/.exec(listens) ?? [];
  if (target === undefined || port === undefined) return true; // malformed: the service itself names it
  if (port === '0') return true;
  const called = target.hostname.replace(/^\[|\]$/g, '');
  const samePort = (target.port || (target.protocol === 'https:' ? '443' : '80')) === port;
  return samePort && (host === called || isEverywhere(host) || (isLoopback(host) && isLoopback(called)));
}

const isEverywhere = (host: string) => host === '' || host === '0.0.0.0' || host === '::';
const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127\./.test(host);
