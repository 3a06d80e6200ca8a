import { fields } from '@switchyard/messenger/config';
import type { Deployable } from '../process.ts';
import { bound } from '../wiring.ts';
import { faucetKind } from './faucet.ts';

/** Settings that follow from other processes. */
type Follows =
  | 'sequencerChainId'
  | 'composerAddr'
  | 'executionGrpcAddr'
  | 'executionSecretFile'
  | 'composerSecretFile'
  | 'explorerUrl'
  | 'faucetUrl'
  | 'pages';

export const messenger: Deployable<typeof fields, Follows> = {
  name: 'messenger',
  title: 'Rollup. Every key of this file reaches every service, so your own rollup can have its settings here too',
  fields,
  listeners: {
    http: { field: fields.restAddr, use: 'chat page and HTTP API' },
    execution: { field: fields.executionGrpcAddr, use: 'execution gRPC' },
  },
  ready: { listener: 'http', path: '/readyz' },
  needs: ['composer'],
  store: fields.dbFilepath,
  // Texts live until their block is executed, and a smaller young generation moves most of them to the old one first.
  memory: { young: 16, heap: 256 },
  settings(member, { network: { places }, stated, chainId, pages, members, running, usual, url }) {
    const payer = running('faucet').find((each) => faucetKind(each, stated) === 'messenger');
    return {
      ...{ restAddr: usual(member, 'http'), executionGrpcAddr: usual(member, 'execution') },
      ...{ dbFilepath: places.data('rollup'), genesisFilepath: places.messengerGenesis, retainBlocks: 50_000 },
      ...{ sequencerChainId: chainId, composerAddr: bound(url(members('composer')[0], 'collector')) },
      ...{ executionSecretFile: places.executionSecret, composerSecretFile: places.composerSecret },
      ...{ explorerUrl: url(running('explorer')[0], 'http'), faucetUrl: url(payer, 'http'), pages },
    };
  },
  deployed: ({ process, manifest, site, pages }) => ({
    ...{ genesisFilepath: site.genesisFile, dbFilepath: site.data(process) },
    ...{ executionGrpcAddr: site.listen(process, 'execution'), restAddr: site.listen(process, 'http') },
    composerAddr: `http://${site.listen('composer', 'collector')}`,
    ...{ sequencerChainId: manifest.sequencerChainId, allowedHosts: site.hostNames(process), ...site.proxies },
    // The faucet is one of the pages.
    ...{ explorerUrl: site.url('blockscout'), faucetUrl: undefined, pages },
    // Node, composer and conductor meet on loopback, where callers need no secret.
    ...{ executionSecretFile: undefined, composerSecretFile: undefined },
  }),
};
