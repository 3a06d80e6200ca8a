import { encodeSignedHeader, type MerkleProof, proveInclusion, type RollupId, toHex } from '@switchyard/protocol';
import { type AnyRoute, route, schema } from '@switchyard/service/api';
import type { ApiContext } from './context.ts';
import { notFound } from './problems.ts';
import { rollupOf, TAG } from './rollups.ts';
import * as form from './schemas.ts';
import { upstream } from './upstream.ts';

const merkleSchema = schema.object(
  {
    path: schema.list(form.hash('Hash of a neighbour, from the leaf up')),
    index: schema.integer('Of the leaf'),
    leaves: schema.integer('Of the tree'),
  },
  { name: 'MerkleProof' },
);

const proofSchema = schema.object(
  {
    chainId: schema.text('Of the sequencer'),
    height: schema.integer('Of the block'),
    rollup: form.hash('Id of the rollup'),
    data: form.hex('What is proved to be in the block'),
    dataProof: merkleSchema,
    dataRoot: form.hash('Root over the data of the rollup'),
    rollupProof: merkleSchema,
    rollupTransactionsRoot: form.hash('Root over those of all rollups'),
    entryProof: merkleSchema,
    signedHeader: form.hex("CometBFT's SignedHeader in protobuf"),
    validators: schema.list(
      schema.object({ publicKey: form.hash('Ed25519'), power: schema.text('Its votes', { pattern: '^[0-9]{1,20}$' }) }),
    ),
  },
  { name: 'InclusionProof' },
);

/** Everything that a client needs to check by itself that data is in a block, and that the block was signed. */
export function proofRoute(context: ApiContext): AnyRoute {
  return route({
    method: 'get',
    url: '/v1/rollups/{rollup}/proof/{height}/{position}',
    id: 'getInclusionProof',
    tag: TAG,
    summary: 'The proof that data of a rollup is in a signed block of the sequencer',
    path: {
      rollup: form.rollupParameter,
      height: schema.integer('Of the block'),
      position: schema.integer('Among the data of the rollup in the block'),
    },
    answers: { 200: proofSchema },
    errors: { 404: 'No such block or data', ...form.NODE_ERRORS },
    async handle({ path: { rollup, height, position } }) {
      const id = rollupOf(context, rollup);
      const [row] = await context.store.read('SELECT hash FROM blocks WHERE height = ?', [height]);
      if (row === undefined) throw notFound(`no block ${height} in the index`);
      const body = await proofJson(context, id, height, position);
      return { status: 200, body, headers: { 'cache-control': 'public, max-age=3600' } };
    },
  });
}

async function proofJson({ client, signal }: ApiContext, rollup: RollupId, height: number, position: number) {
  try {
    const at = BigInt(height);
    const [block, signed, validators] = await Promise.all([
      client.filteredBlock(at, rollup, signal),
      client.commit(at, signal),
      client.validators(at, signal),
    ]);
    const proof = proveInclusion(block, rollup, position);
    return {
      chainId: signed.header.chainId,
      height,
      rollup,
      data: toHex(proof.data),
      dataProof: merkleJson(proof.dataProof),
      dataRoot: toHex(proof.dataRoot),
      rollupProof: merkleJson(proof.rollupProof),
      rollupTransactionsRoot: toHex(proof.rollupTransactionsRoot),
      entryProof: merkleJson(proof.entryProof),
      signedHeader: toHex(encodeSignedHeader(signed)),
      validators: validators.map(({ publicKey, power }) => ({ publicKey: toHex(publicKey), power: String(power) })),
    };
  } catch (error) {
    throw upstream('the sequencer', error);
  }
}

const merkleJson = ({ path, index, leaves }: MerkleProof) => ({ path: path.map(toHex), index, leaves });
