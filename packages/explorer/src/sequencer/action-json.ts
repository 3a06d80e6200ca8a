import { type Action, type Json, plainJson, txHashOf } from '@switchyard/protocol';

/** More of one transaction are counted, not stored: a bundle has hundreds, and each is a row of its own anyway. */
export const MAX_STORED_ACTIONS = 64;

/** An action for people. Data of rollups is left out, with its size and hash in its place. */
export function actionJson(action: Action): Json {
  if (action.kind === 'rollupDataSubmission') {
    const { kind, rollup, data, feeAsset } = action;
    return { kind, rollup, bytes: data.length, hash: txHashOf(data), feeAsset: feeAsset.text };
  }
  return plainJson(action);
}
