/** Security contexts of the pods of the tests, which have no rights. */
export const POD_SECURITY = {
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
  // Volumes belong to this group.
  fsGroup: 65_532,
};
export const CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

interface InCluster {
  readonly namespace: string;
  /** Host by which the ingress leads to its RPC. */
  readonly host: string;
  readonly image: string;
  /** Contents of its files. */
  readonly genesis: string;
  readonly key: string;
}

/** A sequencer with its own engine, as a Deployment `sequencer` with a volume: RPC on 26657, gRPC on 8080. */
export function sequencerObjects({ namespace, host, image, genesis, key }: InCluster): object[] {
  const metadata = (name: string) => ({ name, namespace });
  const labels = { app: 'sequencer' };
  const settings = {
    SVC_SEQUENCER_RPC_ADDR: '0.0.0.0:26657',
    SVC_SEQUENCER_GRPC_ADDR: '0.0.0.0:8080',
    SVC_SEQUENCER_ALLOWED_HOSTS: `${host},sequencer.${namespace},sequencer.${namespace}.svc`,
    SVC_SEQUENCER_PROXY_COUNT: '1',
    SVC_SEQUENCER_DB_FILEPATH: '/data/sequencer',
    SVC_SEQUENCER_GENESIS_FILEPATH: '/config/genesis/genesis.json',
    SVC_SEQUENCER_PRIV_VALIDATOR_KEY_FILE: '/config/key/priv_validator_key.json',
    SVC_SEQUENCER_EMPTY_BLOCK_INTERVAL_MS: '500',
  };
  const container = {
    name: 'sequencer',
    image,
    command: ['/usr/local/bin/node', '/app/bin/sequencer.mjs'],
    env: Object.entries(settings).map(([name, value]) => ({ name, value })),
    ports: [
      { name: 'rpc', containerPort: 26_657 },
      { name: 'grpc', containerPort: 8_080 },
    ],
    readinessProbe: { httpGet: { path: '/health', port: 'rpc' }, periodSeconds: 1 },
    securityContext: CONTAINER_SECURITY,
    volumeMounts: [
      { name: 'data', mountPath: '/data' },
      { name: 'genesis', mountPath: '/config/genesis', readOnly: true },
      { name: 'key', mountPath: '/config/key', readOnly: true },
    ],
  };
  const volumes = [
    { name: 'data', persistentVolumeClaim: { claimName: 'sequencer' } },
    { name: 'genesis', configMap: { name: 'genesis' } },
    { name: 'key', secret: { secretName: 'validator-key', defaultMode: 0o440 } },
  ];
  const backend = { service: { name: 'sequencer', port: { name: 'rpc' } } };
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('genesis'), data: { 'genesis.json': genesis } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: metadata('validator-key'),
      stringData: { 'priv_validator_key.json': key },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: metadata('sequencer'),
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: metadata('sequencer'),
      spec: {
        replicas: 1,
        strategy: { type: 'Recreate' },
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            automountServiceAccountToken: false,
            securityContext: POD_SECURITY,
            terminationGracePeriodSeconds: 10,
            containers: [container],
            volumes,
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadata('sequencer'),
      spec: {
        selector: labels,
        ports: [
          { name: 'rpc', port: 26_657, targetPort: 'rpc' },
          { name: 'grpc', port: 8_080, targetPort: 'grpc' },
        ],
      },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: metadata('sequencer'),
      spec: { rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] },
    },
  ];
}
