import { assetId, type Snapshot, type StateWriter, table, text } from '@switchyard/machine';
import { type AssetId, type Denom, ibcForm, parseDenom } from '@switchyard/protocol';
import type { BlockRecord } from '@switchyard/rollup/node';

/** Names of the assets that were ever given out. An id is the hash of its name, so nothing else tells it. */
const names = table({ prefix: 'index/asset-names/', key: assetId, value: text });

export function rememberName(state: StateWriter, { id, text: name, form }: Denom): void {
  if (form === 'trace' && !names.has(state, id)) names.put(state, id, name);
}

/** The names of what a block brought in. */
export function rememberNames(state: StateWriter, { deposits }: BlockRecord<unknown>): void {
  for (const { deposit } of deposits) rememberName(state, parseDenom(deposit.asset));
}

export function nameOf(snapshot: Snapshot, asset: AssetId): string {
  return names.get(snapshot, asset) ?? ibcForm(asset);
}
