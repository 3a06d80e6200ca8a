import { nearest } from '@switchyard/service/settings';
import type { Instance } from '../../instance/instance.ts';
import { namesLike, statusOfSetting } from '../known-settings.ts';
import { baseSettings, ownSettings } from '../settings.ts';
import { type CheckInput, error, type Finding, unique, warning } from './finding.ts';

/** Settings that no service reads: a mistyped one would have no effect, silently. */
export const checkUnknown = ({ instances }: CheckInput): Finding[] => unique(instances.flatMap(unknownSettings));

/** Settings that bear our prefix and that no service reads, and free keys that look like one of ours. */
export function unknownSettings(instance: Instance): Finding[] {
  const stated = [
    ...baseSettings(instance),
    ...instance.network.services.flatMap((entry) => ownSettings(instance, entry)),
  ];
  return stated.flatMap(([name, { value, from }]) => {
    const status = statusOfSetting(name);
    if (status !== 'unknown' && status !== 'free') return [];
    const like = nearest(name, namesLike(name))?.toLowerCase();
    const places = [{ ...from, value }];
    if (status === 'unknown') {
      const hint = like === undefined ? '' : `; did you mean "${like}"?`;
      return [error(`no service reads ${name.toLowerCase()}${hint}`, places, 'correct or remove it')];
    }
    if (like === undefined) return [];
    return [
      warning(
        `${name.toLowerCase()} is no setting of ours; did you mean "${like}"?`,
        places,
        'leave it if it belongs to a rollup of yours',
      ),
    ];
  });
}
