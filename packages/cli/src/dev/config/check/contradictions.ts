import { isLoopbackHost } from '@switchyard/service/input';
import type { Source } from '@switchyard/stack/values';
import type { Instance, ServiceEntry } from '../../instance/instance.ts';
import { isOfBase } from '../roles.ts';
import { followedBy, plannedFor, statedSetting } from '../settings.ts';
import { type CheckInput, type Finding, unique, warning } from './finding.ts';

/** Settings that contradict another value of their network, by its plan: that of another service, or of the network. */
export function checkContradictions({ instances }: CheckInput): Finding[] {
  return unique(
    instances.flatMap((instance) => [
      ...instance.network.services.flatMap((entry) => contradictions(instance, entry)),
      ...withoutEffect(instance),
    ]),
  );
}

function contradictions(instance: Instance, entry: ServiceEntry): Finding[] {
  return plannedFor(instance, entry).flatMap(([field, { value, from, overrides, differs }]): Finding[] => {
    const stated = statedSetting(instance, entry, field);
    if (differs === undefined || stated === undefined || stated.value.trim() === '') return [];
    // It has no effect.
    if (overrides && stated.from.file === instance.paths.base) return [];
    const written = writtenAt(instance, from) ?? value;
    if (agree(stated.value, value, written)) return [];
    const key = field.names[0].toLowerCase();
    return [
      {
        severity: differs,
        problem: `${key} contradicts ${from.key}`,
        places: [
          { ...stated.from, value: stated.value },
          { ...from, value: written },
        ],
        fix: `remove ${key}, which then follows the other, or correct one of them`,
      },
    ];
  });
}

/** Base settings that the network overrides, if they describe it: editing them has no effect. */
export function withoutEffect(instance: Instance): Finding[] {
  const { base, network, paths } = instance;
  if (!isOfBase(network)) return [];
  const found = network.services.flatMap((entry) =>
    followedBy(instance, entry).flatMap(([{ names }, { value, from, overrides }]): Finding[] => {
      const ineffective = base[names[0]];
      if (!overrides || ineffective === undefined || ineffective === value) return [];
      const key = names[0].toLowerCase();
      const places = [
        { file: paths.base, key, value: ineffective },
        { ...from, value },
      ];
      return [warning(`${key} has no effect: overridden by the network`, places, `make ${key} the same, or remove it`)];
    }),
  );
  return unique(found);
}

/** A setting as a file has it; `undefined` for a value that is not a setting. */
function writtenAt({ paths, base, network }: Instance, { file, key }: Source): string | undefined {
  if (file === paths.base) return base[key.toUpperCase()];
  const [, label, variable = ''] = /\.services\.(.+)\.env\.(.+)$/.exec(key) ?? [];
  return network.services.find((each) => each.label === label)?.env[variable];
}

/** Whether a value is the planned one. Of several nodes to call, each has to be a planned one. */
function agree(stated: string, planned: string, written: string): boolean {
  const values = stated.split(',').map((each) => each.trim());
  // A list may have more than the planned items.
  if (planned.split(',').every((each) => values.includes(each))) return true;
  if (/^[^:/]*:\d+$|^\[.*\]:\d+$/.test(planned)) return reaches(`http://${planned}`, stated);
  if (!/^https?:/i.test(planned)) return false;
  const listeners = [...planned.split(','), written];
  return values.every((url) => listeners.some((listener) => reaches(url, listener)));
}

/** Whether a URL leads to a listener, given as `host:port` or by its URL, on this machine or under the same name. */
export function reaches(url: string, listens: string): boolean {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  const [, host = '', port] = /^(?:https?:\/\/)?\[?([^\]]*?)\]?:(\d{1,5})\/?$/.exec(listens) ?? [];
  if (target === undefined || port === undefined) return true; // malformed: the service itself names it
  if (port === '0') return true;
  const called = target.hostname.replace(/^\[|\]$/g, '');
  const samePort = (target.port || (target.protocol === 'https:' ? '443' : '80')) === port;
  return samePort && (host === called || isEverywhere(host) || (isLoopbackHost(host) && isLoopbackHost(called)));
}

const isEverywhere = (host: string) => host === '' || host === '0.0.0.0' || host === '::';
