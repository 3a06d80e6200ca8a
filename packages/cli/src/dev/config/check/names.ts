import { jsonAt } from '../../files/json-edit.ts';
import type { Instance } from '../../instance/instance.ts';
import { rollupGenesesIn, SEQUENCER_GENESIS } from '../genesis.ts';
import { FIELDS } from '../known-settings.ts';
import { withRole } from '../roles.ts';
import { type CheckInput, error, type Finding, type Place, shown } from './finding.ts';
import { networkPlace, sequencerGenesisPath, settingPlace } from './places.ts';

/** Chain ids, assets and rollup names of a network and of its genesis files. */
export function checkNames(input: CheckInput): Finding[] {
  return input.instances.flatMap((instance) => [
    ...chainIds(instance, input),
    ...assets(instance, input),
    ...rollupNames(instance, input),
  ]);
}

const fixWith = ({ flags }: CheckInput, { network }: Instance, what: string, value: string) =>
  `switchyard dev setconfig ${what} ${value}${network.name === 'local' ? '' : ` --network ${network.name}`}${flags}`;

function chainIds(instance: Instance, input: CheckInput): Finding[] {
  const { network } = instance;
  const truth = networkPlace(instance, 'sequencer_chain_id', network.sequencerChainId);
  const others = [
    { path: sequencerGenesisPath(instance) ?? '', keys: SEQUENCER_GENESIS },
    ...rollupGenesesIn(instance),
  ].flatMap(({ path: file, keys }) =>
    keys.chainId.flatMap((path): Place[] => {
      const value = jsonAt(input.files.get(file)?.value, path);
      return value === undefined || value === '' ? [] : [{ file, key: path.join('.'), value: shown(value) }];
    }),
  );
  const fix = fixWith(input, instance, 'sequencerchainid', truth.value);
  const differing = others.filter(({ value }) => value !== truth.value);
  if (differing.length === 0) return [];
  return [error(`network ${network.name}: chain ids differ`, [truth, ...differing], fix)];
}

function assets(instance: Instance, input: CheckInput): Finding[] {
  const { network } = instance;
  const native = networkPlace(instance, 'native_denom', network.nativeDenom);
  const genesis = sequencerGenesisPath(instance);
  if (genesis === undefined) return [];
  const document = input.files.get(genesis)?.value;
  if (document === undefined) return [];
  const made = jsonAt(document, SEQUENCER_GENESIS.asset);
  const findings: Finding[] = [];
  if (made !== native.value) {
    const place = { file: genesis, key: SEQUENCER_GENESIS.asset.join('.'), value: shown(made) };
    const fix = fixWith(input, instance, 'nativeasset', native.value);
    findings.push(error(`network ${network.name}: native assets differ`, [native, place], fix));
  }
  const allowed = jsonAt(document, SEQUENCER_GENESIS.feeAssets);
  for (const entry of withRole(network, 'composer')) {
    const payer = settingPlace(instance, entry, FIELDS.composer.feeAsset);
    if (payer === undefined) continue;
    // A derived fee asset is corrected with the native one.
    if (made !== native.value && payer.key === native.key) continue;
    if (Array.isArray(allowed) && allowed.includes(payer.value)) continue;
    const place = { file: genesis, key: SEQUENCER_GENESIS.feeAssets.join('.'), value: shown(allowed) };
    const fix = fixWith(input, instance, 'feeasset', payer.value);
    findings.push(error('the composer pays fees in an asset that the sequencer does not take', [payer, place], fix));
  }
  return findings;
}

function rollupNames(instance: Instance, input: CheckInput): Finding[] {
  const { network } = instance;
  const truth = networkPlace(instance, 'rollup_name', network.rollupName);
  const named = rollupGenesesIn(instance).flatMap(({ entry, path: file, keys: { rollupName: keys } }) => {
    const document = input.files.get(file)?.value;
    const key = keys.find((path) => jsonAt(document, path) !== undefined) ?? keys[0] ?? [];
    const place: Place = { file, key: key.join('.'), value: shown(jsonAt(document, key)) };
    return document === undefined ? [] : [{ label: entry.label, place }];
  });
  const places = named.map(({ place }) => place);
  const findings: Finding[] = [];
  if (places.length > 0 && places.every(({ value }) => value !== truth.value)) {
    const [only, second] = named;
    const service = second === undefined ? '' : ` --service ${only?.label}`;
    const fix = fixWith(input, instance, 'rollupname', `${truth.value}${service}`);
    findings.push(error(`network ${network.name}: rollup names differ`, [truth, ...places], fix));
  }
  for (const { place } of named) {
    const twins = named.filter((other) => other.place.value === place.value);
    const [first, second] = twins;
    if (second === undefined || first?.place !== place) continue;
    const fix = fixWith(input, instance, 'rollupname', `NAME --service ${second.label}`);
    const problem = `network ${network.name}: two rollups have one name, so each reads the other's data`;
    findings.push(
      error(
        problem,
        twins.map((twin) => twin.place),
        fix,
      ),
    );
  }
  return findings;
}
