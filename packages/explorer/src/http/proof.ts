import { validatorsJson } from '@switchyard/client/signed-blocks';
import { sequencerEvidence } from '@switchyard/client/verify-state';
import {
  encodeSignedHeader,
  type InclusionProof,
  type MerkleProof,
  proveInclusion,
  type SignedHeader,
  toHex,
  type Validator,
} from '@switchyard/protocol';
import { type AnyRoute, serve } from '@switchyard/service/api';
import { signed as contract } from '../contract/rollups.ts';
import type { ApiContext } from './context.ts';
import { mapped, notFound } from './problems.ts';
import { getRollup } from './rollups.ts';
import { upstream } from './upstream.ts';

/** Blocks do not change. */
const KEPT = { 'cache-control': 'public, max-age=3600' };

/** Everything that a client needs to check on its own that data is in a block, and that the block was signed. */
export const proofRoute = (context: ApiContext): AnyRoute =>
  serve(contract.getInclusionProof, async ({ path: { rollup, height, position } }) => {
    const id = getRollup(context, rollup);
    const { client, signal } = context;
    const [row] = await context.store.read('SELECT hash FROM blocks WHERE height = ?', [height]);
    if (row === undefined) throw notFound(`no block ${height} in the index`);
    const body = await mapped(upstream('the sequencer'), async () => {
      const at = BigInt(height);
      const [block, signed, validators] = await Promise.all([
        client.filteredBlock(at, id, signal),
        client.commit(at, signal),
        client.validators(at, signal),
      ]);
      const proof = proveInclusion(block, id, position);
      return {
        ...signedJson(signed, validators),
        rollup: id,
        data: toHex(proof.data),
        dataProof: merkleJson(proof.dataProof),
        ...rootsJson(proof),
        entryProof: merkleJson(proof.entryProof),
      };
    });
    return { status: 200, body, headers: KEPT };
  });

/** A signed header with the root of one rollup's data, or the proof that there is none. */
export const evidenceRoute = (context: ApiContext): AnyRoute =>
  serve(contract.getSequencerEvidence, async ({ path: { rollup, height } }) => {
    const id = getRollup(context, rollup);
    const { client, signal } = context;
    const { signed, validators, data } = await mapped(upstream('the sequencer'), () =>
      sequencerEvidence(client, BigInt(height), id, signal),
    );
    const entryProof = merkleJson(data.entryProof);
    const body = {
      ...signedJson(signed, validators),
      rollup: id,
      data: data.dataRoot === undefined ? null : { ...rootsJson(data), entryProof },
      absent: data.dataRoot === undefined ? { rollups: data.rollups, entryProof } : null,
    };
    return { status: 200, body, headers: KEPT };
  });

const rootsJson = ({ dataRoot, rollupProof, rollupTransactionsRoot }: Roots) => ({
  dataRoot: toHex(dataRoot),
  rollupProof: merkleJson(rollupProof),
  rollupTransactionsRoot: toHex(rollupTransactionsRoot),
});
type Roots = Pick<InclusionProof, 'dataRoot' | 'rollupProof' | 'rollupTransactionsRoot'>;

const signedJson = (signed: SignedHeader, validators: readonly Validator[]) => ({
  chainId: signed.header.chainId,
  height: Number(signed.header.height),
  signedHeader: toHex(encodeSignedHeader(signed)),
  validators: validatorsJson(validators),
});

const merkleJson = ({ path, index, leaves }: MerkleProof) => ({
  path: path.map(toHex),
  index,
  leaves,
});
