import type { Field, standardFields } from '@switchyard/service/settings';
import { relayerAccount } from '../accounts/accounts.ts';
import {
  composer,
  conductor,
  da,
  evm,
  explorer,
  faucet,
  messenger,
  relayer,
  sequencer,
} from '../config/known-settings.ts';
import type { Layer } from './layers.ts';
import { hasEvm, hasMessenger, type Template } from './templates.ts';

type StandardFields = ReturnType<typeof standardFields>;

export interface BaseDefaults {
  readonly offset: number;
  readonly template: Template;
  readonly layer?: Layer;
}

type Entry = readonly [setting: Field<unknown>, value: string];

/** Settings as the service takes them by itself, in the file so that they are found and changed. */
const usual = (...settings: readonly Field<unknown>[]): Entry[] =>
  settings.map((setting) => [setting, setting.fallback ?? '']);

/** Addresses, as far from their usual ports as the instance is. */
const listens = (offset: number, ...settings: readonly Field<unknown>[]): Entry[] =>
  settings.map((setting) => [
    setting,
    (setting.fallback ?? '').replace(/\d+$/, (port) => String(Number(port) + offset)),
  ]);

/** The settings that all services share. */
function telemetry(table: StandardFields, offset: number): Entry[] {
  return [
    ...usual(table.log),
    [table.forceStdout, 'true'],
    [table.prettyPrint, 'true'],
    [table.noOtel, 'true'],
    [table.noMetrics, 'false'],
    ...listens(offset, table.metricsHttpListenerAddr),
  ];
}

const config = (name: string) => `$SWITCHYARD_INSTANCE/config/${name}`;
const data = (name: string) => `$SWITCHYARD_INSTANCE/data/${name}`;

interface Section {
  readonly title: string;
  readonly entries: readonly Entry[];
}

function sections({ offset, template, layer = 'none' }: BaseDefaults): readonly Section[] {
  return [
    {
      title: 'Sequencer',
      entries: [
        [sequencer.dbFilepath, data('sequencer')],
        [sequencer.genesisFilepath, config('genesis.json')],
        [sequencer.privValidatorKeyFile, config('priv_validator_key.json')],
        ...usual(sequencer.blockIntervalMs, sequencer.emptyBlockIntervalMs, sequencer.mempoolParkedMaxTxCount),
        // A day or two, so that an instance that runs for ever stays small; "all" keeps everything.
        [sequencer.retainBlocks, '100000'],
        [sequencer.retainMegabytes, '128'],
        ...telemetry(sequencer, offset),
      ],
    },
    {
      title:
        'Composer. Rollups submit over gRPC; svc_composer_rollups is for EVM nodes that know nothing of it, as NAME::WS_URL',
      entries: [
        ...listens(offset, composer.grpcAddr, composer.apiListenAddr),
        ...usual(composer.sequencerAddressPrefix, composer.rollups),
        [composer.privateKeyFile, config('composer_dev_priv_key')],
        [composer.dbFilepath, data('composer')],
        [composer.maxSubmitIntervalMs, '20'],
        // Below the sequencer's limit for a transaction, which the genesis sets.
        [composer.maxBytesPerBundle, '500000'],
        ...usual(composer.bundleQueueCapacity),
        ...telemetry(composer, offset),
      ],
    },
    {
      title: 'Conductor',
      entries: [
        ...listens(offset, conductor.apiListenAddr),
        ...usual(conductor.sequencerRequestsPerSecond),
        ...telemetry(conductor, offset),
      ],
    },
    ...(layer === 'local' ? [layerSection(offset)] : []),
    ...(layer === 'none' ? [] : [relayerSection(offset, layer)]),
    ...(template === 'evm' ? [] : [rollupSection(offset)]),
    ...(hasEvm(template) ? evmSections(offset) : []),
    {
      title:
        'Explorer. Its index can be deleted, and is then filled again; with svc_explorer_enabled = "false" it is not started',
      entries: [
        ...usual(explorer.enabled),
        ...listens(offset, explorer.listenAddr),
        [explorer.dbFilepath, data('explorer')],
        ...telemetry(explorer, offset),
      ],
    },
  ];
}

function layerSection(offset: number): Section {
  return {
    title:
      'Local data-availability layer, for development only: it speaks as a node of Celestia does, keeps everything, and only this machine has it',
    entries: [
      ...listens(offset, da.apiListenAddr, da.grpcAddr),
      [da.dbFilepath, data('da')],
      ...usual(da.chainId, da.blockIntervalMs),
      [da.emptyBlockIntervalMs, '2000'],
      [da.retainBlocks, '50000'],
      [da.genesisAccounts, `${relayerAccount.address}:1000000000000`],
      ...telemetry(da, offset),
    ],
  };
}

function relayerSection(offset: number, layer: Layer): Section {
  return {
    title: 'Relayer: posts the blocks of the sequencer to the data-availability layer',
    entries: [
      ...listens(offset, relayer.apiListenAddr),
      [relayer.privateKeyFile, config('relayer_dev_priv_key')],
      [relayer.dbFilepath, data('relayer')],
      // For more than this, blocks wait for each other only while the transaction before is under way.
      [relayer.batchMs, layer === 'celestia' ? '200' : '1000'],
      ...usual(relayer.maxGasPrice),
      ...telemetry(relayer, offset),
    ],
  };
}

function rollupSection(offset: number): Section {
  return {
    title: 'Rollup. Every key of this file reaches every service, so your own rollup can have its settings here too',
    entries: [
      ...listens(offset, messenger.restAddr, messenger.executionGrpcAddr),
      [messenger.dbFilepath, data('rollup')],
      [messenger.genesisFilepath, config('rollup_genesis.json')],
      [messenger.retainBlocks, '50000'],
      ...telemetry(messenger, offset),
    ],
  };
}

function evmSections(offset: number): readonly Section[] {
  return [
    {
      title: 'EVM rollup. The block rules, such as gas limit and base fee, are in its genesis file',
      entries: [
        [evm.genesisFilepath, config('evm_genesis.json')],
        [evm.dbFilepath, data('evm')],
        ...listens(offset, evm.executionGrpcAddr, evm.httpAddr, evm.wsAddr),
        [evm.retainBlocks, '20000'],
        ...telemetry(evm, offset),
      ],
    },
    {
      title: 'Faucet of the EVM rollup; that of the sequencer has its own settings in networks-config.toml',
      entries: [
        ...usual(faucet.kind),
        ...listens(offset, faucet.listenAddr),
        [faucet.privateKeyFile, config('faucet_dev_priv_key')],
        [faucet.dbFilepath, data('faucet')],
        ...telemetry(faucet, offset),
      ],
    },
  ];
}

/** The sections of `config/base-config.toml` for rollups that are added, without the keys that it has already. */
export function addedSections(defaults: BaseDefaults, present: ReadonlySet<string>): string {
  const { offset, template } = defaults;
  const added = [
    ...(hasMessenger(template) ? [rollupSection(offset)] : []),
    ...(hasEvm(template) ? evmSections(offset) : []),
  ];
  const absent = added.map(({ title, entries }) => ({
    title,
    entries: entries.filter(([{ names }]) => !names.some((name) => present.has(name.toLowerCase()))),
  }));
  return absent
    .filter(({ entries }) => entries.length > 0)
    .map(sectionText)
    .join('');
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
  return head + sections(defaults).map(sectionText).join('');
}

function sectionText({ title, entries }: Section): string {
  const lines = entries.map(([{ names }, value]) => `${names[0].toLowerCase()} = ${JSON.stringify(value)}\n`);
  return `\n# ${title}.\n${lines.join('')}`;
}
