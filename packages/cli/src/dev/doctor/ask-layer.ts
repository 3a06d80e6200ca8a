import { createCelestiaReader, DaUnavailable, getFirstBlock } from '@switchyard/da';
import { fromHex, Rejected, timestampToMillis } from '@switchyard/protocol';
import { errorLine, InvalidConfig, silentLogger, type WallClock } from '@switchyard/service';
import { FIELDS, type SettingField } from '../config/known-settings.ts';
import { isOnThisMachine } from '../instance/network-layer.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** A person waits for it. */
const PATIENCE_MS = 10_000;
/** Celestia has a block in six seconds or less. */
const USUAL_AGE_S = 60;

const { conductor } = FIELDS;

/**
 * Reads the newest header of a conductor's layer, with all its checks.
 *
 * @param setting Reads a setting of that conductor.
 * @param token In place of the one in the file that the settings name, which is not there yet.
 */
export async function askLayer(setting: (field: SettingField) => string | undefined, wall: WallClock, token?: string) {
  const find = (field: SettingField) => setting(field) || undefined;
  const url = setting(conductor.celestiaNodeHttpUrl);
  if (url === undefined) return [];
  const file = find(conductor.celestiaTokenFile);
  const node = {
    url,
    timeoutMs: PATIENCE_MS,
    ...(file === undefined
      ? {}
      : { token: token === undefined ? { file, setting: conductor.celestiaTokenFile.names[0] } : { text: token } }),
  };
  const expected = find(conductor.expectedCelestiaChainId);
  const [height, hash] = [find(conductor.celestiaTrustedHeight), find(conductor.celestiaTrustedHash)];
  // The conductor reports both when it starts.
  const isTrusted = height !== undefined && hash !== undefined && expected !== undefined;
  if (!isTrusted && !isOnThisMachine(url)) return [];
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const trust = isTrusted
      ? { root: { chainId: expected, height: BigInt(height), hash: fromHex(hash) } }
      : await getFirstBlock(node, signal);
    const chainId = expected ?? trust.root.chainId;
    const reader = createCelestiaReader({ ...node, ...trust }, { log: silentLogger });
    const actual = await reader.chainId(signal);
    if (actual !== chainId) {
      const advice = 'use a node of that chain, or correct the chain id';
      return [fail('layer', `${url} is of chain ${actual}, expected ${chainId}`, advice)];
    }
    const { height: newest, time } = await reader.read(await reader.head(signal), [], signal);
    const age = Math.round((wall.unixMs() - Number(timestampToMillis(time))) / 1_000);
    const line = `${url} is of chain ${actual}, its block ${newest} follows from block ${trust.root.height} and is ${age} s old`;
    return [
      age > USUAL_AGE_S
        ? warn('layer', line, 'see whether the node is synchronized, or its network halted')
        : ok('layer', line),
    ];
  } catch (error) {
    return [unreadable(url, error, signal.aborted)];
  }
}

function unreadable(url: string, error: unknown, isLate: boolean): Finding {
  if (isLate || error instanceof DaUnavailable) {
    const reason = isLate ? `no answer within ${PATIENCE_MS / 1_000} s` : errorLine(error);
    return warn('layer', `${url} shows no block: ${reason}`, 'start the node, or correct the address');
  }
  if (error instanceof Rejected) {
    const advice = 'compare the trusted height and hash with another source, and use another node if they are right';
    return fail('layer', `${url} shows what cannot be right: ${errorLine(error)}`, advice);
  }
  const advice = error instanceof InvalidConfig ? 'correct the file or its mode' : 'correct the settings of the layer';
  return fail('layer', `${url}: ${errorLine(error)}`, advice);
}
