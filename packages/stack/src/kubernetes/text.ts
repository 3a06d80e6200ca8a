import { stringify } from 'yaml';
import type { IngressObject } from '../ingress/traefik.ts';
import type { KubernetesObject } from './objects.ts';

/** The objects as YAML, one document each. */
export function objectsText(objects: readonly (KubernetesObject | IngressObject)[]): string {
  // A number or a switch that is text stays text for readers of YAML 1.1, such as kubectl.
  return objects
    .map((object) => `---\n${stringify(object, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false })}`)
    .join('');
}
