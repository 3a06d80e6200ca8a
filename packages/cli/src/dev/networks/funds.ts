import { existsSync } from 'node:fs';
import { Failure } from '@switchyard/service/failure';
import { quoted } from '@switchyard/storage/damaged';
import type { Connections } from '../../connect.ts';
import { connections } from '../../connect.ts';
import { accountOfKey } from '../config/composer-key.ts';
import { FIELDS, type SettingField } from '../config/known-settings.ts';
import { isRemote, withRole } from '../config/roles.ts';
import { findSetting } from '../config/settings.ts';
import { readText } from '../files/files.ts';
import type { Instance, ServiceEntry } from '../instance/instance.ts';
import { amountOf } from './node.ts';

/** A person waits for the start of their network in the meantime. */
const PATIENCE_MS = 5_000;

/**
 * Looks whether the composer can pay on a network whose sequencer runs elsewhere: everything would start there, and
 * nothing would ever be submitted.
 *
 * @returns the payer, or why that is not known; `undefined` for a network of our own, if genesis has seen to it.
 * @throws {Failure} when the account has nothing, or its key is absent or published. Nothing should be started then.
 */
export async function checkComposerFunds(
  instance: Instance,
  connect: Pick<Connections, 'sequencer'> = connections,
): Promise<string | undefined> {
  if (!isRemote(instance.network)) return undefined;
  const lines: string[] = [];
  for (const composer of withRole(instance.network, 'composer')) lines.push(await funds(instance, composer, connect));
  return lines.length === 0 ? undefined : lines.join('\n');
}

async function funds(
  instance: Instance,
  composer: ServiceEntry,
  connect: Pick<Connections, 'sequencer'>,
): Promise<string> {
  const { network, paths } = instance;
  const setting = (field: SettingField) => findSetting(instance, composer, field);
  const file = setting(FIELDS.composer.privateKeyFile) ?? paths.composerKey;
  const make = `make one with \`switchyard sequencer account create --out ${quoted(file)}\`, and send its address some funds`;
  if (!existsSync(file)) throw new Failure(`network ${network.name}: no composer key at ${file}: ${make}`);
  const account = accountOfKey(readText(file), setting(FIELDS.composer.sequencerAddressPrefix) ?? 'astria');
  if (account === undefined) throw new Failure(`${file}: expected a key of 64 hex digits: ${make}`);
  const { address, published } = account;
  if (published && !/^(1|true|on|yes)$/i.test(setting(FIELDS.composer.allowDevKey) ?? '')) {
    throw new Failure(
      `network ${network.name}: ${file} holds a published test key, and everyone who knows it can spend its funds: name another file in svc_composer_private_key_file (\`switchyard sequencer account create --out PATH\` makes one), or set svc_composer_allow_dev_key = "true"`,
    );
  }
  const asset = setting(FIELDS.composer.feeAsset) ?? network.nativeDenom;
  let balances: Awaited<ReturnType<Awaited<ReturnType<Connections['sequencer']>>['balances']>>;
  try {
    balances = await withTimeout(
      PATIENCE_MS,
      connect.sequencer(network.sequencerRpc).then((node) => node.balances(address)),
    );
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return `the composer pays from ${address}; whether it has ${asset} is not known: ${network.sequencerRpc} did not answer (${reason})`;
  }
  const held = amountOf(balances, asset);
  if (held > 0n) return `the composer pays from ${address}, which holds ${held} ${asset}`;
  const others = balances.map((each) => `${each.amount} ${each.asset}`).join(', ');
  throw new Failure(
    `network ${network.name}: the composer's account ${address} holds ${others === '' ? 'nothing' : `${others}, but no ${asset}`}, so nothing could be submitted: send it some ${asset}, for example with \`switchyard sequencer transfer ${address} --amount 1000000 --network ${network.name} --private-key-file YOUR_KEY\``,
  );
}

async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1_000} s`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
