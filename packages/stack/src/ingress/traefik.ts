import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { ConfigMap, Namespace, Service, ServiceAccount } from 'kubernetes-types/core/v1.js';
import type { IngressClass } from 'kubernetes-types/networking/v1.js';
import type { ClusterRole, ClusterRoleBinding } from 'kubernetes-types/rbac/v1.js';
import { MANAGER } from '../kubernetes/objects.ts';

/** Name of the ingress class, and of the objects. */
export const INGRESS_CLASS = 'traefik';
export const INGRESS_NAMESPACE = 'switchyard-ingress';
/** The version that scenarios build from source and run. */
export const TRAEFIK_VERSION = '3.7.13';
export const TRAEFIK_IMAGE = `docker.io/library/traefik:v${TRAEFIK_VERSION}`;

export interface IngressOptions {
  readonly image: string;
  /**
   * Take ports 80 and 443 of the node itself, for clusters in which services of type LoadBalancer get no address:
   * those of kind.
   */
  readonly hostPorts: boolean;
}

export type IngressObject =
  | Namespace
  | ServiceAccount
  | ConfigMap
  | ClusterRole
  | ClusterRoleBinding
  | IngressClass
  | Deployment
  | Service;

const USER = 65_532;
const LABELS = {
  'app.kubernetes.io/name': INGRESS_CLASS,
  'app.kubernetes.io/part-of': 'switchyard-ingress',
  'app.kubernetes.io/managed-by': MANAGER,
} as const;
const SELECTOR = { 'app.kubernetes.io/name': INGRESS_CLASS } as const;
/** Ports of the pod, which may not bind to those below 1024. */
const WEB = 8_000;
const WEB_TLS = 8_443;
const HEALTH = 8_080;
const FILES = '/etc/traefik/files';
const HOLD = { attempts: 150, initialInterval: '100ms', timeout: '20s' };
/**
 * A request that no pod has taken waits for one: a rollup's pod is replaced by the next, never in parallel. A request sent to a
 * pod is not repeated, regardless of the outcome.
 */
const HOLD_FILE = JSON.stringify({ http: { middlewares: { hold: { retry: HOLD } } } });
/** Else one attempt to reach an address of which the pod is gone could take as long as all of them. */
const DIAL = '1s';
/**
 * A request that is being sent on a connection which its pod closes at that moment is lost. Pods let each that is used end with its
 * answer before they close the others, and of those there are hundreds after many requests have waited, unless few are kept.
 */
const IDLE = 8;

const metadata = () => ({ name: INGRESS_CLASS, namespace: INGRESS_NAMESPACE, labels: { ...LABELS } });
const clusterMetadata = (name: string) => ({ name, labels: { ...LABELS } });
const READ = ['get', 'list', 'watch'];

/** An ingress controller: Traefik for objects of kind Ingress, in the order in which they are applied. */
export function ingressControllerObjects({ image, hostPorts }: IngressOptions): readonly IngressObject[] {
  const role = 'switchyard-ingress-traefik';
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: clusterMetadata(INGRESS_NAMESPACE) },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata() },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata(), data: { 'hold.yaml': HOLD_FILE } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: clusterMetadata(role),
      rules: [
        {
          apiGroups: [''],
          resources: ['services', 'endpoints', 'secrets', 'nodes', 'configmaps', 'namespaces'],
          verbs: READ,
        },
        { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: READ },
        { apiGroups: ['networking.k8s.io'], resources: ['ingresses', 'ingressclasses'], verbs: READ },
        { apiGroups: ['networking.k8s.io'], resources: ['ingresses/status'], verbs: ['update'] },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: clusterMetadata(role),
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', name: INGRESS_CLASS, namespace: INGRESS_NAMESPACE }],
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: {
        ...clusterMetadata(INGRESS_CLASS),
        annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' },
      },
      spec: { controller: 'traefik.io/ingress-controller' },
    },
    controller({ image, hostPorts }),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadata(),
      spec: {
        type: 'LoadBalancer',
        selector: { ...SELECTOR },
        ports: [
          { name: 'web', port: 80, targetPort: 'web' },
          { name: 'websecure', port: 443, targetPort: 'websecure' },
        ],
      },
    },
  ];
}

function controller({ image, hostPorts }: IngressOptions): Deployment {
  const onHost = (hostPort: number) => (hostPorts ? { hostPort } : {});
  // Address that ingresses report. The ports of the node are those of the machine that the cluster runs on.
  const endpoint = hostPorts ? 'ip=127.0.0.1' : `publishedservice=${INGRESS_NAMESPACE}/${INGRESS_CLASS}`;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadata(),
    spec: {
      replicas: 1,
      // Two pods cannot have the same ports of one node.
      ...(hostPorts ? { strategy: { type: 'Recreate' } } : {}),
      selector: { matchLabels: { ...SELECTOR } },
      template: {
        metadata: { labels: { ...LABELS } },
        spec: {
          serviceAccountName: INGRESS_CLASS,
          terminationGracePeriodSeconds: 10,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: USER,
            runAsGroup: USER,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [
            {
              name: INGRESS_CLASS,
              image,
              imagePullPolicy: 'IfNotPresent',
              args: [
                '--global.checknewversion=false',
                '--global.sendanonymoususage=false',
                `--entrypoints.web.address=:${WEB}`,
                `--entrypoints.websecure.address=:${WEB_TLS}`,
                '--entrypoints.websecure.http.tls=true',
                '--entrypoints.web.http.middlewares=hold@file',
                '--entrypoints.websecure.http.middlewares=hold@file',
                `--providers.file.directory=${FILES}`,
                `--serverstransport.forwardingtimeouts.dialtimeout=${DIAL}`,
                `--serverstransport.maxidleconnsperhost=${IDLE}`,
                `--entrypoints.traefik.address=:${HEALTH}`,
                '--ping=true',
                '--providers.kubernetesingress=true',
                `--providers.kubernetesingress.ingressclass=${INGRESS_CLASS}`,
                `--providers.kubernetesingress.ingressendpoint.${endpoint}`,
                '--providers.kubernetesingress.throttleduration=200ms',
              ],
              ports: [
                { name: 'web', containerPort: WEB, ...onHost(80) },
                { name: 'websecure', containerPort: WEB_TLS, ...onHost(443) },
              ],
              resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '256Mi' } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
              readinessProbe: { httpGet: { path: '/ping', port: HEALTH }, periodSeconds: 1 },
              livenessProbe: { httpGet: { path: '/ping', port: HEALTH }, periodSeconds: 10, failureThreshold: 6 },
              volumeMounts: [
                { name: 'tmp', mountPath: '/tmp' },
                { name: 'files', mountPath: FILES, readOnly: true },
              ],
            },
          ],
          volumes: [
            { name: 'tmp', emptyDir: { sizeLimit: '64Mi' } },
            { name: 'files', configMap: { name: INGRESS_CLASS } },
          ],
        },
      },
    },
  };
}
