import { fields } from '@switchyard/conductor/config';
import type { Program, ValuesFor } from '../process.ts';

export const conductor: Program<typeof fields> = {
  name: 'conductor',
  title: 'Conductor',
  fields,
  listeners: { health: { field: fields.apiListenAddr, use: 'health' } },
  ready: { listener: 'health', path: '/readyz' },
  needs: ['sequencer', 'da', 'messenger', 'evm'],
  documented: [fields.sequencerRequestsPerSecond],
  memory: { young: 4, heap: 256 },
};

/** Whether a conductor of this level reads firm blocks from a data-availability layer. */
export function readsLayer(level: string | undefined): boolean {
  return /^(SoftAndFirm|FirmOnly)$/i.test(level ?? '');
}

/** Settings about the data-availability layer that firm blocks are read from. */
export type LayerAccess = Pick<
  ValuesFor<typeof fields>,
  | 'celestiaNodeHttpUrl'
  | 'celestiaTokenFile'
  | 'expectedCelestiaChainId'
  | 'celestiaTrustedHeight'
  | 'celestiaTrustedHash'
  | 'celestiaHeaderFilepath'
  | 'celestiaAuthors'
  | 'celestiaBlockTimeMs'
>;
