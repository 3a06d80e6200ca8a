import { request as requestHttp } from 'node:http';
import { type RequestOptions, request as requestHttps } from 'node:https';
import { Writable } from 'node:stream';
import {
  CoreV1Api,
  createConfiguration,
  Exec,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  PatchStrategy,
  type RequestContext,
  type ResponseContext,
  ServerConfiguration,
  type V1SelfSubjectAccessReview,
} from '@kubernetes/client-node';
import { plain } from '@switchyard/protocol/hidden-characters';
import { Failure } from '@switchyard/service/failure';
import { MANAGER } from '@switchyard/stack';
import type { World } from '../../cli.ts';
import { type ClusterApi, type ContainerRef, KINDS, type Kind, type Kinds, type ListOptions } from './api.ts';
import { findStatus, toFailure } from './api-error.ts';
import { type ClusterChoice, loadKubeconfig } from './kubeconfig.ts';

/** Longer than an API server takes that is under load, or an admission webhook. */
const CALL_MS = 15_000;
const PAGE = 500;
const MAX_LOG_BYTES = 4 * 1_048_576;

/**
 * The cluster of a kubeconfig, by the official client. Loading this file takes 0.3 s.
 *
 * @param signal Ends all calls.
 * @throws {Failure}
 */
export function connectCluster(
  choice: ClusterChoice,
  world: Pick<World, 'env' | 'directory'>,
  signal: AbortSignal,
): ClusterApi {
  const config = loadKubeconfig(choice, world, () => new KubeConfig());
  const context = config.getCurrentContext();
  const server = config.getCurrentCluster()?.server ?? '';
  const bounded = {
    pre: async (request: RequestContext) => {
      request.setSignal(AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]));
      return request;
    },
    post: async (response: ResponseContext) => response,
  };
  const configuration = createConfiguration({
    baseServer: new ServerConfiguration(server, {}),
    authMethods: { default: config },
    promiseMiddleware: [bounded],
  });
  const objects = new KubernetesObjectApi(configuration);
  const core = new CoreV1Api(configuration);

  async function call<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      throw toFailure(error, { what, context, server });
    }
  }
  /** Undefined for missing objects. */
  const found = <T>(what: string, work: () => Promise<T>): Promise<T | undefined> =>
    call(what, async () => {
      try {
        return await work();
      } catch (error) {
        if (findStatus(error) === 404) return undefined;
        throw error;
      }
    });
  const header = (kind: Kind, name: string, namespace: string | undefined) => ({
    apiVersion: KINDS[kind].apiVersion,
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  });

  async function list<K extends Kind>(kind: K, { namespace, labels = {} }: ListOptions = {}) {
    const selector = Object.entries(labels).map((pair) => pair.join('='));
    const items: Kinds[K][] = [];
    let next: string | undefined;
    do {
      const page = await objects.list<Kinds[K]>(
        ...([KINDS[kind].apiVersion, kind, namespace, undefined, undefined, undefined, undefined] as const),
        ...([selector.length === 0 ? undefined : selector.join(','), PAGE, next] as const),
      );
      items.push(...page.items);
      next = page.metadata?._continue || undefined;
    } while (next !== undefined);
    return items;
  }

  return {
    context,
    apply: (object, force) =>
      call(`apply ${object.kind} ${object.metadata?.name}`, async () => {
        await objects.patch(
          ...([object, undefined, undefined, MANAGER, force, PatchStrategy.ServerSideApply] as const),
        );
      }),
    read: <K extends Kind>(kind: K, name: string, namespace?: string) =>
      found(`read ${kind} ${name}`, () => objects.read<Kinds[K]>(header(kind, name, namespace))),
    list: (kind, where) => call(`list ${KINDS[kind].resource}`, () => list(kind, where)),
    async remove(kind, name, namespace) {
      await found(`delete ${kind} ${name}`, () =>
        objects.delete(
          ...([header(kind, name, namespace), undefined, undefined, undefined, undefined, 'Background'] as const),
        ),
      );
    },
    async mayI({ verb, kind, subresource, namespace }) {
      const { apiVersion, resource } = KINDS[kind];
      const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
      const review: V1SelfSubjectAccessReview & KubernetesObject = {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: {
          resourceAttributes: {
            ...{ verb, group, resource },
            ...(subresource === undefined ? {} : { subresource }),
            ...(namespace === undefined ? {} : { namespace }),
          },
        },
      };
      const { status } = await call('query the permissions', () => objects.create(review));
      return status?.allowed === true;
    },
    async warnings(kind, name, namespace) {
      const fieldSelector = `involvedObject.kind=${kind},involvedObject.name=${name},type=Warning`;
      const { items } = await call('list events', () =>
        core.listNamespacedEvent({ namespace, fieldSelector, limit: PAGE }),
      );
      const at = ({ lastTimestamp, eventTime }: (typeof items)[number]) => Number(lastTimestamp ?? eventTime ?? 0);
      return items.sort((a, b) => at(a) - at(b)).map(({ message = '' }) => message);
    },
    run: (container, command) =>
      call(`run ${command[0]} in ${container.pod}`, () =>
        runInContainer(config, container, command, AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)])),
      ),
    logs: ({ namespace, pod, container }, { lines, previous = false }) =>
      call(`read the log of ${container} in ${pod}`, () =>
        core.readNamespacedPodLog({
          ...{ namespace, container, previous },
          ...{ name: pod, tailLines: lines, limitBytes: MAX_LOG_BYTES },
        }),
      ),
    follow: ({ namespace, pod, container }, lines, onText) =>
      call(`follow the log of ${container} in ${pod}`, async () => {
        // The client's own way to follow a log ends the process when it is stopped.
        const url = new URL(`${server.replace(/\/+$/, '')}/api/v1/namespaces/${namespace}/pods/${pod}/log`);
        url.search = String(new URLSearchParams({ container, follow: 'true', tailLines: String(lines) }));
        const options: RequestOptions = { signal };
        await config.applyToHTTPSOptions(options);
        await streamed(url, options, onText);
      }),
  };
}

/** Calls back with the text of an answer as it comes. */
function streamed(url: URL, options: RequestOptions, onText: (text: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'http:' ? requestHttp : requestHttps;
    const call = request(url, options, (response) => {
      const status = response.statusCode ?? 0;
      if (status !== 200) {
        response.destroy();
        reject(Object.assign(new Error('the log cannot be followed'), { code: status }));
        return;
      }
      response.setEncoding('utf8').on('data', onText).once('end', resolve).once('error', reject);
    });
    call.once('error', reject);
    call.end();
  });
}

const MOST_CHARACTERS = 65_536;

/** @returns the output of a program. @throws {Failure} with its report if it failed. */
function runInContainer(
  config: KubeConfig,
  { namespace, pod, container }: ContainerRef,
  command: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const [output, errors] = [new Collected(), new Collected()];
  return new Promise((resolve, reject) => {
    const ended = ({ status, message = '' }: { readonly status?: string; readonly message?: string }) => {
      if (status === 'Success') return resolve(output.text);
      const reported = errors.text.trim() === '' ? message : errors.text.trim();
      return reject(new Failure(plain(reported.split('\n').at(-1) ?? '')));
    };
    new Exec(config)
      .exec(namespace, pod, container, [...command], output, errors, null, false, ended)
      .then((socket) => {
        socket.onclose = () => reject(new Error('the connection was cut'));
        const stop = () => {
          socket.terminate();
          reject(signal.reason);
        };
        if (signal.aborted) stop();
        else signal.addEventListener('abort', stop, { once: true });
      })
      // The client rejects with the event of the socket when that did not open.
      .catch((event: Error | { readonly message: string }) =>
        reject(event instanceof Error ? event : new Error(event.message)),
      );
  });
}

/** The beginning of its input. */
class Collected extends Writable {
  text = '';

  override _write(chunk: Uint8Array, _: string, done: () => void): void {
    this.text = `${this.text}${Buffer.from(chunk).toString()}`.slice(0, MOST_CHARACTERS);
    done();
  }
}
