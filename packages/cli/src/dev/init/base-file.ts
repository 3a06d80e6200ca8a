import { address } from '../instance/ports.ts';
import { hasEvm, type Template } from './templates.ts';

export interface BaseDefaults {
  readonly offset: number;
  readonly template: Template;
}

type Entries = readonly (readonly [key: string, value: string])[];

/** The four settings that all services share, under each one's prefix. */
function telemetry(prefix: string, log: string, metrics: string): Entries {
  return [
    [`${prefix}log`, log],
    [`${prefix}force_stdout`, 'true'],
    [`${prefix}pretty_print`, 'true'],
    [`${prefix}no_otel`, 'true'],
    [`${prefix}no_metrics`, 'true'],
    [`${prefix}metrics_http_listener_addr`, metrics],
  ];
}

interface Section {
  readonly title: string;
  readonly entries: Entries;
}

function sections({ offset, template }: BaseDefaults): readonly Section[] {
  return [
    {
      title: 'Sequencer',
      entries: [
        ['svc_sequencer_db_filepath', '$SWITCHYARD_INSTANCE/data/sequencer'],
        ['svc_sequencer_genesis_filepath', '$SWITCHYARD_INSTANCE/config/genesis.json'],
        ['svc_sequencer_priv_validator_key_file', '$SWITCHYARD_INSTANCE/config/priv_validator_key.json'],
        ['svc_sequencer_block_interval_ms', '1000'],
        ['svc_sequencer_empty_block_interval_ms', '2000'],
        ['svc_sequencer_mempool_parked_max_tx_count', '200'],
        // A day or two, so that an instance that runs for ever stays small; "all" keeps everything.
        ['svc_sequencer_retain_blocks', '100000'],
        ['svc_sequencer_retain_megabytes', '128'],
        ...telemetry('svc_sequencer_', 'info', address('sequencerMetrics', offset)),
      ],
    },
    {
      title:
        'Composer. Rollups submit over gRPC; svc_composer_rollups is for EVM nodes that know nothing of it, as NAME::WS_URL',
      entries: [
        ['svc_composer_grpc_addr', address('composerGrpc', offset)],
        ['svc_composer_api_listen_addr', address('composerApi', offset)],
        ['svc_composer_sequencer_address_prefix', 'astria'],
        ['svc_composer_rollups', ''],
        ['svc_composer_private_key_file', '$SWITCHYARD_INSTANCE/config/composer_dev_priv_key'],
        ['svc_composer_db_filepath', '$SWITCHYARD_INSTANCE/data/composer'],
        ['svc_composer_max_submit_interval_ms', '20'],
        // Below the sequencer's limit for a transaction, which the genesis sets.
        ['svc_composer_max_bytes_per_bundle', '500000'],
        ['svc_composer_bundle_queue_capacity', '100000'],
        ...telemetry('svc_composer_', 'info', address('composerMetrics', offset)),
      ],
    },
    {
      title: 'Conductor',
      entries: [
        ['svc_conductor_api_listen_addr', address('conductorApi', offset)],
        ['svc_conductor_execution_commit_level', 'SoftIsFirm'],
        ['svc_conductor_sequencer_requests_per_second', '500'],
        ...telemetry('svc_conductor_', 'info', address('conductorMetrics', offset)),
      ],
    },
    ...(template === 'evm' ? [] : [rollupSection(offset)]),
    ...(hasEvm(template) ? evmSections(offset) : []),
  ];
}

function rollupSection(offset: number): Section {
  return {
    title: 'Rollup. Every key of this file reaches every service, so your own rollup can have its settings here too',
    entries: [
      ['rest_addr', address('rollupHttp', offset)],
      ['execution_grpc_addr', address('rollupExecution', offset)],
      ['db_filepath', '$SWITCHYARD_INSTANCE/data/rollup'],
      ['genesis_filepath', '$SWITCHYARD_INSTANCE/config/rollup_genesis.json'],
      ['retain_blocks', '50000'],
      ...telemetry('', 'info', address('rollupMetrics', offset)),
    ],
  };
}

function evmSections(offset: number): readonly Section[] {
  return [
    {
      title: 'EVM rollup. The block rules, such as gas limit and base fee, are in its genesis file',
      entries: [
        ['svc_evm_genesis_filepath', '$SWITCHYARD_INSTANCE/config/evm_genesis.json'],
        ['svc_evm_db_filepath', '$SWITCHYARD_INSTANCE/data/evm'],
        ['svc_evm_execution_grpc_addr', address('evmExecution', offset)],
        ['svc_evm_http_addr', address('evmHttp', offset)],
        ['svc_evm_ws_addr', address('evmWs', offset)],
        ['svc_evm_retain_blocks', '20000'],
        ...telemetry('svc_evm_', 'info', address('evmMetrics', offset)),
      ],
    },
    {
      title: 'Faucet of the EVM rollup; that of the sequencer has its own settings in networks-config.toml',
      entries: [
        ['svc_faucet_kind', 'evm'],
        ['svc_faucet_listen_addr', address('faucet', offset)],
        ['svc_faucet_private_key_file', '$SWITCHYARD_INSTANCE/config/faucet_dev_priv_key'],
        ['svc_faucet_db_filepath', '$SWITCHYARD_INSTANCE/data/faucet'],
        ...telemetry('svc_faucet_', 'info', address('faucetMetrics', offset)),
      ],
    },
  ];
}

/** The text of a new `config/base-config.toml`. */
export function baseFile(defaults: BaseDefaults): string {
  const head = `# Settings of the services. Each key becomes an environment variable of the same name in upper case, and every
# service gets all of them. Settings that are not here follow from networks-config.toml and from the addresses below:
# the chain and the URLs of the sequencer, the fee asset, who calls whom, the secrets that services share. A key that
# you add here takes precedence, except over the sequencer's URLs and chain id in networks-config.toml.
# \`switchyard dev config show\` shows each setting and where it comes from.
# In texts, a leading ~ is your home directory and $NAME an environment variable; $SWITCHYARD_INSTANCE is the
# directory of this instance. Changes take effect on the next \`switchyard dev run\`.
`;
  const body = sections(defaults).map(
    ({ title, entries }) =>
      `\n# ${title}.\n${entries.map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`).join('')}`,
  );
  return head + body.join('');
}
