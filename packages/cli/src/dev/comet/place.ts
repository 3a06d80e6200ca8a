import { lookup } from 'node:dns/promises';
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '@switchyard/service/failure';
import { makeDirectory, parseJson, readText, replaceFile } from '../files/files.ts';
import { parseToml, valueAt } from '../files/toml.ts';
import { FIRST_SIGN_STATE } from './config-file.ts';

export interface Placing {
  /** Its files are called by this, a dot and their own name. */
  readonly node: string;
  /** Directory with the genesis and the settings of all nodes. */
  readonly files: string;
  /** Directory with the keys of all nodes. */
  readonly keys: string;
  /** Home directory of CometBFT. */
  readonly home: string;
}

const KEYS = ['node_key.json', 'priv_validator_key.json'] as const;
const SIGN_STATE = 'priv_validator_state.json';

/**
 * Puts the files of one node at their places in the home of its CometBFT, and keeps its record of signatures.
 *
 * @returns the peers that its settings name, as host names.
 * @throws {Failure} if the home belongs to another chain or another validator, or has blocks and no record of the heights
 * signed: a validator that signs a height again can be punished.
 */
export function placeNode({ node, files, keys, home }: Placing): readonly string[] {
  const [config, data] = [join(home, 'config'), join(home, 'data')];
  const genesis = readText(join(files, 'genesis.json'));
  const settings = readText(join(files, `${node}.config.toml`));
  const secrets = KEYS.map((name) => [name, readText(join(keys, `${node}.${name}`))] as const);
  for (const [name, text] of [['genesis.json', genesis] as const, ...secrets]) {
    const path = join(config, name);
    if (!existsSync(path)) continue;
    const identity = name === 'genesis.json' ? 'chain_id' : name === 'node_key.json' ? undefined : 'address';
    const [was, is] = [readText(path), text].map((each) => valueAt(parseJson(each, path), [identity ?? 'none']));
    if (was !== is)
      throw new Failure(
        `${path}: expected ${identity} ${String(is)}, got ${String(was)}: this volume is of another node`,
      );
  }
  for (const directory of [home, config, data]) makeDirectory(directory);
  const signed = join(data, SIGN_STATE);
  if (!existsSync(signed)) {
    if (readdirSync(data).length > 0)
      throw new Failure(`${signed}: not there, but blocks are: restore it, or remove all of ${data}`);
    replaceFile(signed, FIRST_SIGN_STATE, 0o600);
  }
  replaceFile(join(config, 'genesis.json'), genesis, 0o644);
  replaceFile(join(config, 'config.toml'), settings, 0o644);
  for (const [name, text] of secrets) {
    replaceFile(join(config, name), text, 0o600);
    chmodSync(join(config, name), 0o600);
  }
  const peers = String(valueAt(parseToml(settings, `${node}.config.toml`), ['p2p', 'persistent_peers']) ?? '');
  return peers.split(',').flatMap((peer) => /@([^:\]]+):\d+$/.exec(peer.trim())?.[1] ?? []);
}

const LOOK_EVERY_MS = 500;

/**
 * Waits until all names can be resolved: CometBFT asks for each once, when it starts, and never again.
 *
 * @returns the peers that could not when the time was over.
 */
export async function waitForNames(names: readonly string[], waitMs: number): Promise<readonly string[]> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const found = await Promise.all(
      names.map((name) =>
        lookup(name).then(
          () => true,
          () => false,
        ),
      ),
    );
    const missing = names.filter((_, index) => found[index] !== true);
    if (missing.length === 0 || performance.now() >= deadline) return missing;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
