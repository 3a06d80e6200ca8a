import { readsLayer } from '@switchyard/stack/programs';
import type { Instance, ServiceEntry } from '../../instance/instance.ts';
import { isCelestiaAddress, isOnThisMachine } from '../../instance/network-layer.ts';
import { tokenFileProblem } from '../../networks/token-file.ts';
import { findProgram } from '../entry.ts';
import { FIELDS, type SettingField } from '../known-settings.ts';
import { relayerAccountOfKey } from '../relayer-key.ts';
import { type CheckInput, error, type Finding, type Place, warning } from './finding.ts';
import { settingPlace } from './places.ts';

/** Conductors, relayers and their keys, tokens and trusted blocks of the data-availability layer. */
export function checkLayer(input: CheckInput): Finding[] {
  return input.instances.flatMap((instance) => [
    ...ofProgram(instance, 'conductor').flatMap((entry) => conductor(instance, entry, input)),
    ...ofProgram(instance, 'relayer').flatMap((entry) => relayer(instance, entry, input)),
  ]);
}

/** Services that run our program: the settings that another program reads are unknown. */
export function ofProgram({ network }: Instance, program: 'da' | 'relayer' | 'conductor'): ServiceEntry[] {
  return network.services.filter((entry) => findProgram(entry) === program);
}

const TRUSTED = {
  layer: [FIELDS.conductor.celestiaTrustedHeight, FIELDS.conductor.celestiaTrustedHash],
  sequencer: [FIELDS.conductor.trustedHeight, FIELDS.conductor.trustedHash],
} as const;
export const RELAYER_KEY_FILE = FIELDS.relayer.privateKeyFile;
export const TOKEN_FILE = FIELDS.conductor.celestiaTokenFile;
const LAYER_CHAIN = FIELDS.conductor.expectedCelestiaChainId;

function conductor(instance: Instance, entry: ServiceEntry, input: CheckInput): Finding[] {
  const place = (field: SettingField) => nonEmpty(settingPlace(instance, entry, field));
  const level = place(FIELDS.conductor.executionCommitLevel);
  const halves = Object.entries(TRUSTED).flatMap(([item, names]) => half(instance, entry, item, names));
  if (level === undefined || !readsLayer(level.value)) return halves;
  const url = place(FIELDS.conductor.celestiaNodeHttpUrl);
  const findings = [...halves];
  if (url === undefined) {
    const fix = `name one in [networks.${instance.network.name}.data_availability], or set ${level.key} = "SoftIsFirm"`;
    findings.push(
      error(`${entry.name} reads firm blocks from a data-availability layer, and there is none`, [level], fix),
    );
  } else if (!isOnThisMachine(url.value)) {
    const [height, hash] = TRUSTED.layer.map(place);
    if (height === undefined && hash === undefined) {
      const fix = `set ${TRUSTED.layer.map(lower).join(' and ')} of a recent block from a source that you trust`;
      findings.push(error(`${entry.name} has no trusted block of a layer that is not on this machine`, [url], fix));
    }
  }
  if (level.value.toLowerCase() === 'firmonly' && TRUSTED.sequencer.every((field) => place(field) === undefined)) {
    const fix = `set ${TRUSTED.sequencer.map(lower).join(' and ')} of a block of the sequencer, unless the rollup has blocks already`;
    findings.push(warning(`${entry.name} has no trusted block of the sequencer to begin with`, [level], fix));
  }
  const chain = place(LAYER_CHAIN);
  if (chain === undefined && place(TRUSTED.layer[0]) !== undefined && url !== undefined) {
    findings.push(
      error(`${entry.name} has a trusted block of a layer without a chain id`, [url], `set ${lower(LAYER_CHAIN)}`),
    );
  }
  const [authorsAt, fixAuthors] = [place(FIELDS.conductor.celestiaAuthors), lower(FIELDS.conductor.celestiaAuthors)];
  if (authorsAt === undefined && url !== undefined && ofProgram(instance, 'relayer').length === 0) {
    const fix = `set ${fixAuthors} to the accounts of the network's relayers, so that blobs of others cost nothing`;
    findings.push(warning(`${entry.name} reads blobs of every account of the layer`, [url], fix));
  }
  return [...findings, ...token(place(TOKEN_FILE), input), ...authors(instance, authorsAt, input)];
}

/** One half of a trusted block is of no use. */
function half(
  instance: Instance,
  entry: ServiceEntry,
  item: string,
  fields: readonly [SettingField, SettingField],
): Finding[] {
  const [height, hash] = fields.map((field) => nonEmpty(settingPlace(instance, entry, field)));
  const present = height ?? hash;
  if (present === undefined || (height !== undefined && hash !== undefined)) return [];
  const absent = lower(height === undefined ? fields[0] : fields[1]);
  return [
    error(`${entry.name} has half of a trusted block of the ${item}`, [present], `set ${absent} too, or remove both`),
  ];
}

function token(place: Place | undefined, { files }: CheckInput): Finding[] {
  const facts = place && files.get(place.value);
  const problem = place && facts && tokenFileProblem(place.value, facts);
  if (place === undefined || problem === undefined) return [];
  const [, what = problem, fix = ''] = /^([^:]*): (.*)$/s.exec(problem) ?? [];
  return [error(`the file with the token of the light node: ${what}`, [place], fix)];
}

/** Blobs of accounts that are not listed are passed over: those of our own relayer should not be. */
function authors(instance: Instance, place: Place | undefined, { files }: CheckInput): Finding[] {
  if (place === undefined) return [];
  const listed = place.value.split(',').map((each) => each.trim());
  const malformed = listed.find((each) => !isCelestiaAddress(each));
  if (malformed !== undefined) {
    const got = { ...place, value: malformed.slice(0, 80) };
    return [error('expected accounts celestia1..., separated by commas, as authors', [got], 'correct or remove it')];
  }
  return ofProgram(instance, 'relayer').flatMap((entry) => {
    const key = settingPlace(instance, entry, RELAYER_KEY_FILE);
    const account = key && relayerAccountOfKey(files.get(key.value)?.text ?? '');
    if (key === undefined || account === undefined || listed.includes(account)) return [];
    const posts = { ...key, value: `${key.value} (${account})` };
    const fix = `add ${account}, or remove ${place.key}, which then follows the relayer's key`;
    return [
      error(`what ${entry.name} posts is passed over: its account is not among the authors`, [place, posts], fix),
    ];
  });
}

function relayer(instance: Instance, entry: ServiceEntry, { files, flags }: CheckInput): Finding[] {
  const key = settingPlace(instance, entry, RELAYER_KEY_FILE);
  const facts = key && files.get(key.value);
  if (key === undefined || facts === undefined) return [];
  const make =
    key.value === instance.paths.relayerKey
      ? `\`switchyard dev init${flags}\` writes the usual one if there is none`
      : `name another file: \`switchyard keys new NAME --kind secp256k1\` makes one`;
  if (!facts.exists) return [error("the relayer's key is absent", [key], make)];
  const account = relayerAccountOfKey(facts.text);
  if (account === undefined)
    return [error('expected a secp256k1 key of 64 hex digits, or an encrypted one, in this file', [key], make)];
  return ofProgram(instance, 'da').flatMap((da) => {
    const funded = settingPlace(instance, da, FIELDS.da.genesisAccounts);
    if (funded === undefined || funded.value.includes(`${account}:`)) return [];
    const posts = { ...key, value: `${key.value} (${account})` };
    const fix = `add ${account}:1000000000000 before the first start of the layer, or reset its state`;
    return [
      warning("the relayer's account has nothing in the layer's genesis, so it cannot pay", [posts, funded], fix),
    ];
  });
}

const lower = ({ names }: SettingField) => names[0].toLowerCase();
const nonEmpty = (place: Place | undefined) => (place === undefined || place.value.trim() === '' ? undefined : place);
