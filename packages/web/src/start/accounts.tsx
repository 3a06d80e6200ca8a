import { Copied } from '../ui/copy.tsx';
import type { Account } from './api.ts';

/** Keys are folded away: they are public, and still nothing to read out in a meeting. */
export function Accounts({ accounts, notice }: { readonly accounts: readonly Account[]; readonly notice: string }) {
  return (
    <section aria-labelledby="accounts">
      <h2 id="accounts">Development accounts</h2>
      <p className="message warn">{notice}</p>
      <ul className="accounts">
        {accounts.map(({ on, name, address, key, role }) => (
          <li key={`${on} ${address}`}>
            <strong>{name || 'account'}</strong> <span className="quiet">{role}</span>
            <Copied value={address} what={`the address ${name || address}`} />
            <details>
              <summary>public development key</summary>
              <Copied value={key} what={`the key of ${name || address}`} />
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}
