import { assetId, type StateReader, type StateWriter, table, text } from '@switchyard/machine';
import { type AssetId, ibcForm, parseDenom, Rejected } from '@switchyard/protocol';

/** Names of assets that the genesis or a deposit had. An id is the hash of its name, so nothing else tells it. */
const names = table({ prefix: 'index/asset-names/', key: assetId, value: text });

/** @param texts Names, and others: no text but its name has the id of an asset. */
export function rememberNames(state: StateWriter, texts: Iterable<string>): void {
  for (const name of texts) {
    try {
      const { id, form } = parseDenom(name);
      if (form === 'trace' && !names.has(state, id)) names.put(state, id, name);
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
    }
  }
}

/** The name of an asset, or its id as `ibc/...` if no name is known. */
export const getNames = (state: StateReader) => (asset: AssetId) => names.get(state, asset) ?? ibcForm(asset);
