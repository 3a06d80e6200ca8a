import { InvalidConfig, loadConfig } from '@switchyard/service';
import type { Field } from '@switchyard/service/settings';
import type { Network, ProgramName, Stated } from '@switchyard/stack/network';
import { planNetwork } from '@switchyard/stack/plan';
import type { Program } from '@switchyard/stack/process';
import { PROGRAMS } from '@switchyard/stack/programs';
import { type Followed, settingsIn } from '@switchyard/stack/values';
import { relayerAccount } from './accounts/accounts.ts';
import { BadOptions } from './bad-options.ts';
import { type FileFacts, getConfig, getGenesis, toWithdrawerKey } from './files.ts';
import type { NetworkMember } from './members.ts';

/** Facts of a network from which the environment of each of its parts follows. */
export interface NetworkFacts extends Omit<FileFacts, 'rollups' | 'seed'> {
  readonly members: readonly NetworkMember[];
  readonly blockIntervalMs: number;
  /** @returns the port of a listener. */
  port(label: string, listener: string): number;
  /** Settings that the user states, by part. */
  readonly settings: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const { fields: sequencer } = PROGRAMS.sequencer;
const { fields: composer } = PROGRAMS.composer;
const { fields: conductor } = PROGRAMS.conductor;
const { fields: da } = PROGRAMS.da;
const { fields: relayer } = PROGRAMS.relayer;
const { fields: withdrawer } = PROGRAMS.withdrawer;
const { fields: faucet } = PROGRAMS.faucet;

/**
 * The whole environment of each part, by its name: the settings of the plan of every local network, with places, ports and a pace for
 * of a test.
 *
 * @throws {BadOptions} if a setting has a value that its part does not take.
 */
export function toEnvironments(facts: NetworkFacts): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const stated = new Map(facts.members.map((member) => [member.label, statedFor(member, facts)]));
  const find: Stated = ({ label }, { names }) => {
    const value = stated.get(label)?.[names[0]];
    return value === undefined ? undefined : follow(value, `${label}.${names[0]}`);
  };
  const planned = planNetwork(toNetwork(facts), find);
  return new Map(
    facts.members.map((member) => {
      const { label } = member;
      const env = { ...settingsIn(planned.get(label) ?? []), ...stated.get(label) };
      check(member, env);
      return [label, env];
    }),
  );
}

const follow = (value: string, key: string): Followed => ({ value, from: { file: 'the options', key } });

function toNetwork({ members, chainId, asset, directory, port }: NetworkFacts): Network {
  const url = (listener: string) => `http://127.0.0.1:${port('sequencer', listener)}`;
  const config = (name: string) => getConfig(directory, name);
  return {
    ...{ name: 'local', kind: 'solo', offset: 0, members, layerAccount: relayerAccount.address },
    ...{ chainId: follow(chainId, 'chainId'), asset: follow(asset, 'asset') },
    ...{ rpc: follow(url('rpc'), 'listen.sequencer.rpc'), grpc: follow(url('grpc'), 'listen.sequencer.grpc') },
    authors: () => follow(relayerAccount.address, 'layer'),
    places: {
      ...{ networksFile: 'the options', config, data: (label) => toData(directory, label) },
      sequencerGenesis: config('genesis.json'),
      // Every rollup states its own.
      ...{ messengerGenesis: '', evmGenesis: '', composerKey: config('composer_dev_priv_key') },
      executionSecret: follow(config('execution_secret'), 'directory'),
      composerSecret: follow(config('composer_secret'), 'directory'),
    },
  };
}

export const toData = (directory: string, label: string) => `${directory}/data/${label}`;

/** Settings of one part besides those of the plan. */
function statedFor(member: NetworkMember, facts: NetworkFacts): Record<string, string> {
  const { program: name, label, listeners } = member;
  const program: Program = PROGRAMS[name];
  const entries: (readonly [Field<unknown> | undefined, string])[] = [
    ...listeners.map((name) => [program.listeners[name]?.field, `127.0.0.1:${facts.port(label, name)}`] as const),
    [program.store, toData(facts.directory, label)],
    [program.fields.noMetrics, 'true'],
    ...(PACE[name] === undefined ? [] : [PACE[name]]),
  ];
  if (name === 'messenger' || name === 'evm') {
    entries.push([PROGRAMS[name].fields.genesisFilepath, getGenesis(facts.directory, label)]);
  }
  if (name === 'sequencer') entries.push([sequencer.blockIntervalMs, String(facts.blockIntervalMs)]);
  if (name === 'withdrawer') {
    entries.push([withdrawer.privateKeyFile, getConfig(facts.directory, toWithdrawerKey(label))]);
    entries.push([withdrawer.feeAsset, facts.asset]);
  }
  if (name === 'faucet' && member.rollup !== undefined) {
    entries.push([faucet.asset, facts.asset]);
    entries.push([faucet.privateKeyFile, getConfig(facts.directory, 'messenger_faucet_dev_priv_key')]);
  }
  const stated = entries.flatMap(([field, value]) => (field === undefined ? [] : [[field.names[0], value] as const]));
  return { ...Object.fromEntries(stated), ...facts.settings[label] };
}

/** A test waits for its blocks: nothing is held back so that others may share it. */
const PACE: Readonly<Partial<Record<ProgramName, readonly [Field<unknown>, string]>>> = {
  composer: [composer.maxSubmitIntervalMs, '1'],
  da: [da.blockIntervalMs, '20'],
  relayer: [relayer.batchMs, '20'],
  withdrawer: [withdrawer.pollMs, '20'],
  conductor: [conductor.celestiaBlockTimeMs, '50'],
};

function check({ program: name, label, process }: NetworkMember, env: Readonly<Record<string, string>>): void {
  const program: Program = PROGRAMS[name];
  try {
    loadConfig(process?.fields ?? program.fields, env);
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error;
    throw new BadOptions(`settings.${label}: ${error.message.replaceAll('\n', '; ')}`, { cause: error });
  }
}
