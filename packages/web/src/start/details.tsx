import type { ReactNode } from 'react';
import { Copied } from '../ui/copy.tsx';
import type { Network, Service } from './api.ts';
import { chains, endpoints, tone } from './words.ts';

/** A part of the page that is folded away. */
export function Folded({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  return (
    <details className="card folded">
      <summary>
        <h2>{title}</h2> <span className="quiet">{hint}</span>
      </summary>
      {children}
    </details>
  );
}

/** Heights and balance sheets, each with its place in the explorer. */
export function Chains({ network, isCurrent }: { readonly network: Network; readonly isCurrent: boolean }) {
  return (
    <dl className="facts">
      {chains(network).map(({ name, state, url }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {state === '' ? 'does not answer' : state}
            {!isCurrent && state !== '' && ' when it last answered'}
            {url !== undefined && (
              <>
                {' '}
                <a href={url}>in the explorer</a>
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Where programs connect, and where the files are. */
export function Endpoints({ network }: { readonly network: Network }) {
  return (
    <dl className="facts">
      {endpoints(network).map(([use, at]) => (
        <div key={use}>
          <dt>{use}</dt>
          <dd>
            <Copied value={at} what={use} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function Services({
  services,
  isCurrent,
}: {
  readonly services: readonly Service[];
  readonly isCurrent: boolean;
}) {
  return (
    <table aria-label="Services">
      <thead>
        <tr>
          <th scope="col">Service</th>
          <th scope="col">State</th>
          <th scope="col">Listens</th>
        </tr>
      </thead>
      <tbody>
        {services.map(({ name, version, state, listens }) => (
          <tr key={name}>
            <th scope="row">
              {name} <span className="quiet">{version}</span>
            </th>
            <td className={isCurrent ? tone(state) : 'quiet'}>
              {isCurrent ? state : 'unknown'}
            </td>
            <td>
              {listens.map(({ use, url }) => (
                <span key={`${use} ${url}`} className="listener">
                  <code>{url}</code> <span className="quiet">{use}</span>
                </span>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
