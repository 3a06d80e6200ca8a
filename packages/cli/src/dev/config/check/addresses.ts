import { type Address, parseAnyAddress, Rejected } from '@switchyard/protocol';
import { tried } from '@switchyard/service/failure';
import { quoted } from '@switchyard/storage/damaged';
import { type JsonPath, jsonAt } from '../../files/json-edit.ts';
import { isTable } from '../../files/toml.ts';
import type { Instance, ServiceEntry } from '../../instance/instance.ts';
import { accountOfKey } from '../composer-key.ts';
import { rollupGenesesIn } from '../genesis.ts';
import { FIELDS } from '../known-settings.ts';
import { isRemote, withRole } from '../roles.ts';
import { type CheckInput, error, type Finding, type Place, shown, warning } from './finding.ts';
import { sequencerGenesisPath, settingPlace } from './places.ts';

const DEFAULT_PREFIX = 'astria';

/** Addresses in the genesis files, and the accounts whose keys lie here. */
export function checkAddresses(input: CheckInput): Finding[] {
  return input.instances.flatMap((instance) => [
    ...prefixes(instance, input),
    ...genesisAddresses(instance, input),
    ...bridgeAccounts(instance, input),
    ...composers(instance, input),
    ...validator(instance, input),
  ]);
}

function prefixes(instance: Instance, input: CheckInput): Finding[] {
  const genesis = sequencerGenesisPath(instance);
  const base = jsonAt(input.files.get(genesis ?? '')?.value, ['app_state', 'address_prefixes', 'base']);
  if (genesis === undefined || base === undefined) return [];
  return withRole(instance.network, 'composer').flatMap((entry) => {
    const place = settingPlace(instance, entry, FIELDS.composer.sequencerAddressPrefix);
    if (place === undefined || place.value === base) return [];
    const made = { file: genesis, key: 'app_state.address_prefixes.base', value: shown(base) };
    return [error('the composer writes addresses with another prefix', [place, made], `set ${place.key} = "${base}"`)];
  });
}

interface Found {
  readonly place: Place;
  readonly text: string;
  readonly address: Address | undefined;
}

function addressesAt(file: string, document: unknown, path: JsonPath): Found[] {
  const value = jsonAt(document, path);
  const items = Array.isArray(value)
    ? value.map((item, index) => ({ item, at: [...path, index] }))
    : [{ item: value, at: path }];
  return items.flatMap(({ item, at }) => {
    const holder: unknown = isTable(item) && isTable(item.address) ? item.address : item;
    const text = isTable(holder) ? (holder.bech32m ?? holder.bridgeAddress) : undefined;
    if (typeof text !== 'string') return [];
    return [{ place: { file, key: at.join('.'), value: text }, text, address: parsed(text) }];
  });
}

const parsed = (text: string) => tried(Rejected, undefined, () => parseAnyAddress(text));

function genesisAddresses(instance: Instance, input: CheckInput): Finding[] {
  const sequencer = sequencerGenesisPath(instance);
  const document = input.files.get(sequencer ?? '')?.value;
  const prefix = shown(jsonAt(document, ['app_state', 'address_prefixes', 'base']) ?? DEFAULT_PREFIX);
  const state = (name: string) => addressesAt(sequencer ?? '', document, ['app_state', name]);
  const ofSequencer = ['accounts', 'authority_sudo_address', 'ibc_sudo_address', 'ibc_relayer_addresses'].flatMap(
    state,
  );
  const ofRollups = rollupGenesesIn(instance).flatMap(({ path: file, keys }) =>
    [['accounts'], keys.bridges, ['authority_sudo_address']].flatMap((path) =>
      addressesAt(file, input.files.get(file)?.value, path),
    ),
  );
  return [...ofSequencer, ...ofRollups].flatMap(({ place, address }) => {
    if (address === undefined)
      return [error('not a valid address', [place], 'correct it: one letter is wrong, or missing')];
    if (address.prefix === prefix) return [];
    const problem = `the address has the prefix ${address.prefix}, the sequencer's have ${prefix}`;
    // A rollup looks at the account only; the sequencer refuses it.
    const fix = `write it with the prefix ${prefix}`;
    return [place.file === sequencer ? error(problem, [place], fix) : warning(problem, [place], fix)];
  });
}

/** A bridge account belongs to one rollup: of two that name it, one never sees a deposit. */
function bridgeAccounts(instance: Instance, input: CheckInput): Finding[] {
  const named = new Map<string, Found>();
  const findings: Finding[] = [];
  const payers = new Set(
    withRole(instance.network, 'composer').map((entry) => getComposer(instance, entry, input)?.account),
  );
  for (const { path: file, keys } of rollupGenesesIn(instance)) {
    for (const found of addressesAt(file, input.files.get(file)?.value, keys.bridges)) {
      const account: string = found.address?.account ?? found.text;
      const other = named.get(account);
      named.set(account, other ?? found);
      if (other !== undefined) {
        const problem =
          other.place.file === file
            ? 'a bridge account is named twice'
            : 'two rollups name one bridge account, which can only belong to one of them';
        findings.push(warning(problem, [other.place, found.place], 'give each rollup a bridge account of its own'));
      }
      if (found.address !== undefined && payers.has(found.address.account)) {
        findings.push(
          warning(
            "the composer's account is a bridge account: deposits and fees get mixed",
            [found.place],
            'use another account',
          ),
        );
      }
    }
  }
  return findings;
}

function getComposer(instance: Instance, entry: ServiceEntry, { files }: CheckInput) {
  const key = settingPlace(instance, entry, FIELDS.composer.privateKeyFile);
  const facts = files.get(key?.value ?? '');
  const prefix = settingPlace(instance, entry, FIELDS.composer.sequencerAddressPrefix)?.value ?? DEFAULT_PREFIX;
  return facts?.exists === true ? accountOfKey(facts.text, prefix) : undefined;
}

function composers(instance: Instance, input: CheckInput): Finding[] {
  const { network } = instance;
  const genesis = sequencerGenesisPath(instance);
  return withRole(network, 'composer').flatMap((entry) => {
    const key = settingPlace(instance, entry, FIELDS.composer.privateKeyFile);
    const facts = input.files.get(key?.value ?? '');
    if (key === undefined || facts === undefined) return [];
    const make = `make one with \`switchyard sequencer account create --out ${quoted(key.value)}\`${isRemote(network) ? ', and send its address some funds' : ''}`;
    if (!facts.exists) return [error("the composer's key is absent", [key], make)];
    const account = getComposer(instance, entry, input);
    if (account === undefined) return [error('expected a key of 64 hex digits in this file', [key], make)];
    const allowed = /^(1|true|on|yes)$/i.test(settingPlace(instance, entry, FIELDS.composer.allowDevKey)?.value ?? '');
    if (isRemote(network)) {
      if (!account.published || allowed) return [];
      return [
        error(
          `on network ${network.name} the composer would use a published test key`,
          [key],
          `name another file; ${make}`,
        ),
      ];
    }
    const document = input.files.get(genesis ?? '')?.value;
    const funded = addressesAt(genesis ?? '', document, ['app_state', 'accounts']).some(
      (found) => found.address?.account === account.account,
    );
    if (funded || document === undefined) return [];
    const accounts = { file: genesis ?? '', key: 'app_state.accounts', value: `without ${account.address}` };
    return [
      warning(
        "the composer's account has nothing in the genesis, so it cannot pay",
        [key, accounts],
        `send ${account.address} some funds, or add it to the accounts`,
      ),
    ];
  });
}

function validator(instance: Instance, input: CheckInput): Finding[] {
  const genesis = sequencerGenesisPath(instance);
  const document = input.files.get(genesis ?? '')?.value;
  return withRole(instance.network, 'sequencer').flatMap((entry) => {
    const place = settingPlace(instance, entry, FIELDS.sequencer.privValidatorKeyFile);
    const key = input.files.get(place?.value ?? '');
    // Under CometBFT the keys are in the homes of the nodes.
    if (settingPlace(instance, entry, FIELDS.sequencer.engine)?.value === 'cometbft') return [];
    if (place === undefined || key === undefined || document === undefined || genesis === undefined) return [];
    const fix = `put the right key back, or \`switchyard dev reset config${input.flags}\` and then \`switchyard dev reset state${input.flags}\``;
    if (!key.exists) return [error("the validator's key is absent", [place], fix)];
    const own = jsonAt(key.value, ['pub_key', 'value']);
    const listed = jsonAt(document, ['validators']);
    const keys = (Array.isArray(listed) ? listed : []).map((each) => jsonAt(each, ['pub_key', 'value']));
    if (keys.includes(own)) return [];
    const named = { file: genesis, key: 'validators', value: shown(keys) };
    return [
      error('the validator of this instance is none of the genesis', [{ ...place, value: shown(own) }, named], fix),
    ];
  });
}
