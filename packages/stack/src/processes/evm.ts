import { evmFields as fields } from '@switchyard/evm/config';
import type { Deployable } from '../process.ts';
import { bound } from '../wiring.ts';

/** Settings that follow from other processes. */
type Follows = 'composerAddr' | 'executionGrpcAddr' | 'executionSecretFile' | 'composerSecretFile';

export const evm: Deployable<typeof fields, Follows> = {
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
  settings: (member, { network: { places, kind }, members, usual, url }) => ({
    ...{ genesisFilepath: places.evmGenesis, dbFilepath: places.data('evm') },
    ...{ executionGrpcAddr: usual(member, 'execution'), httpAddr: usual(member, 'http'), wsAddr: usual(member, 'ws') },
    ...{ composerAddr: bound(url(members('composer')[0], 'collector')), retainBlocks: 20_000 },
    devAccounts: kind !== 'remote' || undefined,
    ...{ executionSecretFile: places.executionSecret, composerSecretFile: places.composerSecret },
  }),
  deployed: ({ process, site }) => ({
    ...{ genesisFilepath: site.genesisFile, dbFilepath: site.data(process) },
    ...{ executionGrpcAddr: site.listen(process, 'execution') },
    ...{ httpAddr: site.listen(process, 'http'), wsAddr: site.listen(process, 'ws') },
    ...{ composerAddr: `http://${site.listen('composer', 'collector')}`, allowedHosts: site.hostNames(process) },
    ...site.proxies,
    // Node, composer and conductor meet on loopback, where callers need no secret.
    ...{ executionSecretFile: undefined, composerSecretFile: undefined },
  }),
};
