import type { FloodKind } from './attack.ts';
import {
  bigBodies,
  callLoops,
  chunkedBatches,
  compressedBombs,
  deepJson,
  filters,
  hugeBatches,
  simulations,
  wideLogs,
} from './attacks/http.ts';
import {
  bigMessages,
  malformedProtobuf,
  manyStreams,
  pings,
  rapidReset,
  refusedSubmissions,
  unreadBlocks,
} from './attacks/http2.ts';
import {
  badSignatures,
  duplicates,
  evmBadSignatures,
  evmNonceGaps,
  faucetClaims,
  nonceGaps,
  sequencerBadSignatures,
} from './attacks/submissions.ts';
import { churn, halfOpen, pipelining, slowBody, slowHeaders } from './attacks/tcp.ts';
import { tinyFrames, unread } from './attacks/websocket.ts';

const SUBSCRIBE_HEADS = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] });
const ASK_BLOCK = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'eth_getBlockByNumber', params: ['latest', true] });
const SUBSCRIBE_BLOCKS = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'subscribe',
  params: { query: "tm.event='NewBlock'" },
});
const ASK_COMET = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'block', params: {} });

/** Every flood, by the port that it is aimed at. */
export const KINDS: readonly FloodKind[] = [
  {
    name: 'half-open',
    service: 'messenger',
    what: '2,200 requests that are never ended',
    attack: halfOpen('messenger'),
  },
  {
    name: 'slow-headers',
    service: 'messenger',
    what: '500 requests, a header every 0.5 s',
    attack: slowHeaders('messenger'),
  },
  {
    name: 'slow-bodies',
    service: 'messenger',
    what: '500 bodies, a byte every 0.5 s',
    attack: slowBody('messenger', '/v1/transactions'),
  },
  { name: 'churn', service: 'messenger', what: 'connections opened and reset', attack: churn('messenger') },
  {
    name: 'pipelining',
    service: 'messenger',
    what: 'requests by the hundred, no answer read',
    attack: pipelining('messenger', '/v1/status'),
  },
  { name: 'chunked-batches', service: 'messenger', what: 'bodies in chunks of 40 bytes', attack: chunkedBatches },
  { name: 'big-bodies', service: 'messenger', what: 'bodies of 8 MB', attack: bigBodies },
  { name: 'compressed-bombs', service: 'messenger', what: '50 MB of zeros, compressed', attack: compressedBombs },
  { name: 'bad-signatures', service: 'messenger', what: 'batches with wrong signatures', attack: badSignatures },
  { name: 'nonce-gaps', service: 'messenger', what: 'batches with nonces of the future', attack: nonceGaps },
  { name: 'duplicates', service: 'messenger', what: 'one good transaction, always again', attack: duplicates },
  { name: 'deep-json', service: 'evm', what: 'half a million brackets', attack: deepJson('evm') },
  {
    name: 'huge-batches',
    service: 'evm',
    what: 'batches of 10,000 calls',
    attack: hugeBatches('evm', 'eth_blockNumber'),
  },
  { name: 'simulations', service: 'evm', what: 'eth_simulateV1, 400 endless calls', attack: simulations },
  { name: 'call-loops', service: 'evm', what: 'eth_call of an endless loop', attack: callLoops },
  { name: 'wide-logs', service: 'evm', what: 'eth_getLogs over all blocks', attack: wideLogs },
  { name: 'filters', service: 'evm', what: 'filters that are never polled', attack: filters },
  {
    name: 'evm-bad-signatures',
    service: 'evm',
    what: 'transactions with invalid signatures',
    attack: evmBadSignatures,
  },
  { name: 'evm-nonce-gaps', service: 'evm', what: 'nonces of the future', attack: evmNonceGaps },
  {
    name: 'evm-unread',
    service: 'evmWs',
    what: 'subscriptions and answers that are never read',
    attack: unread('evmWs', '/', [SUBSCRIBE_HEADS, ASK_BLOCK]),
  },
  { name: 'tiny-frames', service: 'evmWs', what: 'a message in frames of one byte', attack: tinyFrames('evmWs', '/') },
  {
    name: 'rpc-unread',
    service: 'rpc',
    what: 'subscriptions and answers that are never read',
    attack: unread('rpc', '/websocket', [SUBSCRIBE_BLOCKS, ASK_COMET]),
  },
  {
    name: 'rpc-tiny-frames',
    service: 'rpc',
    what: 'a message in frames of one byte',
    attack: tinyFrames('rpc', '/websocket'),
  },
  { name: 'rpc-batches', service: 'rpc', what: 'batches of 10,000 calls', attack: hugeBatches('rpc', 'status') },
  { name: 'rpc-half-open', service: 'rpc', what: '2,200 requests that are never ended', attack: halfOpen('rpc') },
  {
    name: 'rpc-bad-signatures',
    service: 'rpc',
    what: 'transactions with wrong signatures',
    attack: sequencerBadSignatures,
  },
  { name: 'rapid-reset', service: 'grpc', what: 'HTTP/2 streams opened and taken back', attack: rapidReset },
  { name: 'many-streams', service: 'grpc', what: 'HTTP/2 streams that stay', attack: manyStreams },
  { name: 'pings', service: 'grpc', what: 'HTTP/2 pings', attack: pings },
  { name: 'malformed-protobuf', service: 'grpc', what: 'calls whose message is not one', attack: malformedProtobuf },
  { name: 'unread-blocks', service: 'grpc', what: 'blocks of 10 MB, no answer read', attack: unreadBlocks },
  { name: 'big-messages', service: 'collector', what: 'gRPC messages of 10 MB', attack: bigMessages },
  { name: 'refused-submissions', service: 'collector', what: 'data that no bundle holds', attack: refusedSubmissions },
  { name: 'faucet-claims', service: 'faucet', what: 'claims for new addresses', attack: faucetClaims },
];
