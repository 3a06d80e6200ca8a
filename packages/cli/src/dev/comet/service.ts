import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { PortUse, Readiness } from '@switchyard/network/supervisor/spec';
import { Failure } from '@switchyard/service/failure';
import { FIELDS } from '../config/known-settings.ts';
import { attempt } from '../files/files.ts';
import { readToml, valueAt } from '../files/toml.ts';
import type { ServiceEntry } from '../instance/instance.ts';
import { FIRST_SIGN_STATE } from './config-file.ts';
import { isCometLabel } from './layout.ts';

/** Properties of a service that is a CometBFT, beyond those of a user's program; read from its own `config.toml`. */
export interface CometService {
  readonly ports: readonly PortUse[];
  readonly ready?: Readiness;
  /** Variables of CometBFT, from settings that our services share with it. */
  readonly env: Readonly<Record<string, string>>;
  /** File with its last signature. */
  readonly signState: string;
}

const METRICS = 'instrumentation.prometheus_listen_addr';

/** @returns `undefined` for other services, or if its settings are hidden from us. @throws {Failure} */
export function cometService(
  entry: ServiceEntry,
  env: Readonly<Record<string, string>>,
  where: string,
): CometService | undefined {
  const home = findHome(entry);
  if (home === undefined) return undefined;
  const file = join(home, 'config', 'config.toml');
  if (!existsSync(file)) {
    if (entry.localPath !== '') return undefined;
    throw new Failure(
      `${where}.args: no file ${file}: \`switchyard dev init --engine cometbft\` writes the usual ones`,
    );
  }
  const config = readToml(file);
  const text = (...path: string[]) => {
    const value = valueAt(config, path);
    return typeof value === 'string' ? value : '';
  };
  const metrics = !/^(1|true|on|yes)$/i.test(env[FIELDS.sequencer.noMetrics.names[0]] ?? '');
  const ports = [
    portUse(entry, file, 'rpc.laddr', 'CometBFT RPC', text('rpc', 'laddr')),
    portUse(entry, file, 'p2p.laddr', 'peers', text('p2p', 'laddr')),
    metrics ? portUse(entry, file, METRICS, 'metrics', text(...METRICS.split('.'))) : undefined,
  ].flatMap((use) => use ?? []);
  const rpc = ports.find(({ setting }) => setting === 'rpc.laddr');
  const state = text('priv_validator_state_file') || 'data/priv_validator_state.json';
  return {
    ports,
    ...(rpc === undefined || rpc.port === 0
      ? {}
      : { ready: { kind: 'http', url: `http://${rpc.host}:${rpc.port}/health`, port: rpc.port } }),
    env: { ...toPace(env), CMT_INSTRUMENTATION_PROMETHEUS: String(metrics) },
    signState: isAbsolute(state) ? state : join(home, state),
  };
}

/** The home that a service of this label names in its arguments. */
export function findHome({ label, args }: Pick<ServiceEntry, 'label' | 'args'>): string | undefined {
  if (!isCometLabel(label)) return undefined;
  const index = args.indexOf('--home');
  const home = index >= 0 ? args[index + 1] : args.find((each) => each.startsWith('--home='))?.slice('--home='.length);
  return home !== undefined && isAbsolute(home) ? home : undefined;
}

/** The sequencer's own pace, so that `dev setconfig blockinterval` holds for this engine too. */
function toPace(env: Readonly<Record<string, string>>): Record<string, string> {
  const { blockIntervalMs, emptyBlockIntervalMs } = FIELDS.sequencer;
  const [block, empty] = [env[blockIntervalMs.names[0]], env[emptyBlockIntervalMs.names[0]]];
  return {
    ...(/^\d+$/.test(block ?? '') ? { CMT_CONSENSUS_TIMEOUT_COMMIT: `${block}ms` } : {}),
    ...(/^\d+$/.test(empty ?? '') ? { CMT_CONSENSUS_CREATE_EMPTY_BLOCKS_INTERVAL: `${empty}ms` } : {}),
  };
}

function portUse(entry: ServiceEntry, file: string, key: string, use: string, value: string): PortUse | undefined {
  const [, host = '', port] = /^(?:tcp:\/\/)?\[?([^\]/]*?)\]?:(\d{1,5})$/.exec(value) ?? [];
  if (port === undefined) return undefined;
  return { service: entry.name, setting: key, where: `${key} in ${file}`, use, host, port: Number(port) };
}

/**
 * Makes the directory of a node that has not run yet. CometBFT does not start without its note of its last signature,
 * and a node with blocks must never be given an empty note: it could sign twice.
 *
 * @throws {Failure}
 */
export function prepareNode({ signState }: Pick<CometService, 'signState'>): void {
  if (existsSync(signState)) return;
  const directory = dirname(signState);
  if (existsSync(directory) && readdirSync(directory).length > 0) {
    throw new Failure(
      `${signState}: is absent, and what the node has stored is not: without it the node could sign two blocks of one height. Put it back, or remove the whole ${dirname(directory)}, so that the node gets all from its peers`,
    );
  }
  attempt(signState, 'written', () => {
    mkdirSync(directory, { recursive: true });
    writeFileSync(signState, FIRST_SIGN_STATE, { mode: 0o600, flag: 'wx' });
  });
}
