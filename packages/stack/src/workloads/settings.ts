import { networkPagesText } from '@switchyard/service/settings';
import type { Site } from '../deployment.ts';
import { payingBridges } from '../manifest/bridges.ts';
import type { Manifest } from '../manifest/fields.ts';
import { settingsFor } from '../process.ts';
import { getProgram } from '../programs.ts';
import { isWithdrawer, type LayerProcess, type Process, WITHDRAWERS } from '../roles.ts';
import { settingsIn } from '../values.ts';
import { clusterSite } from './site.ts';

/** Environment variables, by the names that the processes' own tables have. */
export type Settings = Readonly<Record<string, string>>;

export interface SettingsOptions {
  /** Whether a process with a published key is to run. */
  readonly allowDevKey?: boolean;
  /** Account of the relayer's key, `celestia1...`, if the local layer runs too. */
  readonly layerAccount?: string;
  /** Its host; a pod, if absent. */
  readonly site?: Site;
}

/** The variables of a process. */
export function getSettings(
  process: Process | LayerProcess,
  manifest: Manifest,
  { allowDevKey = false, layerAccount = '', site = clusterSite(manifest) }: SettingsOptions = {},
): Settings {
  const { sequencerRpc, sequencerGrpc, logLevel: log, useTTY: prettyPrint } = manifest;
  const program = getProgram(process);
  const entries = settingsFor(program, {
    ...program.deployed({
      ...{ process, manifest, site, layerAccount, pages: getPages(manifest, site) },
      node: { sequencerAbciEndpoint: sequencerRpc, sequencerGrpcEndpoint: sequencerGrpc },
      bridge: isWithdrawer(process) ? payingBridges(manifest)[WITHDRAWERS.indexOf(process)] : undefined,
      allowDevKey: allowDevKey || undefined,
    }),
    ...{ log, prettyPrint, metricsHttpListenerAddr: site.listen(process, 'metrics') },
  });
  return settingsIn(entries);
}

/** Pages that people reach from outside. */
const getPages = (manifest: Manifest, site: Site): string =>
  networkPagesText({
    network: manifest.name,
    pages: [
      { kind: 'explorer', title: '', url: site.url('blockscout') },
      ...(manifest.kind === 'defined' ? [{ kind: 'api', title: '', url: `${site.url('api')}/docs` } as const] : []),
      ...(manifest.faucetEnabled ? [{ kind: 'faucet', title: '', url: site.url('faucet') } as const] : []),
    ],
  });
