import type { ProcessSpec } from '@switchyard/service';
import type { ProgramName } from '@switchyard/stack/network';

/** Programs of ours, each loaded when it is started for the first time. */
const LOADERS: Readonly<Record<ProgramName, () => Promise<unknown>>> = {
  sequencer: async () => (await import('@switchyard/sequencer/process')).sequencer,
  composer: async () => (await import('@switchyard/composer/process')).composer,
  messenger: async () => (await import('@switchyard/messenger/process')).messengerNode,
  evm: async () => (await import('@switchyard/evm/process')).evm,
  da: async () => (await import('@switchyard/da/process')).da,
  relayer: async () => (await import('@switchyard/relayer/process')).relayer,
  conductor: async () => (await import('@switchyard/conductor/process')).conductor,
  withdrawer: async () => (await import('@switchyard/withdrawer/process')).withdrawer,
  faucet: async () => (await import('@switchyard/faucet/process')).faucet,
  explorer: async () => (await import('@switchyard/explorer/process')).explorer,
};

/** A process, with any settings. */
export type AnyProcess = ProcessSpec<Parameters<typeof import('@switchyard/service').runProcess>[0]['fields']>;

/** The process of a program, as its own entry file runs it. */
export async function processOf(name: ProgramName): Promise<AnyProcess> {
  // Its fields and its `main` belong together, which a record of all of them cannot say.
  return (await LOADERS[name]()) as AnyProcess;
}
