/** Answers of a light node of Celestia, as `json.ts` reads them: written by our nodes, and kept in files. */
import { base64OfBytes } from '#base64';
import { renderCommit, renderHeader, renderValidator } from '../comet/render.ts';
import type { ExtendedHeader } from './extended-header.ts';
import type { NamespaceRow } from './namespace-data.ts';

export function renderExtendedHeader({ header, commit, validators, dah }: ExtendedHeader): object {
  const rendered = validators.map(renderValidator);
  return {
    header: renderHeader(header),
    commit: renderCommit(commit),
    validator_set: { validators: rendered, proposer: rendered[0] ?? null },
    dah: { row_roots: dah.rowRoots.map(base64OfBytes), column_roots: dah.columnRoots.map(base64OfBytes) },
  };
}

export function renderNamespaceRows(rows: readonly NamespaceRow[]): object[] {
  return rows.map(({ shares, proof: { start, end, nodes, absent } }) => ({
    shares: shares.map(base64OfBytes),
    proof: {
      ...{ start, end, nodes: nodes.map(base64OfBytes) },
      ...(absent !== undefined && { leaf_hash: base64OfBytes(absent) }),
      is_max_namespace_ignored: true,
    },
  }));
}
