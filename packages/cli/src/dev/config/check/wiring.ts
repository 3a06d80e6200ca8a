import type { Instance, ServiceEntry } from '../../instance/instance.ts';
import { defaultOf } from '../known-settings.ts';
import { type Role, roleOf, rollupSetting, withRole } from '../roles.ts';
import { type CheckInput, error, type Finding, type Place, warning } from './finding.ts';
import { networkPlace, settingPlace } from './places.ts';

/** Who calls whom: every address that one service is given has to be one where another listens. */
export function checkWiring(input: CheckInput): Finding[] {
  return [...input.instances.flatMap((instance) => wiring(instance)), ...sharedState(input)];
}

interface Call {
  readonly from: Role;
  readonly url: string;
  readonly to: Role;
  readonly listens: string;
}

const CALLS: readonly Call[] = [
  { from: 'rollup', url: 'COMPOSER_ADDR', to: 'composer', listens: 'SVC_COMPOSER_GRPC_ADDR' },
  { from: 'conductor', url: 'SVC_CONDUCTOR_EXECUTION_RPC_URL', to: 'rollup', listens: 'EXECUTION_GRPC_ADDR' },
  { from: 'composer', url: 'SVC_COMPOSER_SEQUENCER_ABCI_ENDPOINT', to: 'sequencer', listens: 'SVC_SEQUENCER_RPC_ADDR' },
  {
    from: 'composer',
    url: 'SVC_COMPOSER_SEQUENCER_GRPC_ENDPOINT',
    to: 'sequencer',
    listens: 'SVC_SEQUENCER_GRPC_ADDR',
  },
  {
    from: 'conductor',
    url: 'SVC_CONDUCTOR_SEQUENCER_COMETBFT_URL',
    to: 'sequencer',
    listens: 'SVC_SEQUENCER_RPC_ADDR',
  },
  { from: 'conductor', url: 'SVC_CONDUCTOR_SEQUENCER_GRPC_URL', to: 'sequencer', listens: 'SVC_SEQUENCER_GRPC_ADDR' },
];

function wiring(instance: Instance): Finding[] {
  const { network } = instance;
  const findings = CALLS.flatMap(({ from, url, to, listens }) => {
    const listeners = withRole(network, to).map((entry) =>
      settingOrDefault(instance, entry, nameFor(entry, listensUnder(instance, entry, listens))),
    );
    // The addresses of a remote sequencer, or of a foreign program, are unknown.
    if (listeners.length === 0) return [];
    return withRole(network, from).flatMap((entry) => {
      const called = settingOrDefault(instance, entry, nameFor(entry, url));
      const answered = (url: string) => listeners.some((place) => place && reaches(url, place.value));
      // Of several nodes, each has to be one.
      if (called === undefined || called.value.split(',').every((url) => answered(url.trim()))) return [];
      const places = [called, ...listeners.filter((place) => place !== undefined)];
      const fix = `make ${called.key} the address at which ${to === 'rollup' ? 'a rollup' : `the ${to}`} listens`;
      return [error(`${entry.name} calls an address where no ${to} of network ${network.name} listens`, places, fix)];
    });
  });
  return [...findings, ...withoutConductor(instance)];
}

/** Settings common to all rollups; each reads them under a name of its own. */
const nameFor = (entry: ServiceEntry, name: string) => (roleOf(entry) === 'rollup' ? rollupSetting(entry, name) : name);

/** The RPC of a sequencer under CometBFT is CometBFT's own. */
function listensUnder(instance: Instance, entry: ServiceEntry, listens: string): string {
  const engine = settingPlace(instance, entry, 'SVC_SEQUENCER_ENGINE')?.value;
  const isComet = listens === 'SVC_SEQUENCER_RPC_ADDR' && engine === 'cometbft';
  return isComet ? 'SVC_SEQUENCER_COMETBFT_RPC_URL' : listens;
}

/** A rollup that no conductor feeds never gets a block. */
function withoutConductor(instance: Instance): Finding[] {
  const { network } = instance;
  const conductors = withRole(network, 'conductor').map((entry) =>
    settingOrDefault(instance, entry, 'SVC_CONDUCTOR_EXECUTION_RPC_URL'),
  );
  return withRole(network, 'rollup').flatMap((rollup) => {
    const listens = settingOrDefault(instance, rollup, nameFor(rollup, 'EXECUTION_GRPC_ADDR'));
    if (listens === undefined || conductors.some((place) => place && reaches(place.value, listens.value))) return [];
    const fix = `add a service with local_path = "builtin:conductor" and its own svc_conductor_execution_rpc_url = "http://${listens.value}"`;
    return [warning(`no conductor brings blocks to ${rollup.name}, so nothing is executed`, [listens], fix)];
  });
}

/** What a service has stored of one chain must not be taken for another's. */
function sharedState({ instances }: CheckInput): Finding[] {
  const stores = instances.flatMap((instance) =>
    (
      [
        ['composer', 'SVC_COMPOSER_DB_FILEPATH'],
        ['rollup', 'DB_FILEPATH'],
        ['sequencer', 'SVC_SEQUENCER_DB_FILEPATH'],
      ] as const
    ).flatMap(([role, name]) =>
      withRole(instance.network, role).flatMap((entry) => {
        const setting = nameFor(entry, name);
        const place = settingPlace(instance, entry, setting);
        return place === undefined ? [] : [{ instance, entry, name: setting, place }];
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

export function settingOrDefault(instance: Instance, entry: ServiceEntry, name: string): Place | undefined {
  const place = settingPlace(instance, entry, name);
  if (place !== undefined) return place;
  // Of a program of the user's we know only what the files say.
  if (entry.localPath !== '' && !entry.localPath.startsWith('builtin:')) return undefined;
  const value = defaultOf(name);
  return value === undefined
    ? undefined
    : { ...networkPlace(instance, `services.${entry.label}`, value), key: `${name.toLowerCase()} (default)` };
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
