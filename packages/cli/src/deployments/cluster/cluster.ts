import { Failure } from '@switchyard/service/failure';
import { clusterSite, DA_LIGHT, getWorkloads, hasDaLight, workloadsIn } from '@switchyard/stack';
import type { Cli } from '../../cli.ts';
import type { Connections } from '../../connect.ts';
import { described } from '../../described.ts';
import { deploymentSignal } from '../../stop-signal.ts';
import { claimNetworkId } from '../preflight/network-id.ts';
import { type CreateRequest, type Deployed, nodeUrl, type Target, urlsBy } from '../target.ts';
import { connectCluster } from './connect.ts';
import { applyAll, deleteInstalled } from './delete.ts';
import { waitUntilFunctional } from './functional.ts';
import type { ClusterChoice } from './kubeconfig.ts';
import { getStatus, listRollups } from './list.ts';
import { showLogs } from './logs.ts';
import { preflight } from './preflight/preflight.ts';
import { waitUntilReady } from './wait.ts';

type ClusterOptions = ClusterChoice & { readonly namespace?: string };

/** A Kubernetes cluster, by the kubeconfig that kubectl would use. Rollups are searched in the namespace, else in all. */
export function clusterTarget(cli: Cli, connect: Connections, { namespace, ...choice }: ClusterOptions): Target {
  const signal = deploymentSignal(cli);
  const api = connectCluster(choice, cli.world, signal);

  async function create({ manifest, keys, force, timeoutMs }: CreateRequest): Promise<Deployed> {
    const deadline = performance.now() + timeoutMs;
    const checked = await preflight(api, connect, { manifest, keys, force });
    for (const note of checked.notes) cli.note(note);
    if (checked.refusals.length > 0) throw new Failure(checked.refusals.join('\n'));
    await claimNetworkId(cli, connect, manifest, keys.sequencer);
    const all = described(undefined, () => getWorkloads(manifest, keys, { allowDevKey: checked.hasDevKey }));
    const { name, namespace: where } = manifest;
    const rollup = { family: 'rollup', name, namespace: where } as const;
    const waiting = { deadline, signal, note: cli.note };
    await applyAll(api, rollup, all, { ...waiting, force, isForeign: checked.isForeignNamespace });
    const urls = urlsBy(manifest, clusterSite(manifest).url);
    await waitUntilReady(api, rollup, workloadsIn(manifest), waiting);
    await waitUntilFunctional(api, rollup, urls, waiting);
    if (hasDaLight(manifest)) {
      // The last, since it may have days of headers to read, and the rollup does not need it to run.
      cli.note(`the rollup is ready at ${nodeUrl(urls)}; waiting for its light node`);
      await waitUntilReady(api, rollup, [DA_LIGHT], waiting);
    }
    return { name, urls };
  }

  return {
    create,
    list: () => listRollups(api, namespace),
    status: (name) => getStatus(api, name, namespace),
    logs: (name, options) => showLogs(api, cli, { family: 'rollup', name, namespace, signal }, options),
    delete: (name, options) => deleteInstalled(api, cli, { family: 'rollup', name, namespace, signal }, options),
  };
}
