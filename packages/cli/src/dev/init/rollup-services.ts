import { address, url } from '../instance/ports.ts';
import { SERVICE_VERSION } from '../services/builtin.ts';
import { hasEvm, hasMessenger, type Template } from './templates.ts';

const text = JSON.stringify;

export type Settings = readonly (readonly [key: string, value: string])[];

/** What differs between the networks on which the rollups of a template run. */
export interface RollupServices {
  readonly network: string;
  readonly template: Template;
  readonly offset: number;
  /** What each conductor has of its own. */
  readonly conductor?: Settings;
  /** Where genesis files and state are; absent: where the base settings say. */
  readonly places?: {
    readonly messengerGenesis: string;
    readonly evmGenesis: string;
    /** Of the state of a service, by its label. */
    state(service: string): string;
  };
  /** Whether there is an account on the sequencer that a faucet may give from. */
  readonly sequencerFaucet?: boolean;
  /** Whether the EVM node signs with published keys: only where all of the network is on this machine. */
  readonly devAccounts?: boolean;
  /** Whether the conductor of the network feeds a rollup already, so that each one here needs its own. */
  readonly conductorIsBusy?: boolean;
}

/** The tables of rollups that are added to a network that has a conductor. */
export function addedRollupServices(options: RollupServices): string {
  const { template, conductorIsBusy } = options;
  const messenger = hasMessenger(template)
    ? `${messengerService(options)}${conductorIsBusy ? secondConductor(options, 'rollup-conductor') : ''}`
    : '';
  return `${messenger}${hasEvm(template) ? evmServices(options) : ''}`;
}

/** The table of a service that comes with Switchyard. */
export function serviceTable(network: string, name: string, { more = '', program = '' } = {}): string {
  return `
[networks.${network}.services.${name}]
name = "${name}"
version = "${SERVICE_VERSION}"
download_url = ""
local_path = ${text(program)}
args = []
${more}`;
}

/** The variables that only this service has; nothing when there are none. */
export function envTable(network: string, service: string, settings: Settings): string {
  if (settings.length === 0) return '';
  const lines = settings.map(([key, value]) => `${key} = ${text(value)}\n`).join('');
  return `\n[networks.${network}.services.${service}.env]\n${lines}`;
}

/** The tables of conductors, rollups and faucets. */
export function rollupServices(options: RollupServices): string {
  const { network, template, offset, conductor = [] } = options;
  return [
    serviceTable(network, 'conductor', { more: hasRollup(template) ? '' : onlyAlive(offset) }),
    envTable(network, 'conductor', conductor),
    hasMessenger(template) ? messengerService(options) : '',
    hasEvm(template) ? evmServices(options) : '',
  ].join('');
}

const hasRollup = (template: Template) => template !== 'empty';

/** Without a rollup, a conductor is never ready; it only has to be alive. These lines go when a rollup is added. */
export function onlyAlive(offset: number): string {
  return `# There is no rollup yet, so it is enough that the conductor lives. Remove this line once there is one.
ready = ${text(`${url('conductorApi', offset)}/healthz`)}
`;
}

function messengerService(options: RollupServices): string {
  const { network, places } = options;
  const settings: Settings =
    places === undefined
      ? []
      : [
          ['genesis_filepath', places.messengerGenesis],
          ['db_filepath', places.state('rollup')],
        ];
  return `${serviceTable(network, 'rollup')}${envTable(network, 'rollup', settings)}${messengerFaucet(options)}`;
}

/** Its account is in the rollup's genesis. */
function messengerFaucet(options: RollupServices): string {
  return secondFaucet(options, 'messenger-faucet', [
    ['svc_faucet_kind', 'messenger'],
    ['svc_faucet_listen_addr', address('messengerFaucet', options.offset)],
    ['svc_faucet_metrics_http_listener_addr', address('messengerFaucetMetrics', options.offset)],
    ['svc_faucet_private_key_file', '$SWITCHYARD_INSTANCE/config/messenger_faucet_dev_priv_key'],
    // One claim is enough to write for long, and a shared network has one client for many people.
    ['svc_faucet_minutes', '60'],
    ['svc_faucet_client_claims', '100'],
  ]);
}

function evmServices(options: RollupServices): string {
  const { network, places, template } = options;
  const stored = (service: string, key: string): Settings => (places ? [[key, places.state(service)]] : []);
  const genesis: Settings = places ? [['svc_evm_genesis_filepath', places.evmGenesis]] : [];
  const accounts: Settings = options.devAccounts ? [['svc_evm_dev_accounts', 'true']] : [];
  return [
    serviceTable(network, 'evm'),
    envTable(network, 'evm', [...genesis, ...stored('evm', 'svc_evm_db_filepath'), ...accounts]),
    template === 'evm' && !options.conductorIsBusy ? '' : secondConductor(options, 'evm-conductor'),
    serviceTable(network, 'faucet'),
    envTable(network, 'faucet', stored('faucet', 'svc_faucet_db_filepath')),
    sequencerFaucet(options),
  ].join('');
}

/** A conductor feeds one rollup. */
function secondConductor({ network, offset, conductor = [] }: RollupServices, name: string): string {
  return `${serviceTable(network, name, { program: 'builtin:conductor' })}${envTable(network, name, [
    ...conductor,
    ['svc_conductor_api_listen_addr', address('evmConductorApi', offset)],
    ['svc_conductor_metrics_http_listener_addr', address('evmConductorMetrics', offset)],
  ])}`;
}

/** Shows the sequencer and the rollups of a network. */
export function explorerService({ network, places }: Pick<RollupServices, 'network' | 'places'>): string {
  const settings: Settings = places === undefined ? [] : [['svc_explorer_db_filepath', places.state('explorer')]];
  return `${serviceTable(network, 'explorer')}${envTable(network, 'explorer', settings)}`;
}

function sequencerFaucet(options: RollupServices): string {
  if (options.sequencerFaucet !== true) return '';
  return secondFaucet(options, 'sequencer-faucet', [
    ['svc_faucet_kind', 'sequencer'],
    ['svc_faucet_listen_addr', address('sequencerFaucet', options.offset)],
    ['svc_faucet_metrics_http_listener_addr', address('sequencerFaucetMetrics', options.offset)],
    ['svc_faucet_precision', '9'],
    ['svc_faucet_private_key_file', '$SWITCHYARD_INSTANCE/config/sequencer_faucet_dev_priv_key'],
  ]);
}

/** A faucet whose settings are not those of the base file, which are the EVM rollup's. */
function secondFaucet({ network, places }: RollupServices, name: string, settings: Settings): string {
  const store = places?.state(name) ?? `$SWITCHYARD_INSTANCE/data/${name}`;
  return `${serviceTable(network, name, { program: 'builtin:faucet' })}${envTable(network, name, [
    ...settings,
    // The base settings have it only where there is an EVM rollup.
    ['svc_faucet_pretty_print', 'true'],
    ['svc_faucet_db_filepath', store],
  ])}`;
}
