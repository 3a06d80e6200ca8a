import { jsonAt } from '../../files/json-edit.ts';
import type { Instance } from '../../instance/instance.ts';
import { rollupBuiltin } from '../entry.ts';
import { FIELDS } from '../known-settings.ts';
import { rollupNameKeys, withRole } from '../roles.ts';
import { type CheckInput, error, type Finding, type Place, shown } from './finding.ts';
import { networkPlace, rollupGenesisPath, sequencerGenesisPath, settingPlace } from './places.ts';

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
  const others: Place[] = [];
  const genesis = sequencerGenesisPath(instance);
  const document = genesis === undefined ? undefined : input.files.get(genesis)?.value;
  if (genesis !== undefined && document !== undefined) {
    for (const path of [['chain_id'], ['app_state', 'chain_id']]) {
      const value = jsonAt(document, path);
      if (value !== undefined) others.push({ file: genesis, key: path.join('.'), value: shown(value) });
    }
  }
  for (const entry of withRole(network, 'rollup')) {
    const file = rollupGenesisPath(instance, entry);
    const path =
      rollupBuiltin(entry) === 'evm' ? ['config', 'switchyard', 'sequencer', 'chainId'] : ['sequencer_chain_id'];
    const value = jsonAt(input.files.get(file)?.value, path);
    if (typeof value === 'string' && value !== '') others.push({ file, key: path.join('.'), value });
  }
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
  const made = jsonAt(document, ['app_state', 'native_asset_base_denomination']);
  const findings: Finding[] = [];
  if (made !== native.value) {
    const place = { file: genesis, key: 'app_state.native_asset_base_denomination', value: shown(made) };
    const fix = fixWith(input, instance, 'nativeasset', native.value);
    findings.push(error(`network ${network.name}: native assets differ`, [native, place], fix));
  }
  const allowed = jsonAt(document, ['app_state', 'allowed_fee_assets']);
  for (const entry of withRole(network, 'composer')) {
    const payer = settingPlace(instance, entry, FIELDS.composer.feeAsset);
    if (payer === undefined) continue;
    // A derived fee asset is corrected with the native one.
    if (made !== native.value && payer.key === native.key) continue;
    if (Array.isArray(allowed) && allowed.includes(payer.value)) continue;
    const place = { file: genesis, key: 'app_state.allowed_fee_assets', value: shown(allowed) };
    const fix = fixWith(input, instance, 'feeasset', payer.value);
    findings.push(error('the composer pays fees in an asset that the sequencer does not take', [payer, place], fix));
  }
  return findings;
}

function rollupNames(instance: Instance, input: CheckInput): Finding[] {
  const { network } = instance;
  const truth = networkPlace(instance, 'rollup_name', network.rollupName);
  const found = new Map<string, Place>();
  const labels = new Map<string, string>();
  for (const entry of withRole(network, 'rollup')) {
    const file = rollupGenesisPath(instance, entry);
    const document = input.files.get(file)?.value;
    const keys = rollupNameKeys(entry);
    const key = keys.find((path) => jsonAt(document, path) !== undefined) ?? keys[0] ?? [];
    if (document !== undefined) found.set(file, { file, key: key.join('.'), value: shown(jsonAt(document, key)) });
    labels.set(file, entry.label);
  }
  const places = [...found.values()];
  const findings: Finding[] = [];
  if (places.length > 0 && places.every(({ value }) => value !== truth.value)) {
    const [only, second] = [...labels.values()];
    const service = second === undefined ? '' : ` --service ${only}`;
    const fix = fixWith(input, instance, 'rollupname', `${truth.value}${service}`);
    findings.push(error(`network ${network.name}: rollup names differ`, [truth, ...places], fix));
  }
  for (const place of places) {
    const twins = places.filter(({ value }) => value === place.value);
    if (twins.length < 2 || twins[0] !== place) continue;
    const fix = fixWith(input, instance, 'rollupname', `NAME --service ${labels.get(twins[1]?.file ?? '')}`);
    findings.push(
      error(`network ${network.name}: two rollups have one name, so each reads the other's data`, twins, fix),
    );
  }
  return findings;
}
