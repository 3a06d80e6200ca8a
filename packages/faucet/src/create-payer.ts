import { sequencerClient } from '@switchyard/client';
import { httpApi } from '@switchyard/client/http-api';
import { createSigner } from '@switchyard/protocol';
import { clientAt } from '@switchyard/rollup/client';
import { InvalidConfig, jsonRpcClient, type Links } from '@switchyard/service';
import { type FaucetConfig, fields } from './config.ts';
import { evmNode } from './evm/node.ts';
import { evmPayer } from './evm/payer.ts';
import type { Payer } from './payer.ts';
import { rollupPayer } from './rollup/payer.ts';
import { sequencerPayer } from './sequencer/payer.ts';

/** For calls to the node, while the page waits for the answer. */
const NODE_TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 4_194_304;

/** URL of the node on whose chain the faucet pays. */
export function nodeUrl({ kind, ...urls }: FaucetConfig): string {
  return { evm: urls.rpcUrl, sequencer: urls.sequencerAbciEndpoint, messenger: urls.rollupUrl, rollup: urls.rollupUrl }[
    kind
  ];
}

/** The name of a rollup, which our EVM nodes report on their status page. */
function rollupNameAt(url: string, links?: Links): (signal: AbortSignal) => Promise<string> {
  const bounds = { timeoutMs: NODE_TIMEOUT_MS, maxAnswerBytes: MAX_ANSWER_BYTES };
  const node = httpApi('EVM node', { url, fetch: links?.fetch, ...bounds });
  return async (signal) => (await node('/status', { signal })).at('rollup').text();
}

/** @throws {InvalidConfig} if the key is not one of the chain's kind. */
export function createPayer(config: FaucetConfig, key: Uint8Array, links?: Links): Payer {
  const url = nodeUrl(config);
  const timeoutMs = NODE_TIMEOUT_MS;
  switch (config.kind) {
    case 'sequencer': {
      const { sequencerGrpcEndpoint: grpcUrl, sequencerAddressPrefix: prefix, asset } = config;
      const client = sequencerClient({ rpcUrl: url, grpcUrl, timeoutMs, links });
      return sequencerPayer(createSigner(key), { asset, prefix }, client, () => client.close());
    }
    case 'messenger':
    case 'rollup': {
      const node = { url, timeoutMs, maxAnswerBytes: MAX_ANSWER_BYTES, fetch: links?.fetch };
      return rollupPayer(createSigner(key), config, () => clientAt(node));
    }
    case 'evm':
      try {
        return evmPayer(
          key,
          evmNode(jsonRpcClient(url, { links, timeoutMs, maxResponseBytes: MAX_ANSWER_BYTES })),
          // Foreign nodes have no such page.
          config.explorerUrl === undefined && config.name !== undefined ? undefined : rollupNameAt(url, links),
        );
      } catch (cause) {
        const got = `${config.privateKeyFile}: a number that is no key of secp256k1`;
        const mistake = { variable: fields.privateKeyFile.names[0], expected: 'a private key', got };
        throw Object.assign(new InvalidConfig({ ...mistake, advice: 'write another key to that file' }), { cause });
      }
  }
}
