import { expect, test } from 'vitest';
import { rollupClient } from './rollup/rollup.ts';
import { cometClient } from './sequencer/comet.ts';

/* The exact messages about wrong answers: operators search for these. */

const comet = (answer: unknown) => cometClient({ call: async () => answer, batch: async () => [answer] });
const message = (call: Promise<unknown>) =>
  call.then(
    () => 'read',
    (error: unknown) => (error instanceof Error ? error.message : error),
  );
const all = (calls: readonly Promise<unknown>[]) => Promise.all(calls.map(message));

test('messages about answers of a sequencer node', async () => {
  const key = { type: 'tendermint/PubKeyEd25519', value: Buffer.alloc(32, 1).toString('base64') };
  const header = { version: { block: '11' }, chain_id: 'x', height: 1.5 };
  expect(
    await all([
      comet(undefined).status(),
      comet([]).status(),
      comet({ node_info: 'x'.repeat(100) }).status(),
      comet({ node_info: { network: 5 } }).status(),
      comet({ node_info: { network: 'x', moniker: 'y', version: null } }).status(),
      comet({ genesis: { chain_id: {} } }).genesisChainId(),
      comet({ response: { last_block_height: '1x' } }).latestHeight(),
      comet({ response: { code: '1' } }).query('path'),
      comet({ response: { value: '?' } }).query('path'),
      comet({ code: 0, log: '', hash: 'xyz' }).broadcastSync(new Uint8Array(1)),
      comet({ block_id: { hash: 'zz' } }).block(1n),
      comet({ signed_header: { header } }).commit(1n),
      comet({ total: '20000' }).validators(),
      comet({ total: '2', validators: [] }).validators(),
      comet({ total: '1', validators: 5 }).validators(),
      comet({ total: '1', validators: Array(101).fill({}) }).validators(),
      comet({ total: '1', validators: [{ pub_key: { type: 'other' } }] }).validators(),
      comet({ total: '1', validators: [{ pub_key: { ...key, value: 'AAAA' } }] }).validators(),
      comet({ total: '1', validators: [{ pub_key: key, voting_power: '1', address: '00' }] }).validators(),
    ]),
  ).toMatchInlineSnapshot(`
    [
      "status: expected an object, got nothing",
      "status: expected an object, got an empty list",
      "status.node_info: expected an object, got "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"… of 100 characters",
      "status.node_info.network: expected text, got 5",
      "status.node_info.version: expected text, got null",
      "genesis.genesis.chain_id: expected text, got an object",
      "abci_info.response.last_block_height: expected a whole number, got "1x"",
      "abci_query.response.code: expected a whole number, got "1"",
      "abci_query.response.value: expected bytes in base64, got "?"",
      "broadcast_tx_sync.hash: expected a hash, got "xyz"",
      "block.block_id.hash: expected bytes in hex, got "zz"",
      "commit.signed_header.header.height: expected a whole number from 0 to 2^63 - 1, got 1.5",
      "validators.total: expected at most 10000, got "20000"",
      "validators.validators: expected the rest of 2 validators, got an empty list",
      "validators.validators: expected a list of at most 100, got 5",
      "validators.validators: expected a list of at most 100, got a list of 101",
      "validators.validators[0].pub_key.type: expected an Ed25519 key, got "other"",
      "validators.validators[0].pub_key.value: expected 32 bytes, got "AAAA"",
      "validators.validators[0].address: expected the address of the key, got "00"",
    ]
  `);
});

test('messages about answers of a rollup', async () => {
  const rollup = (text: string, status = 200) =>
    rollupClient({ url: 'http://rollup', fetch: async () => new Response(text, { status }) });
  const hash = 'ab'.repeat(32);
  expect(
    await all([
      rollup('<html>').status(),
      rollup('{}').status(),
      rollup('{"rollup":"a","chainId":"b","soft":{"number":[]}}').status(),
      rollup('"x"').nonce('a'),
      rollup('{"hash":"abc"}').submit(new Uint8Array(1)),
      rollup('{"accepted":"1"}').submitBatch([]),
      rollup('{"state":"odd"}').transaction(hash),
      rollup(`{"state":"queued","hash":"${hash}","index":1.5}`).transaction(hash),
      rollup('{"error":{"code":"full","message":"try later"}}', 503).status(),
      rollup('[]', 400).status(),
      rollup('<html>', 404).status(),
    ]),
  ).toMatchInlineSnapshot(`
    [
      "/v1/status: expected JSON, got "<html>"",
      "/v1/status.rollup: expected text, got nothing",
      "/v1/status.soft.number: expected a whole number, got an empty list",
      "/get_account_nonce/a: expected a whole number, got "x"",
      "/v1/transactions.hash: expected a hash, got "abc"",
      "/v1/transactions:batch.refused: expected a list, got nothing",
      "/v1/transactions/abababababababababababababababababababababababababababababababab.hash: expected text, got nothing
    /v1/transactions/abababababababababababababababababababababababababababababababab.state: expected one of unclear, queued, sequenced, executed, refused, expired, firm, got "odd"",
      "/v1/transactions/abababababababababababababababababababababababababababababababab.index: expected a whole number, at least 0, got 1.5",
      "try later",
      "/v1/status: status 400",
      "/v1/status: status 404",
    ]
  `);
});
