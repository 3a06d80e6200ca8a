import { Id } from '../ui/id.tsx';
import type { Columns } from '../ui/table.tsx';
import type { Account, Service } from './api.ts';
import { tone } from './words.ts';

/** Columns of the table of services. @param isCurrent False while their states are old. */
export const serviceColumns = (isCurrent: boolean): Columns<Service> => [
  [
    'Service',
    ({ name, version }) => (
      <>
        {name} <span className="quiet">{version}</span>
      </>
    ),
    'name',
  ],
  ['State', ({ state }) => <span className={isCurrent ? tone(state) : 'quiet'}>{isCurrent ? state : 'unknown'}</span>],
  [
    'Listens',
    ({ listens }) =>
      listens.map(({ use, url }) => (
        <span key={`${use} ${url}`} className="listener">
          <code>{url}</code> <span className="quiet">{use}</span>
        </span>
      )),
  ],
];

/** Keys are folded away: they are public, and still nothing to read out in a meeting. */
export function Accounts({ accounts, notice }: { readonly accounts: readonly Account[]; readonly notice: string }) {
  return (
    <>
      <p className="message warn">{notice}</p>
      <ul className="accounts">
        {accounts.map(({ on, name, address, key, role }) => (
          <li key={`${on} ${address}`}>
            <span>
              <strong>{name || 'account'}</strong> <span className="quiet">{role}</span>
            </span>
            <Id text={address} isAccount />
            <details>
              <summary>public development key</summary>
              <Id isWhole text={key} what={`the key of ${name || address}`} />
            </details>
          </li>
        ))}
      </ul>
    </>
  );
}
