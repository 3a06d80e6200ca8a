import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { toHex } from '@switchyard/protocol';
import { Failure, usage } from '@switchyard/service/failure';
import { object, text } from '@switchyard/service/input';
import { readJson, whole } from '@switchyard/service/lenient';
import type { NetworkRelayer } from '@switchyard/stack';
import { relayerAccountOfKey } from '../../dev/config/relayer-key.ts';
import { parseJson, readText, replaceFile } from '../../dev/files/files.ts';
import { valueAt } from '../../dev/files/toml.ts';
import { LAYERS, type Layer } from '../../dev/init/templates.ts';

/** Options of the user; an absent one keeps its value. */
interface AskedRelayer {
  readonly layer?: Layer | undefined;
  /** Consensus nodes of Celestia, separated by commas. */
  readonly grpc?: string | undefined;
  readonly chainId?: string | undefined;
  /** Key of the account that pays on Celestia; prompted for if the blocks are posted there. */
  key(): Promise<Pick<NetworkRelayer, 'key' | 'allowDevKey'>>;
}

/** In the directory of a network: which layer its relayer posts to. */
const FILE = 'relayer.json';
/** The key of the relayer on the local layer. */
const LOCAL_KEY = 'relayer_key';

interface Recorded {
  readonly layer: Layer;
  readonly grpc?: string;
  readonly chainId?: string;
}

/**
 * The relayer of a network, as its directory has it and options change it; both are written down, so that the same command
 * without options keeps it.
 *
 * @param directory Directory of the network, with its other files.
 * @returns undefined if there is none.
 * @throws {Failure} if options do not fit together.
 */
export async function networkRelayer(directory: string, wanted: AskedRelayer): Promise<NetworkRelayer | undefined> {
  const before = recordedIn(directory);
  const { layer = wanted.grpc === undefined ? before.layer : 'celestia' } = wanted;
  const item = layer === 'celestia' ? toCelestia(wanted, before) : withoutCelestia(layer, wanted);
  if (JSON.stringify(item) !== JSON.stringify(before))
    replaceFile(join(directory, FILE), `${JSON.stringify(item)}\n`, 0o644);
  if (item.layer === 'none') return undefined;
  if (item.layer === 'celestia') {
    const { grpc = '', chainId = '' } = item;
    return { ...(await wanted.key()), layer: { kind: 'celestia', grpc, chainId } };
  }
  const key = localKey(join(directory, LOCAL_KEY));
  return { key, layer: { kind: 'local', account: getAccount(key, join(directory, LOCAL_KEY)) } };
}

function toCelestia({ grpc, chainId }: AskedRelayer, before: Recorded): Recorded {
  const item = { layer: 'celestia', grpc: grpc ?? before.grpc, chainId: chainId ?? before.chainId } as const;
  if (item.grpc === undefined)
    throw usage('--celestia-grpc: expected the gRPC of a consensus node of Celestia, such as http://127.0.0.1:9090');
  if (item.chainId === undefined)
    throw usage('--celestia-chain-id: expected the chain id of the network of Celestia, such as mocha-5');
  return { layer: item.layer, grpc: item.grpc, chainId: item.chainId };
}

function withoutCelestia(layer: Layer, { grpc, chainId }: AskedRelayer): Recorded {
  for (const [option, value] of [
    ['--celestia-grpc', grpc],
    ['--celestia-chain-id', chainId],
  ] as const)
    if (value !== undefined) throw usage(`${option}: expected --data-availability celestia with it, got ${layer}`);
  return { layer };
}

function recordedIn(directory: string): Recorded {
  const path = join(directory, FILE);
  if (!existsSync(path)) return { layer: 'none' };
  const read = parseJson(readText(path), path);
  const text = (key: string) => {
    const value = valueAt(read, [key]);
    return typeof value === 'string' ? value : undefined;
  };
  const [grpc, chainId] = [text('grpc'), text('chainId')];
  const layer = LAYERS.find((each) => each === text('layer'));
  if (layer === undefined)
    throw new Failure(`${path}: layer: expected ${LAYERS.join(', ')}, got ${text('layer') ?? 'none'}`);
  return { layer, ...(grpc === undefined ? {} : { grpc }), ...(chainId === undefined ? {} : { chainId }) };
}

/** Made if it is not there. What it holds is worth nothing, and without it there is nothing to post with. */
function localKey(path: string): string {
  if (!existsSync(path)) replaceFile(path, toHex(randomBytes(32)), 0o600);
  return readText(path).trim();
}

function getAccount(key: string, path: string): string {
  const account = relayerAccountOfKey(key);
  if (account === undefined) throw new Failure(`${path}: expected a key of secp256k1, 64 hex digits`);
  return account;
}

/** A block of the local layer that conductors are given: later data are proven from it. */
export interface TrustedBlock {
  readonly height: number;
  /** 64 hex digits. */
  readonly hash: string;
}

/** Conductors take no newer block from a header seven days old, and may be started some days after this. */
const OLD_MS = 3 * 24 * 3_600_000;

const block = object({ height: whole, hash: text, time: text });
const status = object({ first: block, newest: block });

/**
 * The first block, or the newest one if that is old.
 *
 * @param body Status page of the local layer.
 * @param nowMs The time of day.
 * @returns undefined if it is something else.
 */
export function trustedBlock(body: string, nowMs: number): TrustedBlock | undefined {
  const read = readJson(body, status);
  if (read === undefined) return undefined;
  const { height, hash } = nowMs - Date.parse(read.first.time) < OLD_MS ? read.first : read.newest;
  return /^[0-9a-f]{64}$/.test(hash) ? { height, hash } : undefined;
}
