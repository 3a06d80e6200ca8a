import { relative, resolve } from 'node:path';
import {
  defaultText,
  FIELDS,
  fieldAt,
  type ManifestField,
  type ManifestKey,
  manifestFields,
  manifestText,
  REQUIRED,
  readFieldText,
  readManifest,
} from '@switchyard/deployment';
import type { Command } from 'commander';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { replaceFile, writeWhole } from '../../dev/files/files.ts';
import { type Failure, Problems, usage } from '../../failure.ts';
import { described, namedPath, refusePublicId, usualName } from './file.ts';

type Chosen = Partial<Record<ManifestKey, unknown>>;

interface CreateOptions extends Readonly<Record<string, unknown>> {
  readonly config?: string;
  readonly set?: readonly string[];
  readonly force?: true;
}

/** `switchyard rollup config create` */
export function createCommand(cli: Cli, connect: Connections): Command {
  const command = leaf(
    'create',
    'write the manifest of a new EVM rollup; what is not given is asked from the sequencer, or has its default',
    '--rollup.name cosmic --rollup.network-id 90210 --rollup.genesis-accounts 0x70997970c51812dc3a010c7d01b50e0d17dc79c8:1000000000000000000',
  );
  for (const [, field] of FIELDS) if (field.flag !== undefined) command.option(...optionOf(field, field.flag));
  return command
    .option('--set <key=value...>', 'any other key of the manifest, such as faucet.enabled=false')
    .option('--config <file>', 'where to write it (ROLLUP_CONF_FILE; default: <name>-rollup-conf.yaml here)')
    .option('--force', 'replace a manifest that is there; use a network id of a public network')
    .action(async (options: CreateOptions) => {
      const chosen = { ...fromOptions(command, options, cli), ...fromSet(options.set ?? []) };
      if (chosen.name === undefined) throw missing(manifestFields.name);
      if (chosen.genesisAccounts === undefined) throw missing(manifestFields.genesisAccounts);
      const path = namedPath(options, cli) ?? resolve(cli.world.directory, usualName(String(chosen.name)));
      const isAsked = await askSequencer(chosen, cli, connect);
      const text = described(undefined, () => manifestText(chosen));
      const { manifest } = readManifest(text);
      refusePublicId(manifest.networkId, options.force === true);
      if (options.force) replaceFile(path, text, 0o644);
      else writeWhole(path, text, 0o644, 'name another with --config, or replace it with --force');
      const { name, chainId, networkId, sequencerHeight, sequencerRpc, sequencerChainId, feeAsset } = manifest;
      const file = relative(cli.world.directory, path);
      cli.print({ file: path, name, chainId, networkId, sequencerChainId, sequencerHeight }, [
        `wrote ${file}`,
        `rollup ${name} (${chainId} on the sequencer), network id ${networkId}`,
        `from block ${sequencerHeight} of ${sequencerChainId ?? 'the sequencer'} at ${sequencerRpc}`,
        ...(isAsked || chosen.feeAsset !== undefined
          ? []
          : [
              `fees in ${feeAsset}, the default, since no sequencer was asked; \`rollup config check\` asks whether it takes that`,
            ]),
        `check it with \`switchyard rollup config check --config ${file}\``,
      ]);
    });
}

function optionOf(field: ManifestField<unknown>, flag: string): [string, string] {
  const value = field.rule.schema.type === 'boolean' ? '[true|false]' : '<value>';
  const asked = field === manifestFields.sequencerHeight || field === manifestFields.sequencerChainId;
  const absent = asked ? 'asked from the sequencer' : defaultText(field).replaceAll('`', '');
  const otherwise = absent === REQUIRED ? REQUIRED : `default: ${absent}`;
  return [`--${flag} ${value}`, `${field.help} (${[...field.variables, otherwise].join('; ')})`];
}

/** Flags come before variables. @throws {Failure} naming every value that cannot be used. */
function fromOptions(command: Command, options: CreateOptions, { world }: Cli): Chosen {
  const chosen: Chosen = {};
  const problems = new Problems();
  for (const [key, field] of FIELDS) {
    const option = command.options.find(({ long }) => long === `--${field.flag}`);
    const given = option === undefined ? undefined : options[option.attributeName()];
    const variable = field.variables.find((name) => (world.env[name] ?? '') !== '');
    const [text, name] =
      given === undefined ? [variable && world.env[variable], variable] : [String(given), option?.long];
    if (text === undefined || name === undefined) continue;
    problems.collect(() => {
      chosen[key] = described(undefined, () => readFieldText(field, text, name));
    });
  }
  problems.throwIfAny();
  return chosen;
}

function fromSet(assignments: readonly string[]): Chosen {
  const chosen: Chosen = {};
  const problems = new Problems();
  for (const assignment of assignments) {
    const [, path, text] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
    if (path === undefined || text === undefined)
      throw usage('--set: expected key=value, such as faucet.enabled=false');
    problems.collect(() => {
      const field = described('--set', () => fieldAt(path));
      const [key] = FIELDS.find(([, each]) => each === field) ?? [];
      if (key !== undefined) chosen[key] = described('--set', () => readFieldText(field, text, path));
    });
  }
  problems.throwIfAny();
  return chosen;
}

function missing({ flag, variables, rule, path }: ManifestField<unknown>): Failure {
  return usage(
    `${path}: expected ${rule.expects}, got nothing: give --${flag} or ${variables[0]}, such as --${flag} ${rule.example}`,
  );
}

/**
 * Fills in what only a sequencer knows: that of the instance that runs here, unless another one was given.
 *
 * @returns whether it was asked.
 */
async function askSequencer(chosen: Chosen, cli: Cli, connect: Connections): Promise<boolean> {
  if (chosen.sequencerRpc === undefined) {
    const { targetOf } = await import('../../target.ts');
    const network = (await targetOf({}, cli, () => true))?.instance.network;
    if (network !== undefined) {
      chosen.sequencerRpc = network.sequencerRpc.replace(/\/+$/, '');
      chosen.sequencerGrpc ??= network.sequencerGrpc.replace(/\/+$/, '');
    }
  }
  if (chosen.sequencerHeight !== undefined && chosen.sequencerChainId !== undefined) return false;
  const url = String(chosen.sequencerRpc ?? manifestFields.sequencerRpc.fallback);
  cli.nextStep =
    'check --sequencer.rpc, or give --sequencer.initial-block-height and --sequencer.chain-id, with which no sequencer is asked';
  const sequencer = await connect.sequencer(url);
  const [height, chainId, assets] = await Promise.all([
    sequencer.height(),
    sequencer.chainId(),
    sequencer.allowedFeeAssets(),
  ]);
  // Its first block is no beginning for a rollup.
  chosen.sequencerHeight ??= height < 2n ? 2n : height;
  chosen.sequencerChainId ??= chainId;
  const [asset] = assets;
  if (asset !== undefined && !assets.includes(manifestFields.feeAsset.fallback ?? '')) chosen.feeAsset ??= asset;
  return true;
}
