import type { V1Ingress } from '@kubernetes/client-node';
import { Failure } from '@switchyard/service/failure';
import { type Family, HOSTS } from '@switchyard/stack';
import { type Listed, nodeUrl, type Status, URL_NAMES, type Urls } from '../target.ts';
import type { ClusterApi } from './api.ts';
import { withDaLightHead } from './da-light.ts';
import { headAt } from './functional.ts';
import { rollupHeights } from './heights.ts';
import { INSTANCE, type Installed, ofAll } from './labels.ts';
import { observe } from './observe.ts';

/** All of a family, by the object of each that is applied first and removed last; volumes that are kept are none. */
export async function installedIn(
  api: ClusterApi,
  family: Family,
  namespace: string | undefined,
): Promise<readonly Installed[]> {
  const accounts = await api.list('ServiceAccount', { namespace, labels: ofAll(family) });
  return accounts.flatMap(({ metadata }) => {
    const [name, where] = [metadata?.labels?.[INSTANCE], metadata?.namespace];
    return name === undefined || where === undefined ? [] : [{ family, name, namespace: where }];
  });
}

/** Deployment that a command is about. */
export interface Wanted {
  readonly family: Family;
  readonly name: string;
  /** Else in all. */
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
}

/** @throws {Failure} if there is none, or several. */
export async function findInstalled(api: ClusterApi, { family, name, namespace }: Omit<Wanted, 'signal'>) {
  const all = await installedIn(api, family, namespace);
  const [found, ...others] = all.filter((each) => each.name === name);
  const place = namespace === undefined ? `in the cluster of context ${api.context}` : `in namespace ${namespace}`;
  if (found === undefined) {
    const names = [...new Set(all.map((each) => each.name))];
    throw new Failure(`no ${family} ${name} ${place}; it has ${names.length === 0 ? 'none' : names.join(', ')}`);
  }
  if (others.length > 0)
    throw new Failure(
      `--namespace: ${family} ${name} is in ${[found, ...others].map((each) => each.namespace).join(', ')}: name one of them`,
    );
  return found;
}

export async function listRollups(api: ClusterApi, namespace: string | undefined): Promise<readonly Listed[]> {
  const rollups = await installedIn(api, 'rollup', namespace);
  const all = await Promise.all(rollups.map((rollup) => statusOfRollup(api, rollup)));
  return all.map(({ urls: _, parts: __, ...listed }) => listed);
}

export async function getStatus(api: ClusterApi, name: string, namespace: string | undefined): Promise<Status> {
  const rollup = await findInstalled(api, { family: 'rollup', name, namespace });
  const status = await statusOfRollup(api, rollup);
  const parts = await Promise.all(status.parts.map((part) => withDaLightHead(api, rollup, part)));
  return { ...status, ...(await rollupHeights(api, rollup, parts)) };
}

async function statusOfRollup(api: ClusterApi, rollup: Installed): Promise<Omit<Status, 'heights'>> {
  const { name, namespace } = rollup;
  const [states, ingress] = await Promise.all([observe(api, rollup), api.read('Ingress', name, namespace)]);
  const parts = [...states].map(([part, { isReady, note }]) => ({ name: part, isReady, note }));
  const urls = urlsIn(ingress);
  const [at] = ingress?.status?.loadBalancer?.ingress ?? [];
  const head = nodeUrl(urls) === undefined ? undefined : await headAt(urls, at?.ip ?? at?.hostname);
  const isReady = parts.length > 0 && parts.every((part) => part.isReady);
  return {
    ...{ name, where: namespace, state: isReady ? 'ready' : 'not ready', urls, parts },
    ...(typeof head === 'number' ? { head } : {}),
  };
}

/** From the rules of the ingress, since the manifest may not be here. */
function urlsIn(ingress: V1Ingress | undefined): Urls {
  const { rules = [], tls = [] } = ingress?.spec ?? {};
  const secure = tls.length === 0 ? '' : 's';
  return Object.fromEntries(
    HOSTS.flatMap((host) => {
      const rule = rules.find((each) => each.host?.startsWith(`${host}.`));
      const scheme = host === 'ws-executor' ? 'ws' : 'http';
      return rule?.host === undefined ? [] : [[URL_NAMES[host], `${scheme}${secure}://${rule.host}`]];
    }),
  );
}
