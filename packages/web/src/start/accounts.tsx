import { Copied } from '../ui/copy.tsx';
import { Id } from '../ui/id.tsx';
import type { Account } from './api.ts';

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
              <Copied value={key} what={`the key of ${name || address}`} />
            </details>
          </li>
        ))}
      </ul>
    </>
  );
}
