import type { ServiceSpec } from '@switchyard/network/supervisor/spec';
import type { ProgramName } from '@switchyard/stack/network';
import type { CelestiaService } from '../celestia/service.ts';
import type { CometService } from '../comet/service.ts';
import type { Download } from './program.ts';

/** A service that can be started: its process, and which of ours it is. */
export interface PlannedService extends ServiceSpec {
  readonly label: string;
  readonly version: string;
  readonly builtin: ProgramName | undefined;
  /** The program of ours that it runs or stands in for, for the other services. */
  readonly role: ProgramName | undefined;
  /** Its own options of Node, or arguments, are stated. */
  readonly ownOptions: boolean;
  /** Source of its program, when that has to be downloaded; `command` is its later path. */
  readonly download?: Download;
  /** Set for a CometBFT: the file that has to be there before it starts. */
  readonly comet?: Pick<CometService, 'signState'>;
  /** Set for a node of the instance's Celestia network: the files that have to be made before it starts. */
  readonly celestia?: CelestiaService;
  /** Files and directories whose change restarts it. */
  readonly watch: readonly string[];
}
