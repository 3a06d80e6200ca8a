import { type Family, MANAGER, PART_OF } from '@switchyard/deployment';

/** What this command line deployed under one name. */
export interface Installed {
  readonly family: Family;
  readonly name: string;
  readonly namespace: string;
}

/** Of all objects of all that belong to a family. */
export const ofAll = (family: Family) => ({
  'app.kubernetes.io/managed-by': MANAGER,
  'app.kubernetes.io/part-of': PART_OF[family],
});

export const INSTANCE = 'app.kubernetes.io/instance';
export const WORKLOAD = 'app.kubernetes.io/name';

/** Of all objects of one. */
export const ofOne = ({ family, name }: Omit<Installed, 'namespace'>) => ({ ...ofAll(family), [INSTANCE]: name });

interface Labelled {
  readonly metadata?: { readonly labels?: { readonly [key: string]: string } };
}

export function isOf(object: Labelled, one: Omit<Installed, 'namespace'>): boolean {
  return Object.entries(ofOne(one)).every(([key, value]) => object.metadata?.labels?.[key] === value);
}

/** Whether a namespace is there because of what was deployed. */
export function isOurs({ metadata }: Labelled): boolean {
  return metadata?.labels?.['app.kubernetes.io/managed-by'] === MANAGER;
}
