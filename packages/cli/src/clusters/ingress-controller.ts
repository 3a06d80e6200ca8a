import { httpGet } from '@switchyard/network/supervisor/http-get';
import { plain } from '@switchyard/protocol/hidden-characters';
import { Failure } from '@switchyard/service/failure';
import { INGRESS_CLASS, INGRESS_NAMESPACE, ingressControllerObjects, MANAGER } from '@switchyard/stack';
import type { Cli } from '../cli.ts';
import type { ClusterApi } from '../deployments/cluster/api.ts';
import type { ClusterChoice } from '../deployments/cluster/kubeconfig.ts';
import { podReason } from '../deployments/cluster/observe.ts';
import type { Look } from '../deployments/cluster/wait.ts';
import { stopSignal } from '../stop-signal.ts';

export interface IngressRequest {
  readonly image: string;
  /** Undefined: if the nodes are those of kind. */
  readonly hostPorts: boolean | undefined;
  /** Port of this machine, on loopback; used with host ports. */
  readonly httpPort: number;
  readonly timeoutMs: number;
  readonly force: boolean;
}

/**
 * Applies the objects of the ingress controller and waits until it answers by its address, with 404, as for all names
 * without a route.
 *
 * @returns its URL. @throws {Failure} naming the missing part when it does not answer in time; run again, it continues.
 */
export async function deployIngressController(
  cli: Cli,
  choice: ClusterChoice,
  { image, hostPorts, httpPort, timeoutMs, force }: IngressRequest,
): Promise<string> {
  const signal = stopSignal(cli, (why) => `stopped by ${why}: run it again, and it continues`);
  const { connectCluster } = await import('../deployments/cluster/connect.ts');
  const { waitUntil } = await import('../deployments/cluster/wait.ts');
  const api = connectCluster(choice, cli.world, signal);
  if (!force) await mustBeOurs(api);
  const onHost = hostPorts ?? (await isOfKind(api));
  for (const object of ingressControllerObjects({ image, hostPorts: onHost })) await api.apply(object, force);
  return waitUntil(
    () => look(api, onHost ? `127.0.0.1:${httpPort}` : undefined),
    { deadline: performance.now() + timeoutMs, signal, note: cli.note },
    `the ingress controller does not answer after ${timeoutMs / 1_000} s: run the same command again to continue`,
  );
}

/** A class of that name may come with the cluster, as in k3s, or belong to another owner. */
async function mustBeOurs(api: ClusterApi): Promise<void> {
  const found = await api.read('IngressClass', INGRESS_CLASS);
  if (found === undefined || found.metadata?.labels?.['app.kubernetes.io/managed-by'] === MANAGER) return;
  throw new Failure(
    `context ${api.context}: the cluster has an ingress class ${INGRESS_CLASS} already: rollups can use it; install another controller of that name with --force`,
  );
}

async function isOfKind(api: ClusterApi): Promise<boolean> {
  const nodes = await api.list('Node');
  return nodes.length > 0 && nodes.every(({ spec }) => spec?.providerID?.startsWith('kind://') === true);
}

async function look(api: ClusterApi, host: string | undefined): Promise<Look<string>> {
  const deployment = await api.read('Deployment', INGRESS_CLASS, INGRESS_NAMESPACE);
  if ((deployment?.status?.availableReplicas ?? 0) < 1) return { waiting: `waiting: ${await whyNotReady(api)}` };
  const service = host === undefined ? await api.read('Service', INGRESS_CLASS, INGRESS_NAMESPACE) : undefined;
  const [given] = service?.status?.loadBalancer?.ingress ?? [];
  const address = host ?? given?.ip ?? given?.hostname;
  if (address === undefined)
    return { waiting: `waiting: the cluster has given no address to service ${INGRESS_NAMESPACE}/${INGRESS_CLASS}` };
  const url = `http://${address.includes(':') && host === undefined ? `[${address}]` : address}`;
  const status = await statusAt(url);
  return status === 404 ? { done: url } : { waiting: `waiting: ${url} answers ${status}, expected 404` };
}

async function whyNotReady(api: ClusterApi): Promise<string> {
  const labels = { 'app.kubernetes.io/name': INGRESS_CLASS };
  const pods = await api.list('Pod', { namespace: INGRESS_NAMESPACE, labels });
  const pod = pods.find(({ metadata }) => metadata?.deletionTimestamp === undefined);
  return pod === undefined ? 'its pod is not there yet' : `pod ${pod.metadata?.name}: ${plain(podReason(pod))}`;
}

/** @returns the status code, or why there is none. */
const statusAt = (url: string): Promise<number | string> =>
  httpGet(`${url}/`).then(
    ({ status }) => status,
    (error: Error) => `nothing (${error.message})`,
  );
