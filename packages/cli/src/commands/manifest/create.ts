import { relative, resolve } from 'node:path';
import { type CommandUnknownOpts, Option, type OptionValues } from '@commander-js/extra-typings';
import { rollupIdBase64Url, rollupIdFromName } from '@switchyard/protocol/values';
import { exactJsonText } from '@switchyard/service';
import { Failure, Problems, usage } from '@switchyard/service/failure';
import {
  DROPPED,
  defaultText,
  FIELDS,
  fieldAt,
  findMembers,
  type Manifest,
  type ManifestField,
  type ManifestKey,
  manifestFields,
  manifestText,
  REQUIRED,
  readFieldText,
  readManifest,
  STATED_ELSEWHERE,
} from '@switchyard/stack';
import { quoted } from '@switchyard/storage/damaged';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections, SequencerPort } from '../../connect.ts';
import { coinFindings } from '../../deployments/preflight/bridge.ts';
import { described } from '../../described.ts';
import { readText, replaceFile, writeWhole } from '../../dev/files/files.ts';
import { count } from '../../print.ts';
import { namedPath, noteLargeId, refusePublicId, usualName } from './file.ts';

type Chosen = Partial<Record<ManifestKey, unknown>>;

export function createCommand(cli: Cli, connect: Connections) {
  const command = leaf(
    'create',
    'write the manifest of a new rollup; missing values are fetched from the sequencer, or have their defaults',
    '--rollup.name cosmic --rollup.network-id 90210 --rollup.genesis-accounts 0x70997970c51812dc3a010c7d01b50e0d17dc79c8:1000000000000000000',
    '--rollup.name market --rollup.kind defined --rollup.genesis-file genesis.json --rollup.program bin/market.mjs',
  );
  for (const [, field] of FIELDS) if (field.flag !== undefined) command.option(...getOption(field, field.flag));
  for (const { names } of Object.values(DROPPED))
    if (names !== undefined) command.addOption(new Option(`${names[0]} [true|false]`).hideHelp());
  return command
    .option(
      '--rollup.genesis-file <file>',
      'genesis of a rollup of your own; members that other keys state are left out',
    )
    .option('--set <key=value...>', 'any other key of the manifest, such as faucet.enabled=false')
    .option('--config <file>', 'where to write it (ROLLUP_CONF_FILE; default: <name>-rollup-conf.yaml here)')
    .option('--force', 'replace an existing manifest; use a network id of a public network')
    .action(async (options) => {
      noteDropped(command, options, cli);
      const chosen = { ...fromOptions(command, options, cli), ...fromSet(options.set ?? []) };
      if (chosen.name === undefined) throw missing(manifestFields.name);
      const isEvm = (chosen.kind ?? 'evm') === 'evm';
      if (isEvm && chosen.genesisAccounts === undefined) throw missing(manifestFields.genesisAccounts);
      if (options['rollup.genesisFile'] !== undefined) readGenesisFile(options['rollup.genesisFile'], chosen, cli);
      const path = namedPath(options, cli) ?? resolve(cli.world.directory, usualName(String(chosen.name)));
      const hasFee = chosen.feeAsset !== undefined;
      const sequencer = await askSequencer(chosen, cli, connect);
      chosen.feeAsset ??= manifestFields.feeAsset.fallback;
      const text = described(undefined, () => manifestText(chosen));
      const { manifest } = readManifest(text);
      if (isEvm) {
        refusePublicId(manifest.networkId, options.force === true);
        noteLargeId(manifest.networkId, cli);
      }
      if (sequencer !== undefined) await refuseClaimedId(sequencer, manifest, options.force === true, cli, connect);
      if (options.force) replaceFile(path, text, 0o644);
      else writeWhole(path, text, 0o644, 'name another with --config, or replace it with --force');
      const { name, chainId, networkId, sequencerHeight, sequencerRpc, sequencerChainId, feeAsset } = manifest;
      const file = relative(cli.world.directory, path);
      const feeReason =
        sequencer === undefined
          ? 'the default, since no sequencer was queried; `rollup config check` verifies that it takes that'
          : 'which the sequencer takes';
      noteSmallBalances(manifest, cli);
      const facts = {
        file: path,
        name,
        chainId,
        ...(isEvm && { networkId }),
        sequencerChainId,
        sequencerHeight,
        feeAsset,
      };
      cli.print(facts, [
        `wrote ${file}`,
        `rollup ${name} (${chainId} on the sequencer, with the id ${rollupIdBase64Url(rollupIdFromName(chainId))})${isEvm ? `, network id ${networkId}` : ''}`,
        `from block ${sequencerHeight} of ${sequencerChainId ?? 'the sequencer'} at ${sequencerRpc}`,
        ...(hasFee ? [] : [`fees in ${feeAsset}, ${feeReason}`]),
        `check it with \`switchyard rollup config check --config ${quoted(file)}\``,
      ]);
    });
}

function getOption(field: ManifestField<unknown>, flag: string): [string, string] {
  const value = field.rule.schema.type === 'boolean' ? '[true|false]' : '<value>';
  const wanted = field === manifestFields.sequencerHeight || field === manifestFields.sequencerChainId;
  const absent = wanted ? 'asked from the sequencer' : defaultText(field).replaceAll('`', '');
  const otherwise = absent === REQUIRED ? REQUIRED : `default: ${absent}`;
  return [`--${flag} ${value}`, `${field.help} (${field.variable}; ${otherwise})`];
}

/** Options and variables of the reference that change nothing here. */
function noteDropped({ options: declared }: CommandUnknownOpts, options: OptionValues, { world, note }: Cli): void {
  for (const { names, why } of Object.values(DROPPED)) {
    if (names === undefined) continue;
    const [flag, variable] = names;
    const option = declared.find(({ long }) => long === flag);
    const isGiven = option !== undefined && options[option.attributeName()] !== undefined;
    const given = isGiven ? flag : (world.env[variable] ?? '') === '' ? undefined : variable;
    if (given !== undefined) note(`${given} is left out: ${why}`);
  }
}

/** Flags come before variables. @throws {Failure} naming every value that cannot be used. */
function fromOptions({ options: declared }: CommandUnknownOpts, options: OptionValues, { world }: Cli): Chosen {
  const chosen: Chosen = {};
  const problems = new Problems();
  for (const [key, field] of FIELDS) {
    const option = declared.find(({ long }) => long === `--${field.flag}`);
    const given = option === undefined ? undefined : options[option.attributeName()];
    const { variable = '' } = field;
    const [text = '', name] = given === undefined ? [world.env[variable], variable] : [String(given), option?.long];
    if ((text === '' && given === undefined) || name === undefined) continue;
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

/** Balance that the tutorials recommend for an account that pays for others: 100 coins. */
const RECOMMENDED_WEI = 10n ** 20n;

function noteSmallBalances(manifest: Manifest, { note }: Cli): void {
  const { genesisAccounts, withdrawerEnabled } = manifest;
  for (const { text } of coinFindings(manifest)) note(`note: ${text}`);
  if (withdrawerEnabled) return;
  const small = genesisAccounts.filter(({ balance }) => balance < RECOMMENDED_WEI);
  const [first] = small;
  if (first === undefined) return;
  const others = small.length === 1 ? '' : ` and ${count(small.length - 1, 'other account')}`;
  note(
    `note: config.rollup.genesisAccounts: ${first.address}${others} ${small.length === 1 ? 'has' : 'have'} less than the recommended ${RECOMMENDED_WEI} wei, 100 coins: the faucet gives from such an account, and fees are paid from it`,
  );
}

/** Takes a genesis into a manifest, without values that the manifest states elsewhere; the name of the rollup is kept. */
function readGenesisFile(given: string, chosen: Chosen, { world, note }: Cli): void {
  const file = resolve(world.directory, given);
  const members = findMembers(readText(file));
  if (members === undefined) throw usage(`--rollup.genesis-file: expected a JSON object, got ${file}`);
  const { rollup_name: name } = members;
  if (typeof name === 'string') chosen.chainId ??= name;
  const isStated = ([member]: readonly [string, unknown]) => Object.hasOwn(STATED_ELSEWHERE, member);
  const [left, own] = [true, false].map((stated) =>
    Object.entries(members).filter((each) => isStated(each) === stated),
  );
  for (const [member] of left ?? []) note(`${given}: ${member} is left out: ${STATED_ELSEWHERE[member]} states it`);
  const lines = (own ?? []).map(([member, value]) => `  ${JSON.stringify(member)}: ${exactJsonText(value)}`);
  chosen.genesis = `{\n${lines.join(',\n')}\n}\n`;
}

function missing({ flag, variable, rule, path }: ManifestField<unknown>): Failure {
  return usage(
    `${path}: expected ${rule.expects}, got nothing: give --${flag} or ${variable}, such as --${flag} ${rule.example}`,
  );
}

/**
 * Fills in values that only a sequencer knows: that of the instance that runs here, unless another one was given.
 *
 * @returns the queried one.
 */
async function askSequencer(chosen: Chosen, cli: Cli, connect: Connections): Promise<SequencerPort | undefined> {
  if (chosen.sequencerRpc === undefined) {
    const { findTarget } = await import('../../target.ts');
    const network = (await findTarget({}, cli, () => true))?.instance.network;
    if (network !== undefined) {
      chosen.sequencerRpc = network.sequencerRpc.replace(/\/+$/, '');
      chosen.sequencerGrpc ??= network.sequencerGrpc.replace(/\/+$/, '');
    }
  }
  if (chosen.sequencerHeight !== undefined && chosen.sequencerChainId !== undefined) return undefined;
  const url = String(chosen.sequencerRpc ?? manifestFields.sequencerRpc.fallback);
  cli.nextStep =
    'check --sequencer.rpc, or give --sequencer.initial-block-height and --sequencer.chain-id, with which no sequencer is queried';
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
  return sequencer;
}

/** @throws {Failure} if another rollup has the network id and the user does not insist. */
async function refuseClaimedId(
  sequencer: SequencerPort,
  manifest: Manifest,
  force: boolean,
  cli: Cli,
  connect: Connections,
): Promise<void> {
  const { instanceFindings, networkIdFindings } = await import('../../deployments/preflight/network-id.ts');
  const { sorted } = await import('../../deployments/preflight/finding.ts');
  const findings = [
    ...(await networkIdFindings(sequencer, manifest)),
    ...(await instanceFindings(cli, connect, manifest)),
  ];
  const { refusals, notes } = sorted(findings, force);
  for (const note of notes) cli.note(note);
  if (refusals.length > 0) throw new Failure(refusals.join('\n'));
}
