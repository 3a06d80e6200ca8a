import { fields } from '@switchyard/messenger/config';
import { type Entry, type Paged, type Program, type Running, runningSettings, type Text } from '../process.ts';

export const messenger: Program<typeof fields> = {
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
};

export interface MessengerOptions extends Running, Paged {
  readonly http: Text;
  readonly execution: Text;
  readonly genesis: string;
  readonly data: string;
  readonly retainBlocks?: number | undefined;
  readonly sequencerChainId: Text;
  readonly collector: Text | undefined;
  readonly executionSecretFile?: Text | undefined;
  readonly composerSecretFile?: Text | undefined;
  /** Pages that the chat page links, as browsers reach them. */
  readonly explorer?: Text | undefined;
  readonly faucet?: Text | undefined;
}

export function messengerSettings(of: MessengerOptions): Entry[] {
  return [
    [fields.restAddr, of.http],
    [fields.executionGrpcAddr, of.execution],
    [fields.dbFilepath, of.data],
    [fields.genesisFilepath, of.genesis],
    [fields.retainBlocks, of.retainBlocks],
    [fields.sequencerChainId, of.sequencerChainId],
    [fields.composerAddr, of.collector],
    [fields.executionSecretFile, of.executionSecretFile],
    [fields.composerSecretFile, of.composerSecretFile],
    [fields.explorerUrl, of.explorer],
    [fields.faucetUrl, of.faucet],
    [fields.pages, of.pages],
    ...runningSettings(messenger, of),
  ];
}
