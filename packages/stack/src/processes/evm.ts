import { evmFields as fields } from '@switchyard/evm/config';
import { type Entry, type Program, type Reached, type Running, runningSettings, type Text } from '../process.ts';

export const evm: Program<typeof fields> = {
  name: 'evm',
  title: 'EVM rollup. The block rules, such as gas limit and base fee, are in its genesis file',
  fields,
  listeners: {
    http: { field: fields.httpAddr, use: 'Ethereum JSON-RPC' },
    ws: { field: fields.wsAddr, use: 'Ethereum JSON-RPC, websocket' },
    execution: { field: fields.executionGrpcAddr, use: 'execution gRPC' },
  },
  ready: { listener: 'http', path: '/readyz' },
  needs: ['composer'],
  store: fields.dbFilepath,
  unshared: [fields.devAccounts],
  memory: { young: 16, heap: 1024 },
};

export interface EvmOptions extends Running, Reached {
  readonly http: Text;
  readonly ws: Text;
  readonly execution: Text;
  readonly genesis: string;
  readonly data: string;
  readonly collector: Text | undefined;
  readonly retainBlocks?: number | undefined;
  /** Whether it signs with published keys. */
  readonly devAccounts?: boolean | undefined;
  readonly executionSecretFile?: Text | undefined;
  readonly composerSecretFile?: Text | undefined;
}

export function evmSettings(of: EvmOptions): Entry[] {
  return [
    [fields.genesisFilepath, of.genesis],
    [fields.dbFilepath, of.data],
    [fields.executionGrpcAddr, of.execution],
    [fields.httpAddr, of.http],
    [fields.wsAddr, of.ws],
    [fields.composerAddr, of.collector],
    [fields.retainBlocks, of.retainBlocks],
    [fields.devAccounts, of.devAccounts || undefined],
    [fields.executionSecretFile, of.executionSecretFile],
    [fields.composerSecretFile, of.composerSecretFile],
    [fields.allowedHosts, of.hostNames],
    [fields.proxyCount, of.proxies],
    [fields.trustedProxies, of.trustedProxies],
    ...runningSettings(evm, of),
  ];
}
