import { encodeSignedHeader, type MerkleProof, proveInclusion, type RollupId, toHex } from '@switchyard/protocol';
import type { Hono } from 'hono';
import { type ApiContext, followed, rollupIdOf } from './context.ts';
import { hashParameter, heightParameter, json, notFound, time } from './page.ts';
import { TRANSACTION_COLUMNS, TRANSACTIONS, transactionJson } from './shown.ts';
import { findSubmissions, type SubmissionJson } from './submissions.ts';
import { upstream } from './upstream.ts';

/** The way of a transaction through all processes, and the proof that it is in its block. */
export function traceRoutes(app: Hono, context: ApiContext): void {
  const { store, address } = context;

  app.get('/v1/trace/:hash', async (c) => {
    const hash = hashParameter('hash', c.req.param('hash'));
    const [transaction] = await store.read(
      `SELECT ${TRANSACTION_COLUMNS} FROM ${TRANSACTIONS} WHERE t.hash = ? LIMIT 1`,
      [hash],
    );
    const submissions = await findSubmissions(context, hash);
    const waiting = submissions.length === 0 ? await waitingAt(context, hash) : [];
    if (transaction === undefined && submissions.length + waiting.length === 0) {
      throw notFound(`no transaction ${hash} in the index, and no rollup that is followed knows it`);
    }
    return json({
      hash,
      transaction: transaction === undefined ? null : transactionJson(transaction, address),
      submissions: await Promise.all(submissions.map((each) => withAcceptance(context, each))),
      waiting,
    });
  });

  app.get('/v1/rollups/:rollup/proof/:height/:position', async (c) => {
    const rollup = rollupIdOf(context, c.req.param('rollup'));
    const height = heightParameter('height', c.req.param('height'));
    const position = heightParameter('position', c.req.param('position'));
    if (rollup === undefined) throw notFound('no such rollup is followed here; give its id');
    const [row] = await store.read('SELECT hash FROM blocks WHERE height = ?', [height]);
    if (row === undefined) throw notFound(`no block ${height} in the index`);
    return json(await proofJson(context, rollup, height, position), { 'cache-control': 'public, max-age=3600' });
  });
}

async function withAcceptance({ composer }: ApiContext, submission: SubmissionJson) {
  const times = await composer.of(submission.rollup, String(submission.hash));
  return {
    ...submission,
    accepted: times === undefined ? null : { at: time(times.queuedAt), bundledAt: time(times.bundledAt ?? 0) },
  };
}

/** What rollups know of a transaction that is in no block yet. */
async function waitingAt({ rollups, signal }: ApiContext, hash: string) {
  const asked = rollups.map(async (rollup) => {
    const { head } = rollup.state();
    try {
      return { rollup: head?.id, name: head?.name, outcome: await rollup.node.get(`/v1/transactions/${hash}`, signal) };
    } catch {
      // It does not know it, or does not answer; either way there is nothing to show of it.
      return undefined;
    }
  });
  return (await Promise.all(asked)).filter((each) => each !== undefined);
}

/** Everything that a client needs to check by itself that the data is in the block, and that the block was signed. */
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
      // CometBFT's SignedHeader in protobuf.
      signedHeader: toHex(encodeSignedHeader(signed)),
      validators: validators.map(({ publicKey, power }) => ({ publicKey: toHex(publicKey), power: String(power) })),
    };
  } catch (error) {
    throw upstream('the sequencer', error);
  }
}

const merkleJson = ({ path, index, leaves }: MerkleProof) => ({ path: path.map(toHex), index, leaves });

/** For pages of one rollup: what its own node answers, which is its definition's, not the framework's. */
export function passRoutes(app: Hono, context: ApiContext): void {
  const pass = async (rollup: string, path: string): Promise<Response> => {
    const id = rollupIdOf(context, rollup);
    const indexer = id === undefined ? undefined : followed(context, id);
    if (indexer === undefined) throw notFound('no node of this rollup is followed here');
    try {
      return json(await indexer.node.get(path, context.signal));
    } catch (error) {
      throw upstream('the node of this rollup', error);
    }
  };
  app.get('/v1/rollups/:rollup/accounts/:address', (c) =>
    pass(c.req.param('rollup'), `/v1/accounts/${encodeURIComponent(c.req.param('address'))}`),
  );
  app.get('/v1/rollups/:rollup/messages', (c) => {
    const wanted = ['limit', 'before', 'after'].flatMap((name) => {
      const value = c.req.query(name);
      return value === undefined ? [] : [`${name}=${encodeURIComponent(value.slice(0, 30))}`];
    });
    return pass(c.req.param('rollup'), `/v1/texts?${wanted.join('&')}`);
  });
}
