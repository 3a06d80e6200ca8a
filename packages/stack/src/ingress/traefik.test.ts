import { expect, test } from 'vitest';
import { INGRESS_NAMESPACE, type IngressObject, ingressControllerObjects, TRAEFIK_IMAGE } from './traefik.ts';

const objects = (hostPorts: boolean) => ingressControllerObjects({ image: TRAEFIK_IMAGE, hostPorts });
const one = <K extends IngressObject['kind']>(all: readonly IngressObject[], kind: K) => {
  const [found, ...more] = all.filter((object) => object.kind === kind);
  expect(more).toEqual([]);
  return found as Extract<IngressObject, { readonly kind?: K }>;
};

test('everything that it has is in its own namespace, and what is not can only read, but for the state of ingresses', () => {
  for (const { kind, metadata } of objects(false)) {
    const isOfCluster = ['Namespace', 'ClusterRole', 'ClusterRoleBinding', 'IngressClass'].includes(kind ?? '');
    expect([kind, metadata?.namespace]).toEqual([kind, isOfCluster ? undefined : INGRESS_NAMESPACE]);
  }
  const writes = one(objects(false), 'ClusterRole').rules?.filter(
    ({ verbs }) => !verbs.every((verb) => /^(get|list|watch)$/.test(verb)),
  );
  expect(writes?.map(({ resources, verbs }) => [resources, verbs])).toEqual([[['ingresses/status'], ['update']]]);
});

test('the service has the ports of the controller, and gets an address from the cluster', () => {
  const { spec } = one(objects(false), 'Service');
  expect([spec?.type, spec?.ports?.map(({ port, targetPort }) => [port, targetPort])]).toEqual([
    'LoadBalancer',
    [
      [80, 'web'],
      [443, 'websecure'],
    ],
  ]);
  const pod = one(objects(false), 'Deployment').spec?.template;
  expect(pod?.metadata?.labels).toMatchObject(spec?.selector ?? { none: 'there' });
  expect(pod?.spec?.containers[0]?.ports?.map(({ name }) => name)).toEqual(['web', 'websecure']);
});

test('where services get no address it takes the ports of the node, one pod at a time', () => {
  const { spec } = one(objects(true), 'Deployment');
  expect(spec?.template.spec?.containers[0]?.ports?.map(({ hostPort }) => hostPort)).toEqual([80, 443]);
  expect(spec?.strategy).toEqual({ type: 'Recreate' });
  const endpoint = (all: readonly IngressObject[]) =>
    one(all, 'Deployment').spec?.template.spec?.containers[0]?.args?.find((arg) => arg.includes('ingressendpoint'));
  expect(endpoint(objects(true))).toMatch(/\.ip=127\.0\.0\.1$/);
  expect(endpoint(objects(false))).toMatch(/\.publishedservice=switchyard-ingress\/traefik$/);
  const other = one(objects(false), 'Deployment').spec;
  expect(other?.template.spec?.containers[0]?.ports?.map(({ hostPort }) => hostPort)).toEqual([undefined, undefined]);
});

test('a request waits for a pod at both entry points, by a middleware of the file that is mounted', () => {
  const [name = '', text = ''] = Object.entries(one(objects(false), 'ConfigMap').data ?? {})[0] ?? [];
  expect(name).toMatch(/\.yaml$/);
  expect(Object.keys(JSON.parse(text).http.middlewares)).toEqual(['hold']);
  const pod = one(objects(false), 'Deployment').spec?.template.spec;
  const { args = [], volumeMounts = [] } = pod?.containers[0] ?? {};
  const used = args.filter((arg) => arg.includes('.http.middlewares='));
  expect(used.map((arg) => arg.split('=')[1])).toEqual(['hold@file', 'hold@file']);
  const directory = args.find((arg) => arg.startsWith('--providers.file.directory='))?.split('=')[1];
  const { name: volume } = volumeMounts.find(({ mountPath }) => mountPath === directory) ?? {};
  expect(pod?.volumes?.find((each) => each.name === volume)?.configMap?.name).toBe(
    one(objects(false), 'ConfigMap').metadata?.name,
  );
});
